// What this file leaves on the page: one global object, and live figures.

globalThis.minibert ??= {
  ...{ ready, tokenize, forward, receive, mount },
  ...{ WordPieceTokenizer, ToyTraining, lossAndGradients },
};
if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", globalThis.minibert.mount);
} else {
  globalThis.minibert.mount();
}
