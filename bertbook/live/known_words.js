// Words that a model has seen: offered while a reader types, and named where one is missing.

/** Name the words of a text that are not among the known ones, each once. */
function unknownWords(text, known) {
  const words = splitWords(text.replaceAll("[MASK]", " ").replaceAll("|", " "));
  return [...new Set(words)].filter((word) => !known.has(word));
}

/** Offer words that begin as the last one of a text does; before its first letter, some others. */
function offeredWords(text, known, others) {
  const begun = text.match(/[^\s|]*$/)[0].toLowerCase();
  const found = begun ? [...known].filter((word) => word.startsWith(begun)) : others;
  return found.filter((word) => word !== begun).slice(0, 8);
}

/** Say which words are unknown. */
function unknownTold(words) {
  if (!words.length) return "";
  const named = words.map((word) => `“${word}”`).join(", ");
  return `It has never seen ${named}.`;
}

/** Build what helps to fill a field: words that fit, and those that are unknown. */
function wordHelp(field, known, others) {
  const chips = element("span", {});
  const told = element("span", { "aria-live": "polite", style: "display:block" });
  const show = () => {
    const offered = offeredWords(field.value, known, others);
    const begun = offered.length ? /[^\s|]*$/ : ""; // a word that is still being typed
    const buttons = offered.map((word) => element("button", { type: "button" }, word));
    chips.replaceChildren(...buttons);
    told.textContent = unknownTold(unknownWords(field.value.replace(begun, ""), known));
  };
  chips.addEventListener("click", ({ target }) => {
    if (target === chips) return;
    field.value = field.value.replace(/[^\s|]*$/, `${target.textContent} `);
    field.focus();
    show();
  });
  field.addEventListener("input", show);
  show();
  const size = `This model has seen a small world of ${known.size} words, and nothing else.`;
  const all = element("details", {}, element("summary", {}, size), [...known].join(", "));
  return [element("p", {}, "Words it knows: ", chips, told), all];
}
