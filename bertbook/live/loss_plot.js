// Losses on a logarithmic scale, between the lines of the ladder. Chapter 5.

const [PLOT_HEIGHT, TOP_LOSS, BOTTOM_LOSS, LABEL_GAP] = [280, 6, 0.05, 16];

/** Turn a share of the steps and a loss into a point of the drawing. */
function pointAt(share, loss, width) {
  const height = Math.log(loss / BOTTOM_LOSS) / Math.log(TOP_LOSS / BOTTOM_LOSS);
  const y = PLOT_HEIGHT * (1 - Math.min(Math.max(height, 0), 1));
  return [width * share, y].map((a) => a.toFixed(1));
}

/** Push labels apart that stand too close to the one above. */
function spread(heights) {
  let last = -Infinity;
  return heights.map((y) => (last = Math.max(y, last + LABEL_GAP)));
}

/** Draw the lines that a loss is held against, from the highest to the lowest. */
function drawLadder(ladder, width) {
  const lines = Object.entries(ladder).sort((a, b) => b[1] - a[1]);
  const heights = lines.map(([, loss]) => +pointAt(0, loss, width)[1]);
  const labels = spread(heights);
  return lines.flatMap(([name, loss], n) => {
    const [y1, y2] = [heights[n], heights[n]];
    const line = { x1: 0, x2: width, y1, y2, stroke: "currentColor" };
    const text = { x: width + 8, y: labels[n] + 4, fill: "currentColor", "font-size": 14 };
    const dashes = { "stroke-dasharray": "4 4", "stroke-opacity": 0.5 };
    return [
      svgElement("line", { ...line, ...dashes }),
      svgElement("text", text, `${name} ${loss.toFixed(loss < 1 ? 3 : 2)}`),
    ];
  });
}

/** Draw a loss over a whole training as a line. */
function drawCurve(losses, width, look, steps = losses.length - 1, first = 0) {
  const points = losses.map((loss, n) => pointAt((n + first) / steps, loss, width).join());
  return svgElement("polyline", { points: points.join(" "), fill: "none", ...look });
}

/** Draw trainings of the record, pale: they are there before anything is learned. */
function drawRecord(record, width) {
  const dashes = ["none", "6 4"];
  return Object.values(record).map((losses, n) => {
    const pale = { stroke: "currentColor", "stroke-opacity": 0.45, "stroke-width": 1.5 };
    return drawCurve(losses, width, { ...pale, "stroke-dasharray": dashes[n] });
  });
}

/** Draw the losses so far: a line for the batches, dots for all hidden words at once. */
function drawLosses({ losses, exhaustive, steps, width }) {
  const line = drawCurve(losses, width, { stroke: "#2f7ec4", "stroke-width": 1.5 }, steps, 1);
  const dots = exhaustive.map(([step, loss]) => {
    const [cx, cy] = pointAt(step / steps, loss, width);
    return svgElement("circle", { cx, cy, r: 4, fill: "#c8681e" });
  });
  return [line, ...dots];
}
