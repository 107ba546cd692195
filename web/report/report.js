// Puts the page together.

startTheme();
showSummary();
showVerdicts();
showCluster();
startProcessGrid();
startProcesses();
startProcessDialog();
startPrint();
byId("reset-zoom").addEventListener("click", () => timeline.reset());
byId("foot").append(element("p", {}, "Made by ", element("code", {}, "forebay sim"),
  ". Virtual time; the pools are those that run in production. To see this run again: ",
  element("code", {}, run.replay)));
// For the browser's console, and for tests.
window.forebayReport = { page, timeline, processes };
