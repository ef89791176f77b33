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
