// What a page should show, from the CSV and the JSON that lie beside it.
"use strict";

const fs = require("fs");

// Fields in quotes may hold commas and quotes; no name of the samples has a line break.
function fields(line) {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
    .map(([, quoted, plain]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')));
}

// By process: { size: [...], in_use: [...] ... }, and under "all" the sums.
function readSeries(path) {
  const [head, ...lines] = fs.readFileSync(path, "utf8").trimEnd().split("\n");
  const names = fields(head);
  const series = new Map([["all", {}]]);
  const places = new Map();
  for (const line of lines) {
    const row = fields(line);
    const [time, process] = row;
    if (!places.has(time)) places.set(time, places.size);
    if (!series.has(process)) series.set(process, {});
    for (const [i, name] of names.entries()) {
      if (i < 2) continue;
      (series.get(process)[name] ??= []).push(Number(row[i]));
      const sums = (series.get("all")[name] ??= []);
      sums[places.get(time)] = (sums[places.get(time)] ?? 0) + Number(row[i]);
    }
  }
  return series;
}

function readExpected(path) {
  return { run: JSON.parse(fs.readFileSync(`${path}.json`, "utf8")), series: readSeries(`${path}.csv`) };
}

module.exports = { readExpected };
