// What a reader changes inside a model while it computes: heads, attention, vectors. Chapter 18.

/** Collect the changes that concern one layer, counted from 0. */
function interventionsIn(layer, { headsOff = [], edits = {} } = {}) {
  const silent = headsOff.filter(([number]) => number === layer).map(([, head]) => head);
  const rows = (edits.attentions ?? []).filter((edit) => edit.layer === layer);
  return {
    editAttention: (probs) => editRows(probs, rows),
    silenceHeads: (context, heads) => silenceHeads(context, heads, silent),
  };
}

/** Put other weights into rows of attention: {layer, head, query, probs}. */
function editRows(probs, edits) {
  const seq = probs.shape[2];
  for (const { head, query, probs: row } of edits) {
    probs.data.set(row, (head * seq + query) * seq);
  }
  return probs; // (heads, seq, seq)
}

/** Set the contexts of some heads to 0, as minibert.analysis.attention_maps.ablate_heads does. */
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

/** Put other vectors in the place of hidden states: {layer, position, vector}; 0 is the input. */
function patch(hiddenStates, layer, { edits = {} } = {}) {
  const hidden = hiddenStates.shape[1];
  for (const edit of (edits.hiddenStates ?? []).filter((one) => one.layer === layer)) {
    hiddenStates.data.set(edit.vector, edit.position * hidden);
  }
  return hiddenStates; // (seq, hidden)
}
