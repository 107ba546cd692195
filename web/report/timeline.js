// What all plots share: the part of the time that is shown, the moment under the cursor, and marks on the
// time axis.

const timeline = {
  whole: [0, run.duration_seconds || 1],
  shown: [0, run.duration_seconds || 1],
  plots: new Set(),  // objects of class Plot that are on the page

  // The same part of the time in every plot.
  show(from, to) {
    const [first, last] = this.whole;
    const shortest = Math.min(10 * (run.sample_seconds || 1), last - first);
    const length = Math.min(Math.max(to - from, shortest), last - first);
    const start = Math.min(Math.max(from, first), last - length);
    this.shown = [start, start + length];
    for (const plot of this.plots) plot.showTime();
    byId("reset-zoom").hidden = length >= last - first;
  },

  reset() {
    this.show(...this.whole);
  },

  // factor < 1: less of the time, around the moment.
  zoom(factor, around) {
    const [from, to] = this.shown;
    this.show(around - (around - from) * factor, around + (to - around) * factor);
  },

  // The moment under the cursor of one plot, for all of them; null: there is none.
  point(time, source = null) {
    for (const plot of this.plots) plot.pointAt(time, plot !== source);
  },
};

// A time that shows itself in the plots when it is pressed.
function timeButton(seconds) {
  const button = element("button.time", { type: "button", title: "Show this moment in the plots" },
    timeText(seconds, Number.isInteger(seconds) ? 0 : 3));
  button.addEventListener("click", () => {
    byId("cluster").scrollIntoView({ behavior: "smooth" });
    timeline.point(seconds);
  });
  return button;
}

// Faults, the end of a broken run, and times at which a process was down. They lie under the lines, and their
// labels above the plot, as elements: the theme colours them.
class TimeMarks {
  constructor(isLarge, downTimes) {
    this.marks = run.faults.map((fault, i) => this.fault(fault, i + 1, isLarge));
    const broken = run.broken_promise;
    if (broken) {
      this.add("div.promise-mark", `Promise ${broken.promise} is broken`, broken.when_seconds,
        broken.when_seconds, element("span.mark-label.broken-label", {}, isLarge ? "broken" : "✕"));
    }
    for (const [from, to] of downTimes) this.add("div.down-mark", "The process is down", from, to);
  }

  fault(fault, number, isLarge) {
    const label = element("span.mark-label", {}, `${number}`);
    if (isLarge) label.append(element("span.mark-kind", {}, ` ${plainName(fault.kind)}`));
    const title = `${plainName(fault.kind)}: ${fault.text}`;
    return this.mark("div.fault-mark", title, fault.at_seconds, fault.until_seconds, label);
  }

  mark(name, title, from, to, label) {
    label?.setAttribute("title", title);
    return { from, to, label, node: element(name, { title }) };
  }

  add(...parts) {
    this.marks.push(this.mark(...parts));
  }

  // A label that would run into the next one shows its number only.
  place(uplot) {
    const [from, to] = timeline.shown;
    const width = uplot.over.clientWidth;
    const left = (time) => ((time - from) / (to - from)) * width;
    for (const [i, mark] of this.marks.entries()) {
      const start = Math.min(Math.max(left(mark.from), -1), width - 2);
      const end = Math.min(left(mark.to), width + 1);
      mark.node.hidden = mark.to < from || mark.from > to;
      mark.node.style.left = `${start}px`;
      mark.node.style.width = `${Math.max(end - start, 0)}px`;
      const next = this.marks.slice(i + 1).find((other) => other.label);
      const room = (next ? Math.min(left(next.from), width) : width) - start;
      if (!mark.node.isConnected) uplot.under.append(mark.node);
      if (!mark.label) continue;
      mark.label.hidden = mark.from < from || mark.from > to;
      mark.label.style.left = `${start}px`;
      mark.label.classList.toggle("short", room < 95);
      if (!mark.label.isConnected) uplot.over.append(mark.label);
    }
  }
}
