// The heads of pre-training: from vectors to words, and from [CLS] to yes or no.
// Chapters 11 and 12.

/** Score every word for every position: the table of the embeddings serves a second time. */
function predictionHead(hiddenStates, { config, part }) {
  const predictions = (name) => part(`cls.predictions.${name}`);
  const mixed = activate(linear(hiddenStates, predictions("transform.dense")), config.hidden_act);
  const prepared = layerNorm(mixed, predictions("transform.LayerNorm"), config.layer_norm_eps);
  const { weight } = part("bert.embeddings.word_embeddings"); // (vocab, hidden)
  return linear(prepared, { weight, bias: part("cls.predictions").bias }); // (seq, vocab)
}

/** Score from the vector of [CLS] whether the second sentence follows (0) or not (1). */
function nextSentenceHead(hiddenStates, { part }) {
  const hidden = hiddenStates.shape[1];
  const first = { data: hiddenStates.data.subarray(0, hidden), shape: [1, hidden] };
  const pooled = linear(first, part("bert.pooler.dense"));
  const { data } = linear(
    { data: pooled.data.map(Math.tanh), shape: [1, hidden] },
    part("cls.seq_relationship"),
  );
  return { data, shape: [2] };
}

/** BERT with both heads; a model that was trained without next sentences has no second one. */
function bertForPreTraining(model, inputIds, tokenTypeIds, options) {
  const bert = { config: model.config, part: (name) => model.part(`bert.${name}`) };
  const { hiddenStates, attentions } = bertModel(bert, inputIds, tokenTypeIds, options);
  const last = hiddenStates[hiddenStates.length - 1]; // (seq, hidden)
  const nextSentence = model.has("cls.seq_relationship") ? nextSentenceHead(last, model) : null;
  return { logits: predictionHead(last, model), nextSentence, attentions, hiddenStates };
}
