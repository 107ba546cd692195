// Plot: one uPlot with a title, a legend that shows the values under the cursor, marks, and a keyboard.
//
// new Plot({ title, unit, at, lines, isSmall, note, downTimes }) makes the figure; the canvas comes when the
// figure is first seen. A line is { label, colour, values, dash, fill, width, shown }, where `shown` gives the
// numbers of the legend if they are not those that are drawn. The first line is the first of the legend, and
// drawn last.

const plotsSeen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    const plot = plotOfArea.get(entry.target);
    plot.isSeen = entry.isIntersecting;
    if (plot.isSeen) plot.draw();
  }
}, { rootMargin: "300px" });
const plotSizes = new ResizeObserver((entries) => {
  for (const entry of entries) plotOfArea.get(entry.target).resize();
});
const plotOfArea = new WeakMap();

const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
const countSteps = [1, 1e3, 1e6].flatMap((unit) => [1, 2, 5, 10, 20, 50, 100, 200, 500].map((n) => n * unit));

class Plot {
  constructor(options) {
    this.options = options;
    this.lines = options.lines;
    this.marks = new TimeMarks(!options.isSmall, options.downTimes ?? []);
    this.moment = element("span.moment");
    this.values = this.lines.map(() => element("span.value"));
    this.legend = element("div.legend", {}, ...this.lines.map((line, i) => this.legendItem(line, i)),
      options.isSmall ? null : element("span.units", {}, `${options.unit} over ${timeUnit}`));
    this.area = element("div.plot-area", {
      tabindex: "0", role: "img", "aria-label": `${options.title}, in ${options.unit}, over time. ` +
        "Arrow keys move the cursor.",
    });
    this.figure = element(options.isSmall ? "figure.plot.small" : "figure.plot", {},
      element("figcaption", {},
        element("div.plot-head", {}, options.heading ?? element("h3", {}, options.title), this.moment),
        options.note ? element("p.plot-note", {}, options.note) : null, this.legend),
      this.area);
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.describe(null);
    plotOfArea.set(this.area, this);
    timeline.plots.add(this);
    plotsSeen.observe(this.area);
  }

  // Takes it off the page for good.
  remove() {
    timeline.plots.delete(this);
    plotsSeen.unobserve(this.area);
    plotSizes.unobserve(this.area);
    this.uplot?.destroy();
    this.figure.remove();
  }

  legendItem(line, i) {
    const swatch = element("span.swatch", { style: `--line: var(--${line.colour})` });
    if (line.dash) swatch.classList.add("dashed");
    if (line.fill) swatch.classList.add("filled");
    const parts = [swatch, element("span", {}, line.label), this.values[i]];
    if (this.options.isSmall) return element("span.item", {}, ...parts);
    const item = element("button.item", { type: "button", "aria-pressed": "true" }, ...parts);
    item.title = `Show or hide ${line.label}`;
    item.addEventListener("click", () => {
      const isShown = item.getAttribute("aria-pressed") === "true";
      item.setAttribute("aria-pressed", String(!isShown));
      this.uplot?.setSeries(this.lines.length - i, { show: !isShown });
    });
    return item;
  }

  draw() {
    if (this.uplot) {
      if (this.isStale) this.redraw();
      return;
    }
    const data = [this.options.at, ...this.lines.map((line) => line.values).reverse()];
    this.uplot = new uPlot(this.uplotOptions(), data, this.area);
    plotSizes.observe(this.area);
  }

  // Colours have changed. What nobody sees is drawn when it is seen.
  redraw() {
    this.isStale = !this.isSeen;
    if (this.isSeen) this.uplot?.redraw(false);
  }

  // For paper: now, and whether anybody sees it or not.
  drawForPaper() {
    this.draw();
    this.resize();
    this.uplot.redraw(false);
  }

  resize() {
    const { width, height } = this.size();
    if (width > 0 && (this.uplot.width !== width || this.uplot.height !== height)) {
      this.uplot.setSize({ width, height });
    }
  }

  size() {
    return { width: Math.floor(this.area.clientWidth), height: this.options.isSmall ? 130 : 230 };
  }

