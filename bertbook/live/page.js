// What this file leaves on the page: one global object, and live figures.

globalThis.minibert ??= {
  ...{ ready, tokenize, forward, receive, modelOf, mount },
  ...{ WordPieceTokenizer, ToyTraining, lossAndGradients },
};
// In a notebook each output brings this file. The first one on the page has the models.
function mountAll() {
  globalThis.minibert.mount();
  mountMemory();
}

// Figures come to life before the scripts that set formulas begin.
if (document.readyState === "loading") {
  document.addEventListener("readystatechange", mountAll, { once: true });
} else {
  mountAll();
}
