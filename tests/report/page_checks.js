// What is checked on every page: numbers, marks, verdicts, colours, and that nothing sticks out.
"use strict";

const assert = require("assert");
const { seeEverything } = require("./browser.js");

// Each plot as the page has it: which process, its lines by label, how much of it has the first line's colour,
// its marks.
function plots(page) {
  return page.evaluate(() => [...forebayReport.timeline.plots].map((plot) => {
    const canvas = plot.uplot.ctx.canvas;
    // A copy: reading from the page's own canvas would make the browser draw it differently, and warn.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    const style = getComputedStyle(document.documentElement);
    const wanted = style.getPropertyValue(`--${plot.lines[0].colour}`).match(/[0-9a-f]{2}/g)
      .map((part) => parseInt(part, 16));
    let drawn = 0;
    let hash = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (pixels[i + 3] === 0) continue;
      if (wanted.every((part, j) => Math.abs(pixels[i + j] - part) < 16)) ++drawn;
      hash = (Math.imul(hash, 31) + pixels[i] + 7 * pixels[i + 1] + 13 * pixels[i + 2] + i) | 0;
    }
    const area = plot.uplot.under.getBoundingClientRect();
    const faults = [...plot.uplot.under.querySelectorAll(".fault-mark")].map((mark) => {
      const box = mark.getBoundingClientRect();
      return [(box.left - area.left) / area.width, (box.right - area.left) / area.width];
    });
    return {
      title: plot.options.title,
      process: forebayReport.processes.find((process) => process.plot === plot)?.name ?? "all",
      lines: Object.fromEntries(plot.lines.map((line) => [line.label, Array.from(line.shown ?? line.values)])),
      lengths: plot.uplot.data.map((values) => values.length),
      drawnData: plot.uplot.data.slice(1).reverse().map((values) => Math.max(...values)),
      top: plot.uplot.scales.y.max,
      drawn: drawn / (canvas.width * canvas.height),
      hash,
      faults,
      breaks: plot.uplot.under.querySelectorAll(".promise-mark").length,
      labels: plot.uplot.over.querySelectorAll(".mark-label").length,
    };
  }));
}

function checkConnections(plot, series) {
  const columns = { ready: "size", lent: "in_use", opening: "opening", target: "target" };
  for (const [label, column] of Object.entries(columns)) {
    assert.deepStrictEqual(plot.lines[label], series.get(plot.process)[column], `${label} of ${plot.process}`);
  }
}

function checkMarks(plot, run) {
  assert.strictEqual(plot.faults.length, run.faults.length, `faults in ${plot.title}`);
  for (const [i, fault] of run.faults.entries()) {
    const [from, to] = plot.faults[i];
    const what = `of fault ${i + 1} in ${plot.title}`;
    assert.ok(Math.abs(from - fault.at_seconds / run.duration_seconds) < 0.01, `start ${what}`);
    assert.ok(Math.abs(to - fault.until_seconds / run.duration_seconds) < 0.015, `end ${what}`);
  }
  assert.strictEqual(plot.breaks, run.broken_promise ? 1 : 0);
  assert.strictEqual(plot.labels, run.faults.length + plot.breaks);
}

