// The toy of Chapter 5 learns: its forward pass for a batch, and every gradient by hand.
//
// Only the word behind [MASK] is predicted, so only its row is computed. And (x Wk) q = x (Wk q):
// turning one query costs less than turning every key. The same numbers, far fewer products.

/** Look up the vectors of all words of a sentence, [MASK] among them. */
function wordVectors({ ids }, { word_embeddings, position_embeddings }) {
  const hidden = word_embeddings.shape[1];
  const x = matrix(ids.length, hidden);
  ids.forEach((id, position) => {
    for (let i = 0; i < hidden; i++) {
      x.data[position * hidden + i] = word_embeddings.data[id * hidden + i];
    }
  });
  if (position_embeddings.shape[0]) {
    x.data.forEach((_, n) => (x.data[n] += position_embeddings.data[n]));
  }
  return x; // (seq, hidden)
}

/** Let each [MASK] look: u says what it looks for, the mean of what it sees comes back. */
function look(inputs, u) {
  const hidden = u.shape[1];
  const seen = matrix(...u.shape);
  const probs = inputs.map((x, row) => {
    const wanted = { data: u.data.subarray(row * hidden, (row + 1) * hidden), shape: [1, hidden] };
    const scores = productWithTurned(wanted, x).data.map((score) => score / Math.sqrt(hidden));
    const weights = { data: Float64Array.from(softmax(scores)), shape: [1, scores.length] };
    seen.data.set(product(weights, x).data, row * hidden);
    return weights; // (1, seq)
  });
  return { probs, seen }; // seen (batch, hidden)
}

/** Normalize each row; keep what the way back needs. */
function normalizeRows(x, eps) {
  const [rows, hidden] = x.shape;
  const normal = matrix(rows, hidden);
  const scales = matrix(rows);
  for (let row = 0; row < rows; row++) {
    const numbers = x.data.subarray(row * hidden, (row + 1) * hidden);
    const mean = numbers.reduce((a, b) => a + b, 0) / hidden;
    const variance = numbers.reduce((sum, a) => sum + (a - mean) ** 2, 0) / hidden;
    scales.data[row] = 1 / Math.sqrt(variance + eps);
    normal.data.set(
      numbers.map((a) => (a - mean) * scales.data[row]),
      row * hidden,
    );
  }
  return { normal, scales };
}

/** Compute the logits of the hidden words of a batch, and all that the way back needs. */
function toyForward(w, hiddenWords) {
  const hidden = w.word_embeddings.shape[1];
  const inputs = hiddenWords.map((hiddenWord) => wordVectors(hiddenWord, w));
  const masked = matrix(hiddenWords.length, hidden); // the rows of [MASK]
  hiddenWords.forEach(({ position }, row) => {
    const begin = position * hidden;
    masked.data.set(inputs[row].data.subarray(begin, begin + hidden), row * hidden);
  });
  const query = product(masked, w.query); // (batch, hidden)
  const u = productWithTurned(query, w.key); // (batch, hidden)
  const { probs, seen } = look(inputs, u);
  const context = product(seen, w.value); // (batch, hidden)
  addTo(context, masked); // the residual
  const { normal, scales } = normalizeRows(context, 1e-12);
  const scaled = normal.data.map((a, n) => a * w["norm.weight"].data[n % hidden]);
  const states = withBias({ data: scaled, shape: normal.shape }, w["norm.bias"]);
  const inner = withBias(product(states, w.dense), w.dense_bias);
  const refined = {
    data: inner.data.map((a) => (a / 2) * (1 + erf(a / Math.SQRT2))),
    shape: inner.shape,
  };
  const logits = withBias(productWithTurned(refined, w.word_embeddings), w.vocab_bias);
  return { inputs, masked, query, u, probs, seen, normal, scales, states, inner, refined, logits };
}

/** Compute the mean loss, and its gradient at the logits: (probs − truth) / batch. */
function maskedLoss(logits, hiddenWords) {
  const [batch, vocab] = logits.shape;
  const gradient = matrix(batch, vocab);
  let loss = 0;
  hiddenWords.forEach(({ label }, row) => {
    const probs = softmax(logits.data.subarray(row * vocab, (row + 1) * vocab));
    loss -= Math.log(probs[label]) / batch;
    probs[label] -= 1;
    gradient.data.set(
      probs.map((a) => a / batch),
      row * vocab,
    );
  });
  return { loss, gradient };
}

/** The slope of GELU: Φ(x) + x φ(x). */
function geluSlope(x) {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  return (1 + erf(x / Math.SQRT2)) / 2 + x * density;
}

