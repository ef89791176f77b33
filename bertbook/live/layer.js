// One layer of BERT: attention, then a small network for every token on its own. Chapter 9.

/** Look around, then think: each half adds to what it was given, and normalizes. */
function bertLayer(hiddenStates, mask, part, sizes, interventions) {
  const attention = (name) => part(`attention.${name}`);
  const { attended, probs } = bertAttention(hiddenStates, mask, attention, sizes, interventions);
  const wide = activate(linear(attended, part("intermediate.dense")), sizes.activation);
  const narrow = linear(wide, part("output.dense")); // (seq, intermediate) becomes (seq, hidden)
  const output = layerNorm(add(narrow, attended), part("output.LayerNorm"), sizes.eps);
  interventions.watch("intermediate", wide);
  interventions.watch("output", output);
  return { output, probs };
}
