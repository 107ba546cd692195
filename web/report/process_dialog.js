// All plots of one process, in a dialog with ways to the next and the one before.

let dialogPlots = [];

function processPlots(process) {
  const series = process.series;
  const more = { downTimes: downTimes(series) };
  const plot = (title, note, lines) => new Plot({ title, unit: "connections", note, at: series.at, lines, ...more });
  const hasLeases = largest(series.get("held")) > 0;
  return [
    plot("Connections", "Where its connections are, and how many it wants ready.", connectionLines(series)),
    plot("Opening and closing", "Connects a second; and connections that are being cleaned or closed.", [
      { label: "opened/s", colour: "opening", values: series.perSecond("opened") },
      { label: "failed/s", colour: "bad", values: series.perSecond("failed") },
      { label: "cleaning", colour: "waiting", values: series.get("cleaning") },
      { label: "closing", colour: "lent", values: series.get("closing") },
      ...(hasLeases ? [{ label: "leases", colour: "lease", values: series.get("held") }] : []),
    ]),
    callerPlot(series, "Callers", more),
    discardPlot(series, "Discards", more),
  ];
}

function processFacts(process) {
  const facts = [
    ["target", counted(process.target, "connection")],
    ["at target after", lengthText(process.converged_after_seconds)],
    ["acquired", count(process.acquired)],
    ["empty events", count(process.empty_events)],
    ["timeouts", count(process.timeouts)],
    ["opened", count(process.opened)],
    ["connects failed", count(process.open_failures)],
    ["connects that waited for the rate", count(process.permit_waits)],
    ["callers done", `${count(process.work_completed)} of ${count(process.work_started)}`],
    ["callers failed", count(process.work_failed)],
  ];
  return element("dl.facts", {}, ...facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function closeDialogPlots() {
  for (const plot of dialogPlots) plot.remove();
  dialogPlots = [];
}

function openProcess(process) {
  const dialog = byId("process-dialog");
  const others = chosenProcesses();
  const place = others.indexOf(process);
  const to = (label, other) => element("button", {
    type: "button", disabled: !other, title: other?.name ?? null, onclick: () => openProcess(other),
  }, label);
  closeDialogPlots();
  dialogPlots = processPlots(process);
  dialog.replaceChildren(
    element("div.dialog-head", {},
      element("h2", { id: "dialog-title" }, verdictMark(process.note, process.noteText), process.name),
      element("div.dialog-buttons", {}, to("← Before", others[place - 1]), to("Next →", others[place + 1]),
        element("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close"))),
    element("p.description", {}, `${process.noteText[0].toUpperCase()}${process.noteText.slice(1)}.`),
    processFacts(process),
    element("div.plots-large", {}, ...dialogPlots.map((plot) => plot.figure),
      waitFigure(process.wait_seconds, "Waits")));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function startProcessDialog() {
  const dialog = byId("process-dialog");
  dialog.addEventListener("close", closeDialogPlots);
  // Beside it: the dialog itself is the target only where nothing of it is.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
