// Opens sample reports in chromium and looks at them: renders_in_chromium.js sample-program chromium folder.
// Screenshots are left in the folder.
"use strict";

const assert = require("assert");
const { execFileSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { openPage, seeEverything, withBrowser } = require("./browser.js");
const { readExpected } = require("./expected.js");
const { checkPlots, checkTheme, checkVerdicts, checkWidth } = require("./page_checks.js");
const { checkPaper } = require("./print_checks.js");
const { checkCursor, checkDialog, checkKeyboard, checkProcessMarks, checkTable } = require("./use_checks.js");

const DESK = { width: 1280, height: 800, colorScheme: "light" };
const PHONE = { width: 390, height: 844, colorScheme: "dark" };
const [program, chromium, folder] = process.argv.slice(2);

async function printSpeed(page, name) {
  const { interactive, loaded, plots } = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType("navigation");
    return {
      interactive: navigation.domInteractive,
      loaded: navigation.loadEventEnd,
      plots: forebayReport.timeline.plots.size,
    };
  });
  const size = fs.statSync(path.join(folder, `${name}.html`)).size / 1e6;
  console.log(`${name}: ${size.toFixed(2)} MB, ${plots} plots, interactive after ${interactive.toFixed(0)} ms, ` +
    `loaded after ${loaded.toFixed(0)} ms`);
}

async function check(browser, name) {
  const file = path.join(folder, `${name}.html`);
  const expected = readExpected(path.join(folder, name));

  const desk = await openPage(browser, file, DESK);
  await printSpeed(desk, name);
  await seeEverything(desk);
  await desk.screenshot({ path: path.join(folder, `${name}-desk.png`), fullPage: true });
  await checkVerdicts(desk, expected);
  const drawn = await checkPlots(desk, expected);
  await checkWidth(desk, `${name} at ${DESK.width}`);
  await checkTheme(desk, drawn);
  await checkCursor(desk, expected);
  await checkKeyboard(desk, expected);
  if (!expected.run.broken_promise) await checkTable(desk, expected);
  await checkProcessMarks(desk, expected);
  await checkDialog(desk, expected);
  assert.deepStrictEqual(desk.misdeeds, []);
  await desk.close();

  const phone = await openPage(browser, file, PHONE);
  const theme = () => phone.evaluate(() => document.documentElement.dataset.theme);
  assert.strictEqual(await theme(), "light", "what was chosen stays");
  await phone.evaluate(() => localStorage.clear());
  await phone.reload();
  assert.strictEqual(await theme(), "dark", "as the system says");
  await seeEverything(phone);
  await checkWidth(phone, `${name} at ${PHONE.width}`);
  await phone.locator("#process-table .process-name").first().click();
  await phone.waitForSelector("dialog[open] canvas");
  await checkWidth(phone, `${name} at ${PHONE.width}, a process`);
  await phone.keyboard.press("Escape");
  await phone.screenshot({ path: path.join(folder, `${name}-phone.png`), fullPage: true });
  assert.deepStrictEqual(phone.misdeeds, []);
  await phone.close();

  const printed = await openPage(browser, file, { ...DESK, colorScheme: "dark" });
  await checkPaper(printed, path.join(folder, `${name}.pdf`));
  await checkProcessWords(printed);
  assert.deepStrictEqual(printed.misdeeds, []);
  await printed.close();
}

// What the page lists are processes; "service" is the word for all replicas of one.
async function checkProcessWords(page) {
  const words = await page.evaluate(() => {
    const copy = document.body.cloneNode(true);
    for (const node of copy.querySelectorAll("script, .description")) node.remove();
    return [...copy.innerText.matchAll(/.*services?.*/gi)].map(([line]) => line);
  });
  assert.deepStrictEqual(words, []);
}

async function checkBroken(browser) {
  const { run } = readExpected(path.join(folder, "broken"));
  const page = await openPage(browser, path.join(folder, "broken.html"), DESK);
  const shown = await page.innerText(".broken");
  const { what, state, process: who } = run.broken_promise;
  // The seed is beyond what a number of JavaScript can hold, so it comes from the command.
  for (const text of [what, state, who, "912,345", "12:34.250", "18446744073709551557", run.replay]) {
    assert.ok(shown.includes(text), `the broken promise does not show "${text}"`);
  }
  assert.strictEqual(await page.innerText(".description >> nth=0"), run.description);
  assert.deepStrictEqual(page.misdeeds, []);
  await page.close();
}

// A run that ended before its first sample.
async function checkEmpty(browser) {
  const page = await openPage(browser, path.join(folder, "empty.html"), DESK);
  await seeEverything(page);
  assert.match(await page.innerText(".verdict"), /Every promise was kept/);
  assert.match(await page.innerText("#cluster-plots"), /no samples/);
  await checkWidth(page, "empty");
  assert.deepStrictEqual(page.misdeeds, []);
  await page.close();
}

async function main() {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  execFileSync(program, [folder], { stdio: "inherit" });
  await withBrowser(chromium, async (browser) => {
    for (const name of ["4", "44", "broken"]) await check(browser, name);
    await checkBroken(browser);
    await checkEmpty(browser);
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
