// Arrays of numbers, and the four things that an encoder does with them. Chapters 2 and 9.
//
// An array is {data, shape}: the numbers row by row, and how many there are in each direction.
// Sums are taken with 64 bits and stored with 32, as JavaScript does by itself.

/** Make an array of zeros, for example zeros(seq, hidden). */
function zeros(...shape) {
  const size = shape.reduce((count, length) => count * length, 1);
  return { data: new Float32Array(size), shape };
}

/** Compute x @ weight.T + bias, with weight and bias as torch.nn.Linear keeps them. */
function linear(x, { weight, bias }) {
  const [seq, width] = x.shape; // x (seq, in), weight (out, in), bias (out)
  const [out] = weight.shape;
  const y = zeros(seq, out);
  for (let row = 0; row < seq; row++) {
    const input = x.data.subarray(row * width, (row + 1) * width);
    for (let column = 0; column < out; column++) {
      const begin = column * width;
      let sum = bias.data[column];
      for (let i = 0; i < width; i++) sum += input[i] * weight.data[begin + i];
      y.data[row * out + column] = sum;
    }
  }
  return y; // (seq, out)
}

/** Add two arrays of one shape, number by number. */
function add(x, y) {
  return { data: x.data.map((number, i) => number + y.data[i]), shape: x.shape };
}

/** Turn scores into shares that are positive and sum to 1. */
function softmax(scores) {
  const largest = scores.reduce((a, b) => Math.max(a, b), -Infinity); // else exp is too large
  const powers = Array.from(scores, (score) => Math.exp(score - largest));
  const total = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / total);
}

/** Give each row mean 0 and variance 1, then scale and shift each column. */
function layerNorm(x, { weight, bias }, eps) {
  const [seq, hidden] = x.shape;
  const y = zeros(seq, hidden);
  for (let row = 0; row < seq; row++) {
    const numbers = x.data.subarray(row * hidden, (row + 1) * hidden);
    const mean = numbers.reduce((a, b) => a + b, 0) / hidden;
    const variance = numbers.reduce((sum, a) => sum + (a - mean) ** 2, 0) / hidden;
    const scale = 1 / Math.sqrt(variance + eps);
    for (let i = 0; i < hidden; i++) {
      y.data[row * hidden + i] = (numbers[i] - mean) * scale * weight.data[i] + bias.data[i];
    }
  }
  return y; // (seq, hidden)
}

/** The error function: 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1 · 3 · … · (2n + 1)). */
function erf(x) {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term; // all terms have one sign, so nothing cancels
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

const ACTIVATIONS = {
  gelu: (x) => (x / 2) * (1 + erf(x / Math.SQRT2)),
  gelu_new: (x) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  relu: (x) => Math.max(0, x),
};

/** Apply an activation to every number. */
function activate(x, name) {
  return { data: x.data.map(ACTIVATIONS[name]), shape: x.shape };
}
