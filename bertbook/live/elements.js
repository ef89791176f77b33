// A few words for building a page.

/** Make an element with attributes and content. */
function element(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** Make an element of a drawing. */
function svgElement(tag, attributes, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

const parts = {}; // what a figure can be, by the name in its data-live

/** Bring every live figure of the page to life, each once. */
function mount() {
  for (const figure of document.querySelectorAll("[data-live]:not([data-ready])")) {
    figure.dataset.ready = "yes";
    const given = figure.querySelector("script[type='application/json']");
    parts[figure.dataset.live](figure, JSON.parse(given.textContent));
  }
}
