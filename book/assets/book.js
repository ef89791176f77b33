"use strict";

// A page opened from the disk may not read other files, so search shows titles without extracts.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What scrolls sideways must be reachable with the keyboard, also when it was folded at first.
window.addEventListener("load", () => {
  const watch = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      if (target.scrollWidth > target.clientWidth) {
        target.tabIndex = 0;
      } else {
        target.removeAttribute("tabindex");
      }
    }
  });
  document.querySelectorAll(".bd-article :is(pre, div.math)").forEach((box) => watch.observe(box));
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
