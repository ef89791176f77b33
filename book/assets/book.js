"use strict";

// What is too wide says so, and can be reached with the keyboard, also when it was folded at first.
const OUTPUT = ".cell_output > .output";
const WIDE = `.bd-article :is(pre, div.math, .mb-scroll, .pst-scrollable-table-container, ${OUTPUT})`;

function markWide(box) {
  const hidden = box.scrollWidth - box.clientWidth;
  box.toggleAttribute("data-wide", hidden > 1);
  box.toggleAttribute("data-more", hidden - box.scrollLeft > 1);
  if (!box.matches(".mb-scroll")) {
    if (hidden > 0) {
      box.tabIndex = 0;
    } else {
      box.removeAttribute("tabindex");
    }
  }
}

// The theme asks every block for its width when the page has been loaded, also those in closed
// folds, and all of them are laid out for that. Here a block is asked when it is seen.
const listen = window.addEventListener;
window.addEventListener = (type, ...rest) => {
  const asks = type === "load" && document.currentScript?.src.includes("/pydata-sphinx-theme.js");
  if (!asks) listen.call(window, type, ...rest);
};

// A picture grows to the width of the text, while its letters stay between those of a caption and
// those of the text: on a phone they grow, on a wide screen they do not grow along.
const PICTURES = '.bd-article .mb-figure svg[style*="max-width"]';
const LARGEST = { times: 1.65, height: 560, letters: 1.1 };
const PIXELS_OF_A_POINT = 4 / 3;
const drawnSizes = new WeakMap();

function growPicture(svg) {
  const { width, height } = svg.viewBox.baseVal;
  const room = LARGEST.height / (height * PIXELS_OF_A_POINT);
  const times = Math.max(1, Math.min(LARGEST.times, room));
  svg.style.maxWidth = `${width * PIXELS_OF_A_POINT * times}px`;
}

function fitLetters(svg) {
  const scale = svg.clientWidth / svg.viewBox.baseVal.width;
  if (!scale) return;
  const smallest = matchMedia("(width <= 768px)").matches ? 10 : 11;
  for (const text of svg.querySelectorAll("text, tspan")) {
    if (!drawnSizes.has(text)) drawnSizes.set(text, parseFloat(text.style.fontSize));
    const drawn = drawnSizes.get(text);
    if (!drawn) continue;
    const natural = drawn * Math.min(scale, LARGEST.letters * PIXELS_OF_A_POINT);
    text.style.fontSize = `${Math.max(natural, smallest) / scale}px`;
  }
}

// The lines of a hunt are wrapped like those of other code. Their numbers take room from a row.
const HUNT_ROW = 30; // letters on a phone
const DEEPEST = 20; // spaces that it shows: five levels
const SMALL_NUMBER = /(\d[\d.]*e-\d+)/;
const UP_TO_A_BREAK = /.+?(?:[([]+(?=["\w])|=(?=\w)|(?=\.[a-z_])|$)/g; // in a long row of letters
function markIndentation(line) {
  const text = line.textContent;
  const indent = text.length - text.trimStart().length;
  if (text.length > HUNT_ROW) line.replaceChildren(...text.split(SMALL_NUMBER).flatMap(breakable));
  const [word] = text.trimStart().split(/[ ([=]/);
  line.style.setProperty("--indent", `${indent}ch`);
  line.classList.add("code-line");
  const shown = Math.min(indent, DEEPEST);
  line.classList.toggle("long-word", indent > 0 && shown + word.length > HUNT_ROW);
}

function breakable(text, place) {
  if (place % 2 === 0) {
    const pieces = text.match(UP_TO_A_BREAK) ?? [];
    return pieces.flatMap((piece) => [piece, document.createElement("wbr")]);
  }
  const number = document.createElement("span");
  number.className = "whole";
  number.textContent = text;
  return [number];
}

window.addEventListener("load", () => {
  document.querySelectorAll(".mb-lines code").forEach(markIndentation);
  const wide = new ResizeObserver((changes) => changes.forEach(({ target }) => markWide(target)));
  for (const box of document.querySelectorAll(WIDE)) {
    wide.observe(box);
    box.addEventListener("scroll", () => markWide(box), { passive: true });
  }
  const seen = new ResizeObserver((changes) => changes.forEach(({ target }) => fitLetters(target)));
  for (const svg of document.querySelectorAll(PICTURES)) {
    growPicture(svg);
    seen.observe(svg);
  }
});

// The letters of a formula are drawn by its style, and nobody can copy them. So its TeX is copied.
document.addEventListener("copy", (event) => {
  const copied = document.createElement("div");
  const selection = getSelection();
  for (let n = 0; n < selection.rangeCount; n++) {
    copied.append(selection.getRangeAt(n).cloneContents());
  }
  const formulas = copied.querySelectorAll("[data-tex]");
  if (!formulas.length) return;
  for (const formula of formulas) {
    const mark = formula.matches("div") ? "$$" : "$";
    formula.replaceWith(mark + formula.dataset.tex + mark);
  }
  event.clipboardData.setData("text/plain", copied.textContent);
  event.clipboardData.setData("text/html", copied.innerHTML);
  event.preventDefault();
});

// Paper is white: print in the light colors, whatever the screen shows.
const root = document.documentElement;
let onScreen = root.dataset.theme;
window.addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  root.dataset.theme = "light";
});
window.addEventListener("afterprint", () => {
  root.dataset.theme = onScreen;
});
