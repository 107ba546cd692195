// What comes out of a printer, or as a PDF, of a page that nobody has scrolled.
"use strict";

const assert = require("assert");

// Asked when the page has made itself ready for paper, after its own listener.
function notePaper() {
  addEventListener("beforeprint", () => {
    const edge = document.querySelector("main").getBoundingClientRect().right;
    window.paper = {
      theme: document.documentElement.dataset.theme,
      wide: document.documentElement.scrollWidth,
      beyond: [...document.querySelectorAll("main *")].filter((node) => !node.closest(".unseen, .u-over, pre"))
        .filter((node) => node.getBoundingClientRect().right > edge + 1)
        .map((node) => `${node.tagName}.${node.className}`),
      blank: [...forebayReport.timeline.plots].filter((plot) => {
        if (!plot.uplot || plot.uplot.width > plot.area.clientWidth) return true;
        const canvas = plot.uplot.ctx.canvas;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        return !copy.getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part !== 0);
      }).map((plot) => plot.options.title),
    };
  });
}

// The page is fresh: most of its plots have not been seen. The PDF is left for people to look at.
async function checkPaper(page, file) {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await page.evaluate(notePaper);
  const plots = await page.evaluate(() => [...forebayReport.timeline.plots].length);
  const seen = await page.evaluate(() => [...forebayReport.timeline.plots].filter((plot) => plot.uplot).length);
  assert.ok(seen < plots, "something is left to be drawn");

  await page.pdf({ path: file, preferCSSPageSize: true });

  const paper = await page.evaluate(() => window.paper);
  assert.deepStrictEqual(paper.blank, [], "plots that are blank on paper");
  assert.deepStrictEqual(paper.beyond, [], "elements beyond the edge of the paper");
  assert.strictEqual(paper.theme, "light", "paper is white");
  assert.strictEqual(await theme(), before, "the screen is as it was");
  assert.strictEqual(await page.evaluate(() => document.documentElement.className), "");
}

module.exports = { checkPaper };
