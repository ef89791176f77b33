// A question of the reader's own: some words that the model knows, and one [MASK]. Chapter 5.

/** Cut a question into its words and [MASK]. */
function tokensOfQuestion(text) {
  const parts = text.split(/(\[MASK\])/);
  return parts.flatMap((part) => (part === "[MASK]" ? [part] : splitWords(part)));
}

/** Say why a model cannot answer a question; nothing if it can. */
function questionProblem(text, known, longest) {
  const tokens = tokensOfQuestion(text);
  const unknown = unknownWords(text, known);
  if (unknown.length) return unknownTold(unknown);
  if (tokens.filter((token) => token === "[MASK]").length !== 1) return "Write [MASK] once.";
  if (tokens.length > longest) return `It reads at most ${longest} words.`;
  return tokens.length === 1 ? "Write some words beside [MASK]." : "";
}

/** Build the field for a question; `ask` gets its tokens as soon as they make one, else none. */
function questionField(known, longest, ask) {
  const field = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const told = element("span", { "aria-live": "polite" });
  field.addEventListener("input", () => {
    const problem = questionProblem(field.value, known, longest);
    told.textContent = field.value.trim() ? problem : "";
    ask(problem ? undefined : tokensOfQuestion(field.value));
  });
  const label = element("label", {}, "Your own question, with one [MASK]", field);
  const size = `The ${known.size} words it knows`;
  const all = element("details", {}, element("summary", {}, size), [...known].join(", "));
  return element("div", {}, label, told, all);
}
