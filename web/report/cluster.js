// Plots of the cluster, and the lines that plots of single processes share with them.

// Each reason has one colour in all plots: the most frequent ones of the run have one of their own.
const reasonColours = new Map(cluster.discards.map(({ reason }, i) => [reason, i < 9 ? `reason-${i + 1}` : "quiet"]));

function connectionLines(series) {
  return [
    { label: "ready", colour: "ready", values: series.get("ready") },
    { label: "lent", colour: "lent", values: series.get("lent") },
    { label: "opening", colour: "opening", values: series.get("opening") },
    { label: "target", colour: "limit", values: series.get("target"), dash: true },
  ];
}

function callerPlot(series, title, more) {
  return new Plot({
    title, unit: "callers",
    note: "Callers who wait, at each sample; and how many a second found nothing ready or went away with nothing.",
    at: series.at,
    atLeast: 4,
    lines: [
      { label: "waiting", colour: "waiting", values: series.get("waiters"), fill: true },
      { label: "empty events/s", colour: "lent", values: series.perSecond("empty") },
      { label: "timeouts/s", colour: "bad", values: series.perSecond("timeouts") },
    ],
    ...more,
  });
}

function discardPlot(series, title, more) {
  const lines = series.discards.map(({ reason, values }) =>
    ({ label: plainName(reason), colour: reasonColours.get(reason) ?? "quiet", values }));
  return new Plot({
    title, unit: "connections",
    note: "Connections closed since the start, by reason, on top of each other.",
    at: series.at,
    isStacked: true,
    atLeast: 10,
    lines: stacked(lines),
    ...more,
  });
}

function connectPlot() {
  const limit = run.connects_per_second;
  const constant = (value) => cluster.at.map(() => value);
  const lines = [
    { label: "connects", colour: "ready", values: cluster.averagePerSecond(cluster.get("connects")), fill: true },
    { label: "refused", colour: "bad", values: cluster.averagePerSecond(cluster.get("refused")) },
  ];
  if (limit !== null) lines.push({ label: "limit", colour: "limit", values: constant(limit), dash: true });
  return new Plot({
    title: "Connects per second", unit: "connects per second",
    note: limit === null ? "Connects that reached the database. It sets no limit."
      : `Connects that reached the database, against its limit of ${count(limit)} a second ` +
        `(burst ${count(run.connect_burst)}).`,
    at: cluster.at,
    lines,
  });
}

function sessionPlot() {
  const cap = run.max_connections;
  const lines = [{ label: "sessions", colour: "ready", values: cluster.get("sessions"), fill: true }];
  const hasLeases = cluster.get("lease_limit").some((limit) => limit > 0);
  if (hasLeases) lines.push({ label: "leases", colour: "lease", values: cluster.get("leases") });
  if (cap !== null) {
    lines.push({ label: "cap", colour: "limit", values: cluster.at.map(() => cap), dash: true });
  }
  return new Plot({
    title: "Sessions and leases", unit: "sessions",
    note: cap === null ? "Sessions as the database counts them. It sets no cap."
      : "Sessions as the database counts them and leases as the store counts them, against the cap.",
    at: cluster.at,
    lines,
  });
}

function connectionPlot() {
  return new Plot({
    title: "Connections", unit: "connections",
    note: "Connections of all processes, and the sum of their targets.",
    at: cluster.at,
    lines: connectionLines(cluster),
  });
}

function showCluster() {
  byId("cluster-plots").append(connectPlot().figure, sessionPlot().figure, connectionPlot().figure,
    callerPlot(cluster, "Callers").figure, discardPlot(cluster, "Discards").figure,
    waitFigure(run.wait_seconds, "Waits"));
}
