// The data of the page, and series out of the short texts that sim/series_text.hpp describes.

const page = JSON.parse(document.getElementById("data").textContent);
const run = page.run;

// "7,0*2,1" is 7, 7, 7, 8.
function decodeSeries(text) {
  const values = [];
  if (!text) return values;
  let value = 0;
  for (const item of text.split(",")) {
    const star = item.indexOf("*");
    const difference = Number(star < 0 ? item : item.slice(0, star));
    const times = star < 0 ? 1 : Number(item.slice(star + 1));
    for (let i = 0; i < times; ++i) values.push((value += difference));
  }
  return values;
}

// Series of one process, or of the cluster, decoded when somebody asks for them.
class SeriesSet {
  constructor(texts) {
    this.texts = texts;
    this.decoded = new Map();
  }

  get(name) {
    if (!this.decoded.has(name)) this.decoded.set(name, decodeSeries(this.texts[name]));
    return this.decoded.get(name);
  }

  // Seconds of virtual time.
  get at() {
    if (!this.decoded.has("seconds")) {
      this.decoded.set("seconds", this.get("at").map((microseconds) => microseconds / 1e6));
    }
    return this.decoded.get("seconds");
  }

  // Reasons that occurred, the most frequent first, with their series.
  get discards() {
    return Object.entries(this.texts.discards)
      .map(([reason, text]) => ({ reason, values: decodeSeries(text) }))
      .sort((a, b) => b.values.at(-1) - a.values.at(-1));
  }

  // What a counter grew by in each sample period.
  growth(name) {
    return this.get(name).map((value, i, all) => value - (i > 0 ? all[i - 1] : 0));
  }

  // What a counter grew by in a second, on average over each sample period.
  perSecond(name) {
    return this.averagePerSecond(this.growth(name));
  }

  averagePerSecond(counts) {
    const at = this.at;
    return counts.map((count, i) => count / (at[i] - (i > 0 ? at[i - 1] : 0) || 1));
  }
}

const cluster = new SeriesSet(page.cluster);
const processes = run.services.map((process, index) => ({
  ...process,
  index,
  series: new SeriesSet(page.services[index]),
}));

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

// The largest; 0 if there is none. Math.max cannot take this many arguments.
function largest(numbers) {
  return numbers.reduce((most, number) => (number > most ? number : most), 0);
}
