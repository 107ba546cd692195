// Numbers and times as people read them.

const grouping = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

function count(number) {
  return grouping.format(number);
}

// "1 caller", "44 callers".
function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

// A length of time: three digits and a unit.
function lengthText(seconds) {
  if (seconds === null || seconds === undefined) return "never";
  if (seconds === 0) return "0 s";
  const units = [[60, "min"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [size, unit] = units.find(([size]) => seconds >= (size === 60 ? 120 : size)) ?? units.at(-1);
  return `${Number((seconds / size).toPrecision(3))} ${unit}`;
}

// How long somebody waited. A caller that finds a connection ready waits no virtual time at all.
function waitText(seconds) {
  return seconds === 0 ? "at once" : lengthText(seconds);
}

const isLong = run.duration_seconds >= 3600;

// A moment of virtual time: 12:34, or 1:02:03 in a run of hours. Parts of a second only where wanted.
function timeText(seconds, decimals = 0) {
  const whole = Number(seconds.toFixed(decimals));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const rest = (whole % 60).toFixed(decimals).padStart(decimals > 0 ? 3 + decimals : 2, "0");
  return isLong ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}`
    : `${hours * 60 + minutes}:${rest}`;
}

const timeUnit = isLong ? "h:min:s" : "min:s";

// discard reasons and kinds of faults, without their underscores.
function plainName(name) {
  return name.replaceAll("_", " ");
}
