// What turns gradients into learning: chance from a seed, first weights, Adam. Chapters 5 and 13.

/** Make a generator of numbers from 0 to 1 that depend on the seed alone. */
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draw a matrix from a normal distribution around 0. */
function normalMatrix(random, spread, ...shape) {
  const drawn = matrix(...shape);
  drawn.data.forEach((_, n) => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    drawn.data[n] = spread * radius * Math.cos(2 * Math.PI * random());
  });
  return drawn;
}

/** Give the toy its first weights; all but the positions are the same with and without these. */
function firstWeights(random, vocab, hidden, positions, spread = 0.1) {
  const table = (...shape) => normalMatrix(random, spread, ...shape);
  const square = () => table(hidden, hidden);
  const ones = matrix(hidden);
  return {
    word_embeddings: table(vocab, hidden),
    query: square(),
    key: square(),
    value: square(),
    "norm.weight": { data: ones.data.fill(1), shape: [hidden] },
    "norm.bias": matrix(hidden),
    dense: square(),
    dense_bias: matrix(hidden),
    vocab_bias: matrix(vocab),
    position_embeddings: table(positions, hidden),
  };
}

/** Shuffle 0, 1, 2, … */
function permutation(random, length) {
  const order = Array.from({ length }, (_, n) => n);
  for (let last = length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

/** Adam: each weight moves by its mean gradient, measured by the gradient's usual size. */
class Adam {
  constructor(weights) {
    const zero = ({ shape }) => matrix(...shape);
    const names = Object.keys(weights);
    this.means = Object.fromEntries(names.map((name) => [name, zero(weights[name])]));
    this.squares = Object.fromEntries(names.map((name) => [name, zero(weights[name])]));
    this.steps = 0;
  }

  step(weights, gradients, rate) {
    this.steps++;
    const [first, second] = [1 - 0.9 ** this.steps, 1 - 0.999 ** this.steps];
    for (const [name, { data }] of Object.entries(weights)) {
      const [mean, square] = [this.means[name].data, this.squares[name].data];
      gradients[name].data.forEach((gradient, n) => {
        mean[n] = 0.9 * mean[n] + 0.1 * gradient;
        square[n] = 0.999 * square[n] + 0.001 * gradient * gradient;
        data[n] -= (rate * (mean[n] / first)) / (Math.sqrt(square[n] / second) + 1e-8);
      });
    }
  }
}

/** Hide every word of every sentence once: ids, position of [MASK], the id that stood there. */
function hideEveryWord(encoded, maskId) {
  return encoded.flatMap((sentence) =>
    sentence.map((label, position) => ({ ids: sentence.with(position, maskId), position, label })),
  );
}

/** The training of Chapter 5 in batches: 128 hidden words a step, the rate falls from 0.01 to 0. */
class ToyTraining {
  constructor(hiddenWords, { vocab, hidden, positions, steps, seed }, weights) {
    Object.assign(this, { hiddenWords, steps, step: 0, random: chance(-1 - seed) });
    this.weights = weights ?? firstWeights(chance(seed), vocab, hidden, positions);
    this.adam = new Adam(this.weights);
  }

  /** Learn from one batch, drawn here if none is given; return its loss. */
  learn(batch = this.drawBatch()) {
    const rate = (0.01 * (1 + Math.cos((Math.PI * this.step) / this.steps))) / 2;
    const { loss, gradients } = lossAndGradients(this.weights, batch);
    this.adam.step(this.weights, gradients, rate);
    this.step++;
    return loss;
  }

  drawBatch() {
    const order = permutation(this.random, this.hiddenWords.length);
    return order.slice(0, 128).map((number) => this.hiddenWords[number]);
  }

  /** The mean loss over all hidden words. */
  exhaustiveLoss() {
    return maskedLoss(toyForward(this.weights, this.hiddenWords).logits, this.hiddenWords).loss;
  }

  /** The likeliest answers for a hidden word: ids and probabilities. */
  answers(hiddenWord, count = 3) {
    const probs = softmax(toyForward(this.weights, [hiddenWord]).logits.data);
    const ranked = Array.from(probs, (prob, id) => [id, prob]).sort((a, b) => b[1] - a[1]);
    return ranked.slice(0, count);
  }
}
