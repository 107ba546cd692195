// Debian's chromium with a fresh profile, and pages in it that note whatever a report must not do: write to
// the console, throw, or ask the network for anything.
"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");
const { chromium } = require(path.join(__dirname, "../../web/node_modules/playwright-core"));

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

async function withBrowser(executablePath, action) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "forebay-report-"));
  const browser = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS });
  try {
    await action(browser);
  } finally {
    await browser.close();
    fs.rmSync(profile, { recursive: true, force: true });
  }
}

// A page with `misdeeds`, which must be empty at the end.
async function openPage(browser, file, { width, height, colorScheme }) {
  const page = await browser.newPage();
  page.misdeeds = [];
  page.on("console", (message) => page.misdeeds.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => page.misdeeds.push(`error: ${error.stack}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) page.misdeeds.push(`request: ${request.url()}`);
  });
  // Names and descriptions of the broken sample call this, if they ever become scripts.
  await page.exposeFunction("fail", (what) => page.misdeeds.push(`a text became a script: ${what}`));
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.goto(`file://${file}`);
  return page;
}

// Scrolls over the page, so that every plot is drawn.
async function seeEverything(page) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < height; y += 600) {
    await page.evaluate(async (top) => {
      scrollTo(0, top);
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }, y);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForFunction(() => [...forebayReport.timeline.plots].every((plot) => plot.uplot));
}

module.exports = { openPage, seeEverything, withBrowser };
