// What people do with a page: point, zoom, filter, sort, look at a process, without a mouse too.
"use strict";

const assert = require("assert");

const moments = (page) => page.locator("#cluster-plots .plot-area").locator("..").locator(".moment").allInnerTexts();
const shown = (page) => page.evaluate(() => [...forebayReport.timeline.plots].filter((plot) => plot.isSeen)
  .map((plot) => [plot.uplot.scales.x.min, plot.uplot.scales.x.max].join("-")));

async function checkCursor(page, { run, series }) {
  const area = page.locator("#cluster-plots .u-over").first();
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
  const at = new Set(await moments(page));
  assert.strictEqual(at.size, 1, `all plots show one moment: ${[...at]}`);
  const [, minutes, seconds] = [...at][0].match(/^at (\d+):(\d+)$/);
  const time = Number(minutes) * 60 + Number(seconds);
  assert.ok(Math.abs(time - run.duration_seconds / 3) < 5, `the moment under the cursor: ${[...at][0]}`);
  const value = await page.locator("#cluster-plots figure").nth(2).locator(".item", { hasText: "ready" })
    .locator(".value").innerText();
  assert.strictEqual(value.replaceAll(",", ""), String(series.get("all").size[time - 1]), "ready under the cursor");

  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  const zoomed = new Set(await shown(page));
  assert.strictEqual(zoomed.size, 1, `all plots show the same time: ${[...zoomed]}`);
  const [from, to] = [...zoomed][0].split("-").map(Number);
  assert.ok(Math.abs(from - run.duration_seconds / 3) < 10 && Math.abs(to - run.duration_seconds / 2) < 10);
  await page.click("#reset-zoom");
  assert.deepStrictEqual([...new Set(await shown(page))], [`0-${run.duration_seconds}`]);
  assert.ok(await page.isHidden("#reset-zoom"));
}

async function checkKeyboard(page, { run }) {
  await page.locator("#cluster-plots .plot-area").first().focus();
  await page.keyboard.press("Home");
  assert.deepStrictEqual([...new Set(await moments(page))], ["at 0:01"]);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  assert.deepStrictEqual([...new Set(await moments(page))], ["at 0:12"]);
  await page.keyboard.press("+");
  assert.notDeepStrictEqual([...new Set(await shown(page))], [`0-${run.duration_seconds}`]);
  await page.keyboard.press("Escape");
  assert.deepStrictEqual([...new Set(await shown(page))], [`0-${run.duration_seconds}`]);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, a[href], [tabindex='0']")]
    .filter((node) => !(node.textContent.trim() || node.getAttribute("aria-label") || node.labels?.length))
    .map((node) => node.outerHTML));
  assert.deepStrictEqual(nameless, [], "everything that takes the focus has a name");
}

const names = (page) => page.locator("#process-table tbody th").allInnerTexts();
const gridNames = (page) => page.locator("#process-grid h4 .process-name").allInnerTexts();
const sortBy = (page, column) => page.locator("#process-table thead button", { hasText: column }).click();

async function checkTable(page, { run }) {
  const all = run.services.map((process) => process.name);
  assert.deepStrictEqual(await names(page), all);
  assert.deepStrictEqual(await gridNames(page), all);

  await page.fill("#filter", "HIST");
  const some = all.filter((name) => name.includes("hist"));
  assert.ok(some.length > 0 && some.length < all.length);
  assert.deepStrictEqual(await names(page), some);
  assert.deepStrictEqual(await gridNames(page), some);
  await page.fill("#filter", "");

  await page.check("#only-noted");
  const blamed = new Set(run.assertions.filter((one) => !one.holds).flatMap((one) => one.processes));
  const noted = run.services.filter((process) => blamed.has(process.name) || process.empty_events > 0 ||
    process.work_failed > 0 || process.end === "down");
  assert.deepStrictEqual(await names(page), noted.map((process) => process.name));
  await page.uncheck("#only-noted");

  const byCallers = [...run.services].sort((a, b) => a.wait_seconds.count - b.wait_seconds.count);
  await sortBy(page, "callers");
  assert.deepStrictEqual(await names(page), byCallers.map((process) => process.name));
  assert.strictEqual(await page.locator("th[aria-sort=ascending]").count(), 1);
  await sortBy(page, "callers");
  assert.deepStrictEqual(await gridNames(page), byCallers.reverse().map((process) => process.name));
  await sortBy(page, "process");
  const inOrder = new Intl.Collator("en", { numeric: true });
  assert.deepStrictEqual(await names(page), [...all].sort(inOrder.compare));
}

// A mark for what did not hold, and none for what was wanted.
async function checkProcessMarks(page, { run }) {
  const mark = (name) => page.locator("#process-table tbody tr", { has: page.getByText(name, { exact: true }) })
    .locator(".mark");
  for (const assertion of run.assertions.filter((one) => !one.holds)) {
    for (const name of assertion.processes) {
      assert.strictEqual(await mark(name).getAttribute("class"), "mark bad", name);
      assert.match(await mark(name).getAttribute("title"), new RegExp(`failed .*${assertion.name}`));
    }
  }
  for (const { name } of run.services.filter((process) => process.end === "drained")) {
    assert.strictEqual(await mark(name).getAttribute("title"), "drained as planned");
    assert.strictEqual(await mark(name).getAttribute("class"), "mark good", name);
  }
  if (!run.broken_promise) return;
  const { process: name, promise } = run.broken_promise;
  assert.strictEqual(await mark(name).getAttribute("title"), `broke promise ${promise}`);
}

async function checkDialog(page, { run, series }) {
  const opener = page.locator("#process-table .process-name", { hasText: "matching" }).first();
  const name = await opener.innerText();
  await opener.focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  assert.strictEqual((await page.innerText("#dialog-title")).endsWith(name), true);
  await page.waitForSelector("dialog[open] canvas");
  const ready = await page.evaluate(() => [...forebayReport.timeline.plots]
    .find((plot) => plot.figure.closest("dialog")).lines.find((line) => line.label === "ready").values);
  assert.deepStrictEqual(ready, series.get(name).size);
  const facts = await page.innerText("dialog .facts");
  const process = run.services.find((one) => one.name === name);
  assert.ok(facts.replaceAll(",", "").includes(String(process.acquired)), "the dialog shows the final counters");
  await page.locator("dialog button", { hasText: "Next" }).click();
  assert.notStrictEqual(await page.innerText("#dialog-title"), name);
  await page.keyboard.press("Escape");
  assert.strictEqual(await page.locator("dialog[open]").count(), 0);
  assert.strictEqual(await page.evaluate(() => document.activeElement.textContent), name, "the focus is back");
  assert.strictEqual(await page.evaluate(() => [...forebayReport.timeline.plots]
    .filter((plot) => !plot.figure.isConnected).length), 0, "nothing of the dialog is left");
}

module.exports = { checkCursor, checkDialog, checkKeyboard, checkProcessMarks, checkTable };
