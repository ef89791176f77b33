// What figures share in which a reader types sentences of her own: fields, a button that loads the
// model, a line that says what came of it. Chapters 8, 10 and 20.

/** Say whether a piece belongs to a word. */
function isOfWord(piece) {
  return piece !== "[CLS]" && piece !== "[SEP]";
}

/** Turn what somebody typed, a sentence or two with | between them, into a row for a model. */
function typedRow(text, name) {
  const sentences = text.split("|").slice(0, 2);
  const row = tokenize(sentences.length > 1 ? sentences : text, name);
  if (!row.pieces.some(isOfWord)) throw new Error("there is no word yet; type a sentence");
  return row; // {inputIds, tokenTypeIds, pieces}
}

/**
 * Give a figure its fields and its button.
 *
 * `draw` gets the stage, the texts, and a function to say what there is to say. It is called when
 * the reader asks for it, and from then on at every change; what it throws is said in its place.
 */
function mountSentences(figure, { model, fields }, draw) {
  const stage = figure.querySelector(".mb-stage");
  const inputs = fields.map(([, value]) => {
    return element("input", { type: "text", value, autocomplete: "off", spellcheck: "false" });
  });
  const labels = fields.map(([name], number) => element("label", {}, name, inputs[number]));
  const ask = element("button", { type: "button" }, `Compute it here (${toldSize(model)})`);
  const status = element("p", { role: "status" });
  const say = (line) => {
    status.textContent = line;
  };
  const show = async () => {
    try {
      await ready(model, say);
      const texts = inputs.map(({ value }) => value);
      draw(stage, texts, say);
      if (document.activeElement === ask) inputs[0].focus();
      ask.remove();
    } catch (error) {
      if (models.has(model)) stage.replaceChildren(); // what stands there is of another sentence
      say(error.message);
    }
  };
  for (const input of inputs) {
    input.addEventListener("input", () => models.has(model) && show());
    input.addEventListener("keydown", ({ key }) => key === "Enter" && show());
  }
  ask.addEventListener("click", show);
  stage.before(...labels, ask, status);
}
