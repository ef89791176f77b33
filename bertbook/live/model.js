// The encoder: embeddings and a stack of layers, with everything that it computed. Chapter 10.

/** Give the sizes that a layer needs, under short names. */
function sizesOf(config) {
  return {
    heads: config.num_attention_heads,
    eps: config.layer_norm_eps,
    activation: config.hidden_act,
  };
}

/** Turn ids into vectors that know their context; keep all vectors and all attention maps. */
function bertModel({ config, part }, inputIds, tokenTypeIds, options) {
  const sizes = sizesOf(config);
  const mask = additiveMask(options.attentionMask ?? inputIds.map(() => 1)); // (seq)
  const embeddings = (name) => part(`embeddings.${name}`);
  let hidden = patch(bertEmbeddings(inputIds, tokenTypeIds, embeddings, sizes.eps), 0, options);
  options.watch?.("embeddings", hidden);
  const hiddenStates = [hidden]; // what goes into the first layer and what comes out of each
  const attentions = [];
  for (let number = 0; number < config.num_hidden_layers; number++) {
    const ofLayer = (name) => part(`encoder.layer.${number}.${name}`);
    const interventions = interventionsIn(number, options);
    const { output, probs } = bertLayer(hidden, mask, ofLayer, sizes, interventions);
    hidden = patch(output, number + 1, options);
    hiddenStates.push(hidden);
    attentions.push(probs);
  }
  return { hiddenStates, attentions };
}
