// Self-attention with many heads: which tokens may be looked at, which are, and what comes of it.
// Chapter 8.

const LOWEST = -3.4028234663852886e38; // the most negative number of 32 bits

/** Turn a mask of ones and zeros into numbers to add to the scores of every head and query. */
function additiveMask(attentionMask) {
  return attentionMask.map((mayLook) => (1 - mayLook) * LOWEST); // (seq)
}

/** Compute in each head softmax(query · key / √headSize + mask), row by row. */
function attentionProbs(query, key, mask, heads) {
  const [seq, hidden] = query.shape;
  const headSize = hidden / heads;
  const probs = zeros(heads, seq, seq);
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < seq; i++) {
      const scores = mask.map((hiddenFrom, j) => {
        let sum = 0;
        for (let n = head * headSize; n < (head + 1) * headSize; n++) {
          sum += query.data[i * hidden + n] * key.data[j * hidden + n];
        }
        return sum / Math.sqrt(headSize) + hiddenFrom;
      });
      probs.data.set(softmax(scores), (head * seq + i) * seq); // a row that sums to 1
    }
  }
  return probs; // (heads, seq, seq)
}

/** Mix the values by the weights of each head; the heads' contexts stand side by side. */
function mixValues(probs, value) {
  const [heads, seq] = probs.shape;
  const hidden = value.shape[1];
  const context = zeros(seq, hidden);
  for (let i = 0; i < seq; i++) {
    for (let n = 0; n < hidden; n++) {
      const row = (Math.floor((n * heads) / hidden) * seq + i) * seq; // of the head that n is in
      let sum = 0;
      for (let j = 0; j < seq; j++) sum += probs.data[row + j] * value.data[j * hidden + n];
      context.data[i * hidden + n] = sum;
    }
  }
  return context; // (seq, hidden)
}

/** Let every token look at all tokens; interventions change the weights, then the contexts. */
function bertSelfAttention(hiddenStates, mask, part, heads, interventions) {
  const [query, key, value] = ["query", "key", "value"].map(
    (name) => linear(hiddenStates, part(name)), // (seq, hidden)
  );
  const probs = interventions.editAttention(attentionProbs(query, key, mask, heads));
  const context = interventions.editContext(mixValues(probs, value), heads);
  interventions.watch("attention.self", context, probs);
  return { context, probs };
}

/** The first half of a layer: attend, mix what the heads found, add, normalize. */
function bertAttention(hiddenStates, mask, part, { heads, eps }, interventions) {
  const self = (name) => part(`self.${name}`);
  const { context, probs } = bertSelfAttention(hiddenStates, mask, self, heads, interventions);
  const mixed = add(linear(context, part("output.dense")), hiddenStates); // (seq, hidden)
  const attended = layerNorm(mixed, part("output.LayerNorm"), eps);
  interventions.watch("attention.output", attended);
  return { attended, probs };
}
