// What a reader watches or changes inside a model while it computes: heads, attention, vectors.
// Chapters 10 and 20.

/** Collect the changes that concern one layer, counted from 0. */
function interventionsIn(layer, { headsOff = [], edits = {}, watch = () => {} } = {}) {
  const silent = headsOff.filter(([number]) => number === layer).map(([, head]) => head);
  const here = (some) => (some ?? []).filter((edit) => edit.layer === layer);
  const [rows, contexts] = [here(edits.attentions), here(edits.contexts)];
  return {
    editAttention: (probs) => editRows(probs, rows),
    editContext: (context, heads) =>
      putContexts(silenceHeads(context, heads, silent), heads, contexts),
    watch: (name, ...arrays) => watch(`encoder.layer.${layer}.${name}`, ...arrays),
  };
}

/** Put other weights into rows of attention: {layer, head, query, probs}. */
function editRows(probs, edits) {
  const seq = probs.shape[2];
  for (const { head, query, probs: row } of edits) {
    if (row.length !== seq || !(query >= 0 && query < seq)) {
      const told = `attention of token ${query} has ${row.length} weights`;
      throw new Error(`${told}; tokens run from 0 to ${seq - 1}, each with ${seq} weights`);
    }
    probs.data.set(row, (head * seq + query) * seq);
  }
  return probs; // (heads, seq, seq)
}

/** Set the contexts of some heads to 0, as bertbook.core.attention_maps.ablate_heads does. */
function silenceHeads(context, heads, silent) {
  const [seq, hidden] = context.shape;
  const headSize = hidden / heads;
  for (const head of silent) {
    for (let i = 0; i < seq; i++) {
      const begin = i * hidden + head * headSize;
      context.data.fill(0, begin, begin + headSize);
    }
  }
  return context; // (seq, hidden)
}

/** Put other contexts in the place of some heads' own: {layer, head, context}. */
function putContexts(context, heads, edits) {
  const [seq, hidden] = context.shape;
  const headSize = hidden / heads;
  for (const { head, context: other } of edits) {
    for (let i = 0; i < seq; i++) {
      const row = other.data.subarray(i * headSize, (i + 1) * headSize); // other (seq, headSize)
      context.data.set(row, i * hidden + head * headSize);
    }
  }
  return context; // (seq, hidden)
}

/** Cut out of what all heads of a layer bring home what one of them does. */
function contextOfHead(context, heads, head) {
  const [seq, hidden] = context.shape;
  const headSize = hidden / heads;
  const own = zeros(seq, headSize);
  for (let i = 0; i < seq; i++) {
    const begin = i * hidden + head * headSize;
    own.data.set(context.data.subarray(begin, begin + headSize), i * headSize);
  }
  return own; // (seq, headSize)
}

/** Put other vectors in the place of hidden states: {layer, position, vector}; 0 is the input. */
function patch(hiddenStates, layer, { edits = {} } = {}) {
  const [seq, hidden] = hiddenStates.shape;
  const here = (edits.hiddenStates ?? []).filter((one) => one.layer === layer);
  for (const { position, vector } of here) {
    if (vector.length !== hidden || !(position >= 0 && position < seq)) {
      const told = `a vector of ${vector.length} numbers for token ${position}`;
      throw new Error(`${told}; tokens run from 0 to ${seq - 1}, vectors have ${hidden} numbers`);
    }
    hiddenStates.data.set(vector, position * hidden);
  }
  return hiddenStates; // (seq, hidden)
}
