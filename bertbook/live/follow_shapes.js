// Every array on the way from a sentence of the reader's own to scores: its name, its shape, and a
// few of its numbers. Chapter 10.

const SHOWN = 3; // numbers of each array

/** Write the first numbers that belong to one token; of many heads, to the first. */
function numbersOf({ data, shape }, place) {
  const begin = place * shape[shape.length - 1];
  const numbers = Array.from(data.subarray(begin, begin + SHOWN), (number) => decimals(number));
  return `${numbers.join(" ")} …`;
}

/** Name the likeliest pieces at one place, with their probabilities. */
function likeliest(logits, place, pieces) {
  const ranked = [...answersAt(logits, place, pieces)].sort((a, b) => b[1] - a[1]);
  return ranked.slice(0, SHOWN).map(([piece, prob]) => `${piece} ${prob.toFixed(2)}`);
}

/** Note what every part computes for a row: [name, shape, numbers of one token]. */
function traceShapes(name, { inputIds, tokenTypeIds }, place) {
  const steps = [["input_ids", [inputIds.length], inputIds[place]]];
  const note = (part, array) => steps.push([part, array.shape, numbersOf(array, place)]);
  const watch = (part, ...arrays) => {
    for (const array of arrays) note(part.replace("encoder.", ""), array);
  };
  const { logits } = forward(name, inputIds, tokenTypeIds, { watch });
  note("cls.predictions", logits);
  return { steps, logits };
}

/** Draw the way as a table; all shapes begin with the batch, which is 1. */
function drawTrace(steps) {
  const cell = (name) => element("th", { scope: "col" }, name);
  const top = ["part", "shape", "numbers"].map(cell);
  const rows = steps.map(([name, shape, numbers]) => {
    const pieces = name.split(/(?<=\.)/).flatMap((piece) => [piece, element("wbr")]);
    const part = element("th", { scope: "row" }, element("code", {}, ...pieces));
    const told = [`(${[1, ...shape].join(", ")})`, numbers];
    return element("tr", {}, part, ...told.map((text) => element("td", {}, text)));
  });
  const head = element("thead", {}, element("tr", {}, ...top));
  return element("table", { class: "mb-table mb-trace" }, head, element("tbody", {}, ...rows));
}

parts["follow-shapes"] = (figure, { model, text }) => {
  const draw = (stage, [typed], say) => {
    const row = typedRow(typed, model);
    const { pieces } = modelOf(model).tokenizer;
    const named = { tabindex: "0", role: "group", "aria-label": "the way of one token" };
    const table = element("div", { class: "mb-scroll", ...named });
    const tokens = row.pieces.map((piece) => {
      return element("button", { type: "button", class: "mb-hide" }, piece);
    });
    const choose = (place) => {
      const { steps, logits } = traceShapes(model, row, place);
      table.replaceChildren(drawTrace(steps));
      tokens.forEach((token, i) => token.setAttribute("aria-pressed", i === place));
      const told = likeliest(logits, place, pieces).join(", ");
      say(`The numbers of token ${place}, ${row.pieces[place]}. Likeliest there: ${told}.`);
    };
    tokens.forEach((token, i) => token.addEventListener("click", () => choose(i)));
    const group = element("div", { role: "group", "aria-label": "Whose numbers" }, ...tokens);
    choose(Math.max(row.pieces.indexOf("[MASK]"), 0));
    stage.replaceChildren(group, table);
  };
  mountSentences(figure, { model, fields: [["Your sentence", text]] }, draw);
};
