// A map of words: their vectors seen along the two directions in which they spread the most.
// Chapter 5.

/** Take rows of a table and move their center to 0. */
function centeredRows(table, rows) {
  const width = table.shape[1];
  const x = matrix(rows.length, width);
  rows.forEach((row, i) => {
    x.data.set(table.data.subarray(row * width, (row + 1) * width), i * width);
  });
  const mean = sumOfRows(x).data.map((sum) => sum / rows.length); // (width)
  x.data.forEach((number, n) => (x.data[n] = number - mean[n % width]));
  return x; // (rows, width)
}

/** Scale a vector to length 1, once it has no share in another one. */
function unitBeside(vector, other = vector.map(() => 0)) {
  const dot = (a, b) => a.reduce((sum, number, n) => sum + number * b[n], 0);
  const share = dot(vector, other);
  const rest = vector.map((number, n) => number - share * other[n]);
  const length = Math.sqrt(dot(rest, rest)) || 1;
  return rest.map((number) => number / length);
}

/** Find the two directions by turning toward them again and again, from where they were before. */
function widestDirections(x, [first, second], turns = 30) {
  const toward = (direction) => {
    const along = product(x, { data: direction, shape: [direction.length, 1] }); // (rows, 1)
    return turnedProduct(x, along).data; // (width)
  };
  for (let turn = 0; turn < turns; turn++) {
    first = unitBeside(toward(first));
    second = unitBeside(toward(second), first);
  }
  return [first, second];
}

/** Place words of a table on a map: {points, directions}; the next map goes on from there. */
function mapOfWords(table, rows, before) {
  const x = centeredRows(table, rows);
  const row = (i) => x.data.slice(i * x.shape[1], (i + 1) * x.shape[1]);
  const directions = widestDirections(x, before ?? [row(0), row(1)]);
  const along = directions.map((data) => product(x, { data, shape: [data.length, 1] }).data);
  return { points: rows.map((_, i) => along.map((numbers) => numbers[i])), directions };
}

/** Measure by how much two boxes [left, top, right, bottom] overlap. */
function overlapOf(one, other) {
  const side = (n) => Math.min(one[n + 2], other[n + 2]) - Math.max(one[n], other[n]);
  return Math.max(side(0), 0) * Math.max(side(1), 0);
}

/** Find for each point's word a box beside it, where the least is covered: [left, top, …]. */
function roomForLabels(points, words, letter, [right, bottom]) {
  const taken = points.map(([x, y]) => [x - 5, y - 5, x + 5, y + 5]);
  const around = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];
  const spots = [1, 1.7, 2.4].flatMap((far) => around.map(([dx, dy]) => [dx * far, dy * far]));
  return points.map(([x, y], n) => {
    const [wide, high] = [0.6 * letter * words[n].length, letter];
    const boxes = spots.map(([dx, dy]) => {
      const left = x + dx * (wide / 2 + 7) - wide / 2;
      const top = y + dy * (high / 2 + 6) - high / 2;
      return [left, top, left + wide, top + high];
    });
    const inside = boxes.filter(([l, t, r, b]) => l >= 0 && t >= 0 && r <= right && b <= bottom);
    const cost = (box) => taken.reduce((sum, other) => sum + overlapOf(box, other), 0);
    const best = inside.reduce((a, b) => (cost(b) < cost(a) ? b : a), inside[0] ?? boxes[0]);
    taken.push(best);
    return best;
  });
}
