// Does the second sentence follow the first? Ask the model, and whoever knows the world.
// Chapter 12.

/** Compute the probability that the second text follows the first. */
function followsProb(name, first, second) {
  if (!first.trim() || !second.trim()) throw new Error("there are two sentences to type");
  const { inputIds, tokenTypeIds } = tokenize([first, second], name);
  const { nextSentence } = forward(name, inputIds, tokenTypeIds);
  return softmax(nextSentence.data)[0]; // score 0 is for "it follows"
}

/** Draw who says how likely it is. */
function followsTable(model, best) {
  const columns = [
    ["the model", model],
    ["who knows the world", best],
  ].filter(([, prob]) => prob !== undefined);
  const rows = columns.map(([name, prob]) => {
    return element("tr", {}, element("th", { scope: "row" }, name), shareCell(prob));
  });
  return element("table", { class: "mb-table mb-answers" }, element("tbody", {}, ...rows));
}

parts["next-sentence"] = (figure, { model, names, pairs }) => {
  const options = names.map((name, number) => element("option", { value: number }, name));
  const choice = element("select", {}, ...options);
  const fields = [0, 1].map(() => element("input", { type: "text", autocomplete: "off" }));
  const labels = ["Pairs", "First sentence", "Second sentence"];
  const lines = [choice, ...fields].map((one, i) => element("label", {}, labels[i], one));
  const asked = `Does the second follow? (${toldSize(model)})`;
  const ask = element("button", { type: "button" }, asked);
  const answer = element("div", {});
  const status = element("p", { role: "status" });
  /** What was computed beforehand, for what is typed: the best answer and the model's. */
  const known = () => {
    const typed = fields.map(({ value }) => value.trim());
    const found = pairs.find(([first, second]) => first === typed[0] && second === typed[1]);
    return found?.slice(2) ?? [];
  };
  const show = async () => {
    try {
      await ready(model, (line) => (status.textContent = line));
      ask.textContent = "Does the second follow?";
      const prob = followsProb(model, ...fields.map(({ value }) => value));
      answer.replaceChildren(followsTable(prob, known()[0]));
      const follows = prob > 0.5 ? "follows" : "does not follow";
      status.textContent = `The model says ${prob.toFixed(2)}: it ${follows}.`;
    } catch (error) {
      if (models.has(model)) answer.replaceChildren(); // it was about other sentences
      status.textContent = error.message;
    }
  };
  const choose = () => {
    fields.forEach((field, i) => (field.value = pairs[choice.value][i]));
    if (models.has(model)) return show();
    const [best, told] = known();
    answer.replaceChildren(followsTable(told, best));
  };
  choice.addEventListener("change", choose);
  for (const control of fields) control.addEventListener("change", show);
  ask.addEventListener("click", show);
  figure.querySelector(".mb-stage").replaceChildren(...lines, ask, answer, status);
  choice.value = 0;
  choose();
};
