// The head of the page: what was run, whether it held, a broken promise, and the figures that people ask for
// first.

function runVerdict() {
  const failed = run.assertions.filter((assertion) => !assertion.holds).length;
  const all = run.assertions.length;
  if (run.broken_promise) {
    const { promise, when_seconds: when } = run.broken_promise;
    return ["bad", `Promise ${promise} was broken`, `The run ended there, at ${timeText(when, 3)}.`];
  }
  const rest = `Every promise was kept.${failedCallers()}`;
  if (failed > 0) return ["bad", `${failed} of ${counted(all, "assertion")} failed`, rest];
  if (all === 0) {
    return ["good", "Every promise was kept", `The scenario asserts nothing more.${failedCallers()}`];
  }
  return ["good", all === 1 ? "The assertion holds" : `All ${all} assertions hold`, rest];
}

// What holds, holds of pools; who failed meanwhile is said beside it.
function failedCallers() {
  const { started, failed } = run.callers;
  return failed > 0 ? ` ${count(failed)} of ${counted(started, "caller")} failed.` : "";
}

function summaryHead() {
  const [kind, verdict, rest] = runVerdict();
  const facts = [
    ["processes", count(processes.length)],
    ["virtual time", `${timeText(run.duration_seconds)} ${timeUnit}`],
    ["sampled every", lengthText(run.sample_seconds)],
    ["events", count(run.events)],
    ["seed", page.seed],
    ["trace", run.trace_hash],
  ];
  return [
    element("h1", {}, run.scenario),
    run.description ? element("p.description", {}, run.description) : null,
    element("dl.facts", {}, ...facts.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
    element(`p.verdict.${kind}`, { role: "status" }, verdictMark(kind, kind === "good" ? "holds:" : "fails:"),
      element("strong", {}, verdict), element("span", {}, rest)),
  ];
}

function brokenPromise(broken) {
  const command = run.replay;
  return element("article.broken", { "aria-labelledby": "broken-title" },
    element("h2", { id: "broken-title" }, broken.what),
    element("dl.facts", {},
      element("div", {}, element("dt", {}, "when"), element("dd", {}, timeButton(broken.when_seconds))),
      element("div", {}, element("dt", {}, "after event"), element("dd", {}, count(broken.event))),
      element("div", {}, element("dt", {}, "process"), element("dd", {}, broken.process || "–")),
      element("div", {}, element("dt", {}, "seed"), element("dd", {}, page.seed))),
    broken.state ? element("pre.state", { tabindex: "0", "aria-label": "State" }, broken.state) : null,
    element("p.replay", {}, element("span", {}, "See it again:"), element("code", {}, command),
      copyButton(command)));
}

function tile(label, value, rest, kind) {
  return element(kind ? `div.tile.${kind}` : "div.tile", {},
    element("dt", {}, label), element("dd", {}, element("strong", {}, value), element("span", {}, rest)));
}

function tiles() {
  const total = (name) => sum(processes.map((process) => process[name]));
  const { timeouts } = run.callers;
  const discards = sum(processes.map((process) => sum(Object.values(process.discards))));
  const cap = run.max_connections;
  const waits = run.wait_seconds;
  return element("dl.tiles", { "aria-label": "Key figures" },
    tile("most sessions", count(run.most_sessions), cap ? `of ${count(cap)} allowed` : "no cap"),
    tile("most connects in a second", count(run.most_connects_in_a_second),
      run.connects_per_second === null ? "no limit"
        : `limit ${count(run.connects_per_second)}/s, burst ${count(run.connect_burst)}`),
    tile("callers", count(run.callers.started), `${count(run.callers.failed)} failed, ${counted(timeouts, "timeout")}`,
      run.callers.failed > 0 ? "noted" : null),
    tile("wait, p99", waitText(waits.p99), `longest ${waitText(waits.longest)}`),
    tile("empty events", count(total("empty_events")), "callers who found nothing ready"),
    tile("opened", count(total("opened")), `connections, ${count(total("open_failures"))} failed`),
    tile("discarded", count(discards), "connections, for any reason"),
    tile("conflicts", count(run.conflicts), "met by transactions at commit"));
}

function showSummary() {
  byId("summary").append(...summaryHead().filter(Boolean));
  if (run.broken_promise) byId("summary").append(brokenPromise(run.broken_promise));
  byId("summary").append(tiles());
}
