// What this file leaves on the page: one global object, and live figures.

globalThis.minibert ??= {
  ...{ ready, tokenize, forward, receive, mount },
  ...{ WordPieceTokenizer, ToyTraining, lossAndGradients },
};
function mountAll() {
  mount();
  mountMemory();
}

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", mountAll);
} else {
  mountAll();
}
