// The table of services: filtered, sorted, and with a verdict for each.

// What a service makes people look at, the worst first.
function serviceNote(service) {
  if (service.converged_after_seconds === null) return ["bad", "never reached its target"];
  if (service.timeouts > 0) return ["notice", `${counted(service.timeouts, "caller")} went away with nothing`];
  if (!service.up) return ["notice", "down at the end"];
  if (service.empty_events > 0) {
    return ["notice", `${counted(service.empty_events, "caller")} found nothing ready`];
  }
  return ["good", "nothing to note"];
}

const noteRank = { bad: 0, notice: 1, good: 2 };
for (const service of services) {
  [service.note, service.noteText] = serviceNote(service);
  service.discarded = sum(Object.values(service.discards));
}

// What is missing is sorted last, whichever way.
const serviceColumns = [
  { name: "verdict", key: (s) => noteRank[s.note], cell: (s) => verdictMark(s.note, s.noteText) },
  { name: "service", key: (s) => s.name, isName: true },
  { name: "ready over time", cell: sparkline },
  { name: "target", unit: "connections", key: (s) => s.target },
  { name: "at target after", key: (s) => s.converged_after_seconds, text: lengthText },
  { name: "callers", key: (s) => s.wait_seconds.count },
  { name: "empty events", key: (s) => s.empty_events },
  { name: "timeouts", key: (s) => s.timeouts },
  { name: "wait p50", key: (s) => s.wait_seconds.p50, text: waitText },
  { name: "wait p99", key: (s) => s.wait_seconds.p99, text: waitText },
  { name: "longest wait", key: (s) => s.wait_seconds.longest, text: waitText },
  { name: "opened", unit: "connections", key: (s) => s.opened },
  { name: "discarded", unit: "connections", key: (s) => s.discarded },
];

const serviceOrder = { column: null, isUp: true };
const namesInOrder = new Intl.Collator("en", { numeric: true });

function compareServices(a, b) {
  if (!serviceOrder.column) return a.index - b.index;
  const [left, right] = [serviceOrder.column.key(a), serviceOrder.column.key(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null) || a.index - b.index;
  const order = typeof left === "string" ? namesInOrder.compare(left, right) : left - right;
  return (serviceOrder.isUp ? order : -order) || a.index - b.index;
}

function serviceRow(service) {
  const cells = serviceColumns.map((column) => {
    if (column.isName) {
      const open = element("button.service-name", { type: "button", title: `Plots of ${service.name}` }, service.name);
      open.addEventListener("click", () => openService(service));
      return element("th", { scope: "row" }, open);
    }
    if (column.cell) return element("td", {}, column.cell(service));
    return element("td.number", {}, (column.text ?? count)(column.key(service)));
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
    serviceOrder.isUp = serviceOrder.column === column ? !serviceOrder.isUp : true;
    serviceOrder.column = column;
    for (const { head } of serviceColumns) head.removeAttribute("aria-sort");
    cell.setAttribute("aria-sort", serviceOrder.isUp ? "ascending" : "descending");
    showServices();
  });
  cell.append(button);
  return cell;
}

// The services that the filter leaves, in the order of the table. Rows and small plots follow it.
function chosenServices() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const isOnlyNoted = byId("only-noted").checked;
  return services
    .filter((service) => service.name.toLowerCase().includes(wanted) && !(isOnlyNoted && service.note === "good"))
    .sort(compareServices);
}

function showServices() {
  const chosen = chosenServices();
  byId("service-table").tBodies[0].replaceChildren(...chosen.map((service) => service.row));
  byId("filter-count").textContent = chosen.length === services.length
    ? counted(services.length, "service") : `${chosen.length} of ${counted(services.length, "service")}`;
  showServiceGrid(chosen);
}

function startServices() {
  for (const column of serviceColumns) column.head = headCell(column);
  byId("service-table").tHead.append(element("tr", {}, ...serviceColumns.map((column) => column.head)));
  for (const service of services) service.row = serviceRow(service);
  drawSparklines();
  byId("filter").addEventListener("input", showServices);
  byId("only-noted").addEventListener("change", showServices);
  byId("services-note").textContent = "Press a name for all plots of that service." + (page.every > 1
    ? ` To keep the page small, series of single services hold every ${page.every}th sample; the CSV has all.` : "");
  showServices();
}
