// All plots of one service, in a dialog with ways to the next and the one before.

let dialogPlots = [];

function servicePlots(service) {
  const series = service.series;
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

function serviceFacts(service) {
  const facts = [
    ["target", counted(service.target, "connection")],
    ["at target after", lengthText(service.converged_after_seconds)],
    ["acquired", count(service.acquired)],
    ["empty events", count(service.empty_events)],
    ["timeouts", count(service.timeouts)],
    ["opened", count(service.opened)],
    ["connects failed", count(service.open_failures)],
    ["connects that waited for the rate", count(service.permit_waits)],
    ["work completed", `${count(service.work_completed)} of ${count(service.work_started)}`],
  ];
  return element("dl.facts", {}, ...facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function closeDialogPlots() {
  for (const plot of dialogPlots) plot.remove();
  dialogPlots = [];
}

function openService(service) {
  const dialog = byId("service-dialog");
  const others = chosenServices();
  const place = others.indexOf(service);
  const to = (label, other) => element("button", {
    type: "button", disabled: !other, title: other?.name ?? null, onclick: () => openService(other),
  }, label);
  closeDialogPlots();
  dialogPlots = servicePlots(service);
  dialog.replaceChildren(
    element("div.dialog-head", {},
      element("h2", { id: "dialog-title" }, verdictMark(service.note, service.noteText), service.name),
      element("div.dialog-buttons", {}, to("← Before", others[place - 1]), to("Next →", others[place + 1]),
        element("button", { type: "button", autofocus: true, onclick: () => dialog.close() }, "Close"))),
    element("p.description", {}, `${service.noteText[0].toUpperCase()}${service.noteText.slice(1)}.`),
    serviceFacts(service),
    element("div.plots-large", {}, ...dialogPlots.map((plot) => plot.figure),
      waitFigure(service.wait_seconds, "Waits")));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function startServiceDialog() {
  const dialog = byId("service-dialog");
  dialog.addEventListener("close", closeDialogPlots);
  // Beside it: the dialog itself is the target only where nothing of it is.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
