// Small plots of all processes, side by side. Each is made when it is first wanted and drawn when it is first
// seen, so that many cost nothing at the start.

// Times at which the process was not there, as [from, to].
function downTimes(series) {
  const times = [];
  const at = series.at;
  let from = null;
  for (const [i, isUp] of series.get("up").entries()) {
    if (!isUp && from === null) from = i > 0 ? at[i - 1] : 0;
    if (isUp && from !== null) {
      times.push([from, at[i]]);
      from = null;
    }
  }
  if (from !== null) times.push([from, at.at(-1)]);
  return times;
}

function smallPlot(process) {
  const name = element("button.process-name", { type: "button", title: `All plots of ${process.name}` }, process.name);
  name.addEventListener("click", () => openProcess(process));
  return new Plot({
    title: `Connections of ${process.name}`, unit: "connections",
    heading: element("h4", {}, verdictMark(process.note, process.noteText), name),
    isSmall: true,
    at: process.series.at,
    lines: connectionLines(process.series),
    downTimes: downTimes(process.series),
  });
}

function showProcessGrid(chosen) {
  for (const process of chosen) process.plot ??= smallPlot(process);
  byId("process-grid").replaceChildren(...chosen.map((process) => process.plot.figure));
}

function startProcessGrid() {
  const items = [["ready", "ready"], ["lent", "lent"], ["opening", "opening"], ["target", "limit", "dashed"]];
  byId("process-grid").classList.toggle("few", processes.length <= 4);
  byId("grid-legend").append(...items.map(([label, line, style]) => element("span.item", {},
    element(style ? `span.swatch.${style}` : "span.swatch", { style: `--line: var(--${line})` }), label)),
  element("span.item", {}, element("span.swatch.down"), "process is down"),
  element("span.units", {}, `connections over ${timeUnit}`));
}