  uplotOptions() {
    const isSmall = this.options.isSmall;
    const hasMarks = this.marks.marks.some((mark) => mark.label);
    return {
      ...this.size(),
      legend: { show: false },
      padding: [hasMarks ? 20 : 8, 22, 0, 0],
      scales: {
        x: { time: false, range: () => timeline.shown },
        y: { range: (_, low, high) => [0, Math.max(high * 1.08, this.options.atLeast ?? 1)] },
      },
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false },
        bind: { dblclick: () => () => timeline.reset() },
      },
      axes: [
        this.axis({ incrs: timeSteps, space: isSmall ? 60 : 80, size: isSmall ? 24 : 30,
          values: (_, times) => times.map((time) => timeText(time)) }),
        this.axis({ incrs: countSteps, space: isSmall ? 28 : 36, size: isSmall ? 40 : 50,
          values: (_, values) => values.map(count) }),
      ],
      series: [{}, ...this.lines.map((line) => this.series(line)).reverse()],
      bands: this.options.isStacked
        ? this.lines.slice(1).map((_, i) => ({ series: [i + 1, i + 2] })) : [],
      hooks: {
        draw: [(uplot) => this.marks.place(uplot)],
        setCursor: [(uplot) => this.cursorMoved(uplot)],
        setSelect: [(uplot) => this.selected(uplot)],
      },
    };
  }

  axis(options) {
    return {
      stroke: () => colour("quiet"),
      font: "12px system-ui, sans-serif",
      grid: { stroke: () => colour("grid"), width: 1 },
      ticks: { show: false },
      gap: 6,
      ...options,
    };
  }

  series(line) {
    return {
      label: line.label,
      stroke: () => colour(line.colour),
      fill: line.fill ? () => `${colour(line.colour)}${this.options.isStacked ? "b0" : "26"}` : undefined,
      width: this.options.isStacked ? 0.5 : line.width ?? 1.5,
      dash: line.dash ? [6, 4] : undefined,
      points: { show: false },
    };
  }

  selected(uplot) {
    const { left, width } = uplot.select;
    if (width < 4) return;
    timeline.show(uplot.posToVal(left, "x"), uplot.posToVal(left + width, "x"));
    uplot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  showTime() {
    if (!this.uplot) return;
    const [min, max] = timeline.shown;
    this.uplot.setScale("x", { min, max });
  }

  cursorMoved(uplot) {
    if (this.isFollowing) return;
    const { left, idx } = uplot.cursor;
    const isOutside = left < 0 || idx === null || idx === undefined;
    timeline.point(isOutside ? null : uplot.posToVal(left, "x"), this);
  }

  // Moves the cursor without telling the others.
  pointAt(time, moves) {
    const index = time === null ? null : this.indexAt(time);
    this.describe(index);
    if (!moves || !this.uplot || !this.isSeen) return;
    this.isFollowing = true;
    this.uplot.setCursor({ left: time === null ? -10 : this.uplot.valToPos(time, "x"), top: 0 });
    this.isFollowing = false;
  }

  indexAt(time) {
    const at = this.options.at;
    let low = 0;
    let high = at.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at[middle] < time) low = middle + 1;
      else high = middle;
    }
    const isBeforeNearer = low > 0 && time - at[low - 1] < at[low] - time;
    return isBeforeNearer ? low - 1 : low;
  }

  // Values under the cursor, or those of the end.
  describe(index) {
    const at = this.options.at;
    this.index = index;
    const shown = index ?? at.length - 1;
    this.moment.textContent = shown < 0 ? "no samples"
      : `${index === null ? "end" : "at"} ${timeText(at[shown], at[shown] % 1 === 0 ? 0 : 1)}`;
    for (const [i, line] of this.lines.entries()) {
      const value = shown < 0 ? null : (line.shown ?? line.values)[shown];
      this.values[i].textContent = value === null || value === undefined ? "–" : count(value);
    }
  }

  key(event) {
    const at = this.options.at;
    if (event.target !== this.area || at.length === 0) return;
    const index = this.index ?? at.length - 1;
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -60, PageDown: 60, Home: -at.length, End: at.length };
    if (event.key in steps) {
      const step = steps[event.key] * (event.shiftKey ? 10 : 1);
      timeline.point(at[Math.min(Math.max(index + step, 0), at.length - 1)]);
    } else if (event.key === "+" || event.key === "=") {
      timeline.zoom(0.5, at[index]);
    } else if (event.key === "-") {
      timeline.zoom(2, at[index]);
    } else if (event.key === "Escape" && timeline.shown.join() !== timeline.whole.join()) {
      timeline.reset();
    } else {
      return;
    }
    event.preventDefault();
  }
}

onTheme(() => {
  for (const plot of timeline.plots) plot.redraw();
});

// Lines that lie on top of each other, the first at the bottom; the legend shows each by itself.
function stacked(lines) {
  const upTo = [];
  let below = null;
  for (const line of lines) {
    const base = below;
    below = line.values.map((value, i) => value + (base ? base[i] : 0));
    upTo.push({ ...line, values: below, shown: line.values, fill: true });
  }
  return upTo;
}
