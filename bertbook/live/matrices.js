// Products of matrices, as training needs them: plain, and with either side turned. Chapters 2, 4.
//
// Training counts with 64 bits, as Chapter 5 does.

/** Make a matrix, or a row of numbers, of zeros. */
function matrix(...shape) {
  return { data: new Float64Array(shape.reduce((a, b) => a * b, 1)), shape };
}

/** Compute a @ b. */
function product(a, b) {
  const [rows, inner] = a.shape; // a (rows, inner), b (inner, columns)
  const columns = b.shape[1];
  const y = matrix(rows, columns);
  for (let row = 0; row < rows; row++) {
    const sums = y.data.subarray(row * columns, (row + 1) * columns);
    for (let i = 0; i < inner; i++) addRow(sums, b.data, i * columns, a.data[row * inner + i]);
  }
  return y; // (rows, columns)
}

/** Add a multiple of a row, which begins somewhere in a longer one, to sums. */
function addRow(sums, numbers, begin, factor) {
  for (let n = 0; n < sums.length; n++) sums[n] += factor * numbers[begin + n];
}

/** Compute a @ b.T. */
function productWithTurned(a, b) {
  return product(a, turned(b)); // a (rows, inner), b (columns, inner), result (rows, columns)
}

/** Compute a.T @ b. */
function turnedProduct(a, b) {
  return product(turned(a), b); // a (inner, rows), b (inner, columns), result (rows, columns)
}

/** Turn rows into columns. */
function turned(a) {
  const [rows, columns] = a.shape;
  const y = matrix(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let n = 0; n < columns; n++) y.data[n * rows + row] = a.data[row * columns + n];
  }
  return y; // (columns, rows)
}

/** Sum the rows of a matrix. */
function sumOfRows(a) {
  const columns = a.shape[1];
  const y = matrix(columns);
  a.data.forEach((number, n) => (y.data[n % columns] += number));
  return y; // (columns)
}

/** Add a row of numbers to each row of a matrix. */
function withBias(a, bias) {
  const columns = a.shape[1];
  return { data: a.data.map((number, n) => number + bias.data[n % columns]), shape: a.shape };
}

/** Add b to a, in place. */
function addTo(a, b) {
  b.data.forEach((number, n) => (a.data[n] += number));
}
