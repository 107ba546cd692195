// Assertions with what was expected and seen, those that failed first; and the faults, numbered as on the time
// axes.

// On a narrow page cells stand below each other, with the names of their columns.
function rows(head, body) {
  for (const row of body) {
    for (const [i, cell] of [...row.cells].entries()) {
      if (cell.tagName === "TD" && i > 1) cell.dataset.label = `${head[i]} `;
    }
  }
  return element("table", {},
    element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...body));
}

// "assertMaxConnections" may break between its words.
function breakable(name) {
  return name.split(/(?<=[a-z])(?=[A-Z])/).flatMap((word, i) => (i > 0 ? [element("wbr"), word] : [word]));
}

function assertionRow(assertion) {
  const [kind, word] = assertion.holds ? ["good", "holds"] : ["bad", "fails"];
  return element("tr", { class: assertion.holds ? null : "failed" },
    element("td.nowrap", {}, verdictMark(kind, word), element("span", { "aria-hidden": "true" }, ` ${word}`)),
    element("th", { scope: "row" }, ...breakable(assertion.name)),
    element("td", {}, assertion.expected),
    element("td", {}, assertion.seen),
    element("td.number", {}, assertion.when_seconds === null ? "–" : timeButton(assertion.when_seconds)));
}

function faultRow(fault, index) {
  const isMoment = fault.until_seconds <= fault.at_seconds;
  return element("tr", {},
    element("td", {}, element("span.fault-number", {}, `${index + 1}`)),
    element("th", { scope: "row" }, plainName(fault.kind)),
    element("td", {}, fault.text),
    element("td.number", {}, timeButton(fault.at_seconds)),
    element("td.number", {}, isMoment ? "a moment" : lengthText(fault.until_seconds - fault.at_seconds)),
    element("td.number", {}, fault.recovered_after_seconds === null
      ? element("span.notice-text", {}, "not seen") : lengthText(fault.recovered_after_seconds)));
}

function showVerdicts() {
  const assertions = [...run.assertions].sort((a, b) => Number(a.holds) - Number(b.holds));
  const at = `at, ${timeUnit}`;
  byId("verdicts").append(
    element("div.card.assertions", {}, element("h2", {}, "Assertions"),
      assertions.length > 0
        ? element("div.table-scroll", {}, rows(["verdict", "assertion", "expected", "seen", at],
          assertions.map(assertionRow)))
        : element("p", {}, "The scenario asserts nothing.")),
    element("div.card.faults", {}, element("h2", {}, "Faults"),
      run.faults.length > 0
        ? element("div.table-scroll", {}, rows(["", "fault", "details", at, "lasts", "at target again after"],
          run.faults.map(faultRow)))
        : element("p", {}, "Nothing was made to fail.")));
}
