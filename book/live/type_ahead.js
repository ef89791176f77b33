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

parts["type-ahead"] = (figure, { pieces, do_lower_case }) => {
  const tokenizer = new WordPieceTokenizer(pieces, do_lower_case);
  const [field, list, count] = ["input", "ol", "output"].map((tag) => figure.querySelector(tag));
  const show = () => {
    const words = tokenizer.words(field.value);
    list.replaceChildren(...words.map((word) => drawWord(word, pieces)));
    count.value = countWords(words);
  };
  field.addEventListener("input", show);
  for (const button of figure.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      field.value = button.textContent;
      show();
    });
  }
  field.closest("p").hidden = false; // without this script there would be nothing to type into
};