/** The way back through LayerNorm: what a common shift or a common scale would do is taken out. */
function normalizeBackward(gradient, normal, scales) {
  const [rows, hidden] = normal.shape;
  const back = matrix(rows, hidden);
  for (let row = 0; row < rows; row++) {
    const [from, to] = [row * hidden, (row + 1) * hidden];
    const [g, n] = [gradient.data.subarray(from, to), normal.data.subarray(from, to)];
    const mean = g.reduce((a, b) => a + b, 0) / hidden;
    const along = g.reduce((sum, a, i) => sum + a * n[i], 0) / hidden;
    back.data.set(
      g.map((a, i) => scales.data[row] * (a - mean - n[i] * along)),
      from,
    );
  }
  return back; // (batch, hidden)
}

/** The way back through the head: from the logits to the vectors out of LayerNorm. */
function headBackward(w, kept, gradient, gradients) {
  gradients.word_embeddings = turnedProduct(gradient, kept.refined); // where words are scored
  gradients.vocab_bias = sumOfRows(gradient);
  const refined = product(gradient, w.word_embeddings); // (batch, hidden)
  const slopes = refined.data.map((a, n) => a * geluSlope(kept.inner.data[n]));
  const inner = { data: slopes, shape: refined.shape };
  gradients.dense = turnedProduct(kept.states, inner);
  gradients.dense_bias = sumOfRows(inner);
  return productWithTurned(inner, w.dense); // (batch, hidden)
}

/** The way back through the look of each [MASK], to what it looked for and to all vectors. */
function lookBackward(kept, seen) {
  const hidden = seen.shape[1];
  const u = matrix(...seen.shape);
  const inputs = kept.inputs.map((x, row) => {
    const [from, to] = [row * hidden, (row + 1) * hidden];
    const given = { data: seen.data.subarray(from, to), shape: [1, hidden] };
    const wanted = { data: kept.u.data.subarray(from, to), shape: [1, hidden] };
    const probs = kept.probs[row];
    const slopes = productWithTurned(given, x).data; // (seq)
    const mean = slopes.reduce((sum, slope, j) => sum + slope * probs.data[j], 0);
    const scores = slopes.map((slope, j) => (probs.data[j] * (slope - mean)) / Math.sqrt(hidden));
    const ofScores = { data: scores, shape: probs.shape };
    u.data.set(product(ofScores, x).data, from);
    const back = turnedProduct(probs, given); // as values
    addTo(back, turnedProduct(ofScores, wanted)); // as keys
    return back; // (seq, hidden)
  });
  return { u, inputs };
}

/** Give every vector's gradient to its word and to its position. */
function embeddingBackward(hiddenWords, inputs, gradients) {
  const hidden = gradients.word_embeddings.shape[1];
  hiddenWords.forEach(({ ids }, row) => {
    inputs[row].data.forEach((number, n) => {
      const [position, i] = [Math.floor(n / hidden), n % hidden];
      gradients.word_embeddings.data[ids[position] * hidden + i] += number; // where words are read
      if (gradients.position_embeddings.shape[0]) gradients.position_embeddings.data[n] += number;
    });
  });
}

/** Compute the loss of a batch and the gradient of every weight, by the formulas of Chapter 4. */
function lossAndGradients(w, hiddenWords) {
  const kept = toyForward(w, hiddenWords);
  const hidden = w.word_embeddings.shape[1];
  const { loss, gradient } = maskedLoss(kept.logits, hiddenWords);
  const gradients = { position_embeddings: matrix(...w.position_embeddings.shape) };
  const states = headBackward(w, kept, gradient, gradients);
  const along = states.data.map((a, n) => a * kept.normal.data[n]);
  gradients["norm.weight"] = sumOfRows({ data: along, shape: states.shape });
  gradients["norm.bias"] = sumOfRows(states);
  const scaled = states.data.map((a, n) => a * w["norm.weight"].data[n % hidden]);
  const normal = { data: scaled, shape: states.shape };
  const context = normalizeBackward(normal, kept.normal, kept.scales); // (batch, hidden)
  gradients.value = turnedProduct(kept.seen, context);
  const { u, inputs } = lookBackward(kept, productWithTurned(context, w.value));
  gradients.key = turnedProduct(u, kept.query);
  const query = product(u, w.key); // (batch, hidden)
  gradients.query = turnedProduct(kept.masked, query);
  const masked = productWithTurned(query, w.query);
  addTo(masked, context); // the residual
  hiddenWords.forEach(({ position }, row) => {
    for (let i = 0; i < hidden; i++) {
      inputs[row].data[position * hidden + i] += masked.data[row * hidden + i];
    }
  });
  embeddingBackward(hiddenWords, inputs, gradients);
  return { loss, gradients };
}
