// Small plots of all services, side by side. Each is made when it is first wanted and drawn when it is first
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

function smallPlot(service) {
  const name = element("button.service-name", { type: "button", title: `All plots of ${service.name}` }, service.name);
  name.addEventListener("click", () => openService(service));
  return new Plot({
    title: `Connections of ${service.name}`, unit: "connections",
    heading: element("h4", {}, verdictMark(service.note, service.noteText), name),
    isSmall: true,
    at: service.series.at,
    lines: connectionLines(service.series),
    downTimes: downTimes(service.series),
  });
}

function showServiceGrid(chosen) {
  for (const service of chosen) service.plot ??= smallPlot(service);
  byId("service-grid").replaceChildren(...chosen.map((service) => service.plot.figure));
}

function startServiceGrid() {
  const items = [["ready", "ready"], ["lent", "lent"], ["opening", "opening"], ["target", "limit", "dashed"]];
  byId("service-grid").classList.toggle("few", services.length <= 4);
  byId("grid-legend").append(...items.map(([label, line, style]) => element("span.item", {},
    element(style ? `span.swatch.${style}` : "span.swatch", { style: `--line: var(--${line})` }), label)),
  element("span.item", {}, element("span.swatch.down"), "process is down"),
  element("span.units", {}, `connections over ${timeUnit}`));
}
