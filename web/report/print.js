// On paper, and in a PDF: every plot, as wide as a page, in light colours; and then as it was.

let themeOnScreen = null;

function startPrint() {
  const root = document.documentElement;
  addEventListener("beforeprint", () => {
    themeOnScreen ??= root.dataset.theme;
    root.classList.add("on-paper");
    setTheme("light");
    for (const plot of timeline.plots) plot.drawForPaper();
  });
  addEventListener("afterprint", () => {
    root.classList.remove("on-paper");
    setTheme(themeOnScreen);
    themeOnScreen = null;
    for (const plot of timeline.plots) plot.resize();
  });
}
