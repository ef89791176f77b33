// The toy BERT of Chapter 5: one attention layer with one head, and the tied table of words.

const TOY_EPS = 1e-12;

/** Compute x @ weight, without a bias: the toy keeps its matrices as Chapter 2 writes them. */
function times(x, weight) {
  const [seq, width] = x.shape; // x (seq, in), weight (in, out)
  const out = weight.shape[1];
  const y = zeros(seq, out);
  for (let row = 0; row < seq; row++) {
    for (let column = 0; column < out; column++) {
      let sum = 0;
      for (let i = 0; i < width; i++) {
        sum += x.data[row * width + i] * weight.data[i * out + column];
      }
      y.data[row * out + column] = sum;
    }
  }
  return y; // (seq, out)
}

/** Add the vector of each word and the vector of its position. */
function toyEmbeddings(inputIds, { tensor }) {
  const [words, positions] = [tensor("word_embeddings"), tensor("position_embeddings")];
  const hidden = words.shape[1];
  const x = zeros(inputIds.length, hidden);
  x.data.forEach((_, n) => {
    const [position, i] = [Math.floor(n / hidden), n % hidden];
    x.data[n] = words.data[inputIds[position] * hidden + i] + positions.data[position * hidden + i];
  });
  return x; // (seq, hidden)
}

/** Score every word for every position, as ToyBert.predict(ToyBert.encode(ids)) does. */
function toyBert(model, inputIds, tokenTypeIds, options) {
  const { tensor } = model;
  const mask = additiveMask(options.attentionMask ?? inputIds.map(() => 1)); // (seq)
  const x = patch(toyEmbeddings(inputIds, model), 0, options); // (seq, hidden)
  const [query, key, value] = ["query", "key", "value"].map((name) => times(x, tensor(name)));
  const interventions = interventionsIn(0, options);
  const probs = interventions.editAttention(attentionProbs(query, key, mask, 1)); // (1, seq, seq)
  const context = interventions.editContext(mixValues(probs, value), 1); // (seq, hidden)
  const norm = { weight: tensor("norm.weight"), bias: tensor("norm.bias") };
  const states = patch(layerNorm(add(context, x), norm, TOY_EPS), 1, options);
  const refined = times(states, tensor("dense"));
  refined.data.forEach((number, n) => {
    refined.data[n] = ACTIVATIONS.gelu(number + tensor("dense_bias").data[n % refined.shape[1]]);
  });
  const table = { weight: tensor("word_embeddings"), bias: tensor("vocab_bias") };
  const logits = linear(refined, table); // (seq, vocab)
  return { logits, nextSentence: null, attentions: [probs], hiddenStates: [x, states] };
}

/** The toy's tokenizer: one word, one id, and an unknown word is named. */
class WordTokenizer {
  constructor(pieces) {
    this.pieces = pieces;
    this.vocab = new Map(pieces.map((piece, id) => [piece, id]));
  }

  encode(text) {
    const inputIds = text
      .split(" ")
      .filter(Boolean)
      .map((word) => this.idOf(word));
    return { inputIds, tokenTypeIds: inputIds.map(() => 0) };
  }

  idOf(word) {
    if (!this.vocab.has(word)) throw new Error(`the model does not know the word '${word}'`);
    return this.vocab.get(word);
  }
}