async function checkPlots(page, { run, series }) {
  const all = await plots(page);
  const ofCluster = all.filter((plot) => plot.process === "all");
  assert.deepStrictEqual(ofCluster.map((plot) => plot.title),
    ["Connects per second", "Sessions and leases", "Connections", "Callers", "Discards"]);
  assert.deepStrictEqual(all.filter((plot) => plot.process !== "all").map((plot) => plot.process).sort(),
    run.services.map((process) => process.name).sort());
  const samples = series.get("all").size.length;
  for (const plot of all) {
    assert.ok(plot.lengths.every((length) => length === samples), `${plot.title} has ${plot.lengths} samples`);
    // Only the callers may have nothing to show.
    const isDrawn = plot.drawn > 0.003 || plot.title === "Callers";
    assert.ok(isDrawn, `${plot.title} of ${plot.process} looks blank: ${plot.drawn} has the colour of its first line`);
    assert.ok(Math.max(...plot.drawnData) <= plot.top, `${plot.title} is cut off at the top`);
    if (plot.title.startsWith("Connections")) checkConnections(plot, series);
    checkMarks(plot, run);
  }
  const [connects, sessions, , callers, discards] = ofCluster;
  assert.ok(Math.max(...connects.lines.connects) <= run.most_connects_in_a_second);
  assert.ok(connects.lines.limit.every((limit) => limit === run.connects_per_second));
  assert.ok(Math.max(...sessions.lines.sessions) <= run.most_sessions);
  assert.ok(sessions.lines.cap.every((cap) => cap === run.max_connections));
  assert.deepStrictEqual(callers.lines.waiting, series.get("all").waiters);
  for (const [label, values] of Object.entries(discards.lines)) {
    assert.deepStrictEqual(values, series.get("all")[`discard_${label.replaceAll(" ", "_")}`], `discards: ${label}`);
  }
  return all;
}

async function checkVerdicts(page, { run }) {
  const shown = await page.locator("#verdicts .assertions tbody tr").allInnerTexts();
  const wanted = [...run.assertions].sort((a, b) => Number(a.holds) - Number(b.holds));
  assert.strictEqual(shown.length, wanted.length);
  for (const [i, assertion] of wanted.entries()) {
    for (const text of [assertion.holds ? "holds" : "fails", assertion.name, assertion.expected, assertion.seen]) {
      assert.ok(shown[i].includes(text), `"${shown[i]}" does not say "${text}"`);
    }
  }
  const failed = wanted.filter((assertion) => !assertion.holds).length;
  const verdict = await page.innerText(".verdict");
  if (run.broken_promise) assert.match(verdict, new RegExp(`Promise ${run.broken_promise.promise} was broken`));
  else if (failed > 0) assert.match(verdict, new RegExp(`${failed} of ${wanted.length} assertions failed`));
  else assert.match(verdict, new RegExp(`All ${wanted.length} assertions hold`));
  const faults = await page.locator("#verdicts .faults tbody tr").allInnerTexts();
  assert.strictEqual(faults.length, run.faults.length);
  for (const [i, fault] of run.faults.entries()) {
    for (const text of [fault.kind.replaceAll("_", " "), fault.text]) {
      assert.ok(faults[i].includes(text), `"${faults[i]}" does not say "${text}"`);
    }
  }
  const { started, failed: unhappy } = run.callers;
  const told = `${unhappy.toLocaleString("en")} of ${started.toLocaleString("en")} callers failed.`;
  if (!run.broken_promise) assert.strictEqual(verdict.includes(told), unhappy > 0, verdict);
}

async function checkWidth(page, what) {
  const { wide, inside, beyond } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    inside: innerWidth,
    beyond: [...document.querySelectorAll("main *, dialog[open] *")]
      .filter((node) => !node.closest(".table-scroll, pre, .unseen, .uplot"))
      .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
      .map((node) => `${node.tagName}.${node.className}`),
  }));
  assert.ok(wide <= inside, `${what}: the page is ${wide} wide, and ${inside} are there`);
  assert.deepStrictEqual(beyond, [], `${what}: elements beyond the edge`);
}

async function checkTheme(page, before) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.notStrictEqual(await ground(), light, "the button changes the colours");
  await seeEverything(page);
  const after = await plots(page);
  for (const [i, plot] of after.entries()) {
    assert.notStrictEqual(plot.hash, before[i].hash, `${plot.title} of ${plot.process} has its old colours`);
  }
  await page.click("#theme");
  assert.strictEqual(await ground(), light, "and back");
}

module.exports = { checkPlots, checkTheme, checkVerdicts, checkWidth };
