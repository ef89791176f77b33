// What this file leaves on the page: one global object, and live figures.

globalThis.minibert ??= {
  ...{ ready, tokenize, forward, receive, mount },
  ...{ WordPieceTokenizer, ToyTraining, lossAndGradients },
};
// In a notebook each output brings this file. The first one on the page has the models.
function mountAll() {
  globalThis.minibert.mount();
  mountMemory();
}

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", mountAll);
} else {
  mountAll();
}
