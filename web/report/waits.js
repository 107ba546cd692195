// How long callers waited: percentiles as bars on a logarithmic scale, because they lie between nothing and
// seconds.

const waitScale = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10];

function waitPosition(seconds) {
  const [low, high] = [Math.log10(waitScale[0]), Math.log10(Math.max(waitScale.at(-1), run.wait_seconds.longest))];
  const at = seconds <= 0 ? 0 : (Math.log10(seconds) - low) / (high - low);
  return `${(Math.min(Math.max(at, 0), 1) * 100).toFixed(2)}%`;
}

function waitBars(waits) {
  const percentiles = [["p50", waits.p50], ["p90", waits.p90], ["p99", waits.p99], ["p99.9", waits.p99_9],
    ["longest", waits.longest]];
  const ticks = waitScale.filter((_, i) => i % 2 === 1);
  return element("div.waits", {},
    element("dl", {}, ...percentiles.map(([name, seconds]) => element("div.wait", {},
      element("dt", {}, name),
      element("dd.wait-lane", { "aria-hidden": "true" },
        ...ticks.map((tick) => element("span.wait-tick", { style: `left: ${waitPosition(tick)}` })),
        element("span.wait-bar", { style: `width: ${waitPosition(seconds)}` })),
      element("dd.wait-value", {}, waitText(seconds))))),
    element("div.wait-scale", { "aria-hidden": "true" },
      ...ticks.map((tick) => element("span", { style: `left: ${waitPosition(tick)}` }, lengthText(tick)))));
}

function waitFigure(waits, title) {
  return element("figure.plot", {},
    element("figcaption", {},
      element("div.plot-head", {}, element("h3", {}, title),
        element("span.moment", {}, "whole run")),
      element("p.plot-note", {}, `${counted(waits.count, "caller")}, served or not. Logarithmic scale.`)),
    waitBars(waits));
}
