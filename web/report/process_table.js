// The table of processes: filtered, sorted, and with a verdict for each.

// What a process makes people look at, the worst first. Only what did not hold is bad; what the scenario wanted
// is nothing to note.
function processNote(process) {
  const broken = run.broken_promise;
  if (broken?.process === process.name) return ["bad", `broke promise ${broken.promise}`];
  const failed = run.assertions.filter((assertion) => !assertion.holds && assertion.processes.includes(process.name));
  if (failed.length > 0) {
    return ["bad", `failed ${[...new Set(failed.map((assertion) => assertion.name))].join(", ")}`];
  }
  if (process.end === "not_started") return ["good", "was not to start within this run"];
  if (process.converged_after_seconds === null) return ["notice", "never reached its target"];
  if (process.work_failed > 0) return ["notice", `${counted(process.work_failed, "caller")} failed`];
  if (process.end === "down") return ["notice", "down at the end"];
  if (process.empty_events > 0) {
    return ["notice", `${counted(process.empty_events, "caller")} found nothing ready`];
  }
  return ["good", process.end === "drained" ? "drained as planned" : "nothing to note"];
}

const noteRank = { bad: 0, notice: 1, good: 2 };
for (const process of processes) {
  [process.note, process.noteText] = processNote(process);
  process.discarded = sum(Object.values(process.discards));
}

// What is missing is sorted last, whichever way.
const processColumns = [
  { name: "verdict", key: (s) => noteRank[s.note], cell: (s) => verdictMark(s.note, s.noteText) },
  { name: "process", key: (s) => s.name, isName: true },
  { name: "ready over time", cell: sparkline },
  { name: "target", unit: "connections", key: (s) => s.target },
  { name: "at target after", key: (s) => s.converged_after_seconds, text: lengthText },
  { name: "callers", key: (s) => s.wait_seconds.count },
  { name: "empty events", key: (s) => s.empty_events },
  { name: "failed", unit: "callers", key: (s) => s.work_failed },
  { name: "timeouts", key: (s) => s.timeouts },
  { name: "wait p50", key: (s) => s.wait_seconds.p50, text: waitText },
  { name: "wait p99", key: (s) => s.wait_seconds.p99, text: waitText },
  { name: "longest wait", key: (s) => s.wait_seconds.longest, text: waitText },
  { name: "opened", unit: "connections", key: (s) => s.opened },
  { name: "discarded", unit: "connections", key: (s) => s.discarded },
];

const processOrder = { column: null, isUp: true };
const namesInOrder = new Intl.Collator("en", { numeric: true });

function compareProcesses(a, b) {
  if (!processOrder.column) return a.index - b.index;
  const [left, right] = [processOrder.column.key(a), processOrder.column.key(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null) || a.index - b.index;
  const order = typeof left === "string" ? namesInOrder.compare(left, right) : left - right;
  return (processOrder.isUp ? order : -order) || a.index - b.index;
}

function processRow(process) {
  const cells = processColumns.map((column) => {
    if (column.isName) {
      const open = element("button.process-name", { type: "button", title: `Plots of ${process.name}` }, process.name);
      open.addEventListener("click", () => openProcess(process));
      return element("th", { scope: "row" }, open);
    }
    if (column.cell) return element("td", {}, column.cell(process));
    return element("td.number", {}, (column.text ?? count)(column.key(process)));
  });
  return element("tr", {}, ...cells);
}

function headCell(column) {
  const cell = element(column.isName || column.cell ? "th" : "th.number", { scope: "col" });
  if (!column.key) {
    cell.append(column.name);
    return cell;
  }
  const button = element("button.sort", { type: "button" }, column.name,
    element("span.arrow", { "aria-hidden": "true" }));
  if (column.unit) button.title = column.unit;
  button.addEventListener("click", () => {
    processOrder.isUp = processOrder.column === column ? !processOrder.isUp : true;
    processOrder.column = column;
    for (const { head } of processColumns) head.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", processOrder.isUp ? "ascending" : "descending");
    showProcesses();
  });
  cell.append(button);
  return cell;
}

// The processes that the filter leaves, in the order of the table. Rows and small plots follow it.
function chosenProcesses() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const isOnlyNoted = byId("only-noted").checked;
  return processes
    .filter((process) => process.name.toLowerCase().includes(wanted) && !(isOnlyNoted && process.note === "good"))
    .sort(compareProcesses);
}

function showProcesses() {
  const chosen = chosenProcesses();
  byId("process-table").tBodies[0].replaceChildren(...chosen.map((process) => process.row));
  byId("filter-count").textContent = chosen.length === processes.length
    ? counted(processes.length, "process", "processes")
    : `${chosen.length} of ${counted(processes.length, "process", "processes")}`;
  showProcessGrid(chosen);
}

function startProcesses() {
  for (const column of processColumns) column.head = headCell(column);
  byId("process-table").tHead.append(element("tr", {}, ...processColumns.map((column) => column.head)));
  for (const process of processes) process.row = processRow(process);
  drawSparklines();
  byId("filter").addEventListener("input", showProcesses);
  byId("only-noted").addEventListener("change", showProcesses);
  byId("processes-note").textContent = "Press a name for all plots of that process." + (page.every > 1
    ? ` To keep the page small, series of single processes hold every ${page.every}th sample; the CSV has all.` : "");
  showProcesses();
}
