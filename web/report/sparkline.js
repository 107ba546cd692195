// A process in the width of a word: ready over time, against its target.

const sparklines = [];

function drawSparkline(canvas, series) {
  const [width, height] = [120, 26];
  const scale = Math.max(devicePixelRatio || 1, 1);
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const at = series.at;
  const [from, to] = timeline.whole;
  const highest = Math.max(largest(series.get("ready")), largest(series.get("target")), 1);
  const line = (values, name, dash) => {
    context.beginPath();
    context.setLineDash(dash);
    context.strokeStyle = colour(name);
    context.lineWidth = 1.25;
    for (let i = 0; i < values.length; ++i) {
      const x = ((at[i] - from) / (to - from)) * width;
      const y = height - 2 - (values[i] / highest) * (height - 4);
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  };
  line(series.get("target"), "limit", [2, 2]);
  line(series.get("ready"), "ready", []);
}

function sparkline(process) {
  const canvas = element("canvas.sparkline", { role: "img", "aria-label": "ready over time, against the target" });
  sparklines.push(() => drawSparkline(canvas, process.series));
  return canvas;
}

function drawSparklines() {
  for (const draw of sparklines) draw();
}

onTheme(drawSparklines);
