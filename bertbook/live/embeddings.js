// From ids to the vectors that enter the first layer. Chapter 7.

/** Add up what a token is, where it stands and to which segment it belongs; then normalize. */
function bertEmbeddings(inputIds, tokenTypeIds, part, eps) {
  const words = part("word_embeddings").weight; // (vocab, hidden)
  const positions = part("position_embeddings").weight; // (longest, hidden)
  const segments = part("token_type_embeddings").weight; // (2, hidden)
  const hidden = words.shape[1];
  const embeddings = zeros(inputIds.length, hidden);
  inputIds.forEach((id, position) => {
    for (let i = 0; i < hidden; i++) {
      embeddings.data[position * hidden + i] =
        words.data[id * hidden + i] +
        (segments.data[tokenTypeIds[position] * hidden + i] +
          positions.data[position * hidden + i]);
    }
  });
  return layerNorm(embeddings, part("LayerNorm"), eps); // (seq, hidden)
}
