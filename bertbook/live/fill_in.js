// Fill in the blank: hide a word, and see what the model says beside what anybody could know at
// best, and where the hidden position looked. Chapters 11 and 14.

const BLUE = "47,126,196";

/** Build a row of ids in which one word is [MASK]; places say where each word begins and ends. */
function rowWithBlank(sentences, hidden, tokenizer) {
  const [cls, sep, mask] = ["[CLS]", "[SEP]", "[MASK]"].map((token) => tokenizer.vocab.get(token));
  const inputIds = [cls];
  const tokenTypeIds = [0];
  const places = [];
  const append = (ids, segment) => {
    inputIds.push(...ids);
    tokenTypeIds.push(...ids.map(() => segment));
  };
  sentences.forEach((words, segment) => {
    for (const word of words) {
      const begin = inputIds.length;
      const isHidden = places.length === hidden;
      append(isHidden ? [mask] : tokenizer.words(word).flatMap(({ ids }) => ids), segment);
      places.push([begin, inputIds.length]);
    }
    append([sep], segment);
  });
  return { inputIds, tokenTypeIds, places };
}

/** Find where a position looks, on average over some heads: one weight for each token. */
function meanAttention(attentions, chosen, query) {
  const seq = attentions[0].shape[1];
  return Array.from({ length: seq }, (_, key) => {
    const weights = chosen.map(([layer, head]) => {
      return attentions[layer].data[(head * seq + query) * seq + key];
    });
    return weights.reduce((a, b) => a + b, 0) / weights.length;
  });
}

/** Give the probability of each piece at one place. */
function answersAt(logits, place, pieces) {
  const vocab = logits.shape[1];
  const probs = softmax(logits.data.subarray(place * vocab, (place + 1) * vocab)); // (vocab)
  return new Map(pieces.map((piece, id) => [piece, probs[id]]));
}

/** Write a row of attention that is spent on the pieces of one word alone. */
function lookOnlyAt([begin, end], seq) {
  return Array.from({ length: seq }, (_, n) => (n >= begin && n < end ? 1 / (end - begin) : 0));
}

/** Ask the model: a probability for each piece, and where the chosen heads looked, or must look. */
function askModel(name, { sentences, hidden }, chosen, { headsOff = [], onlyAt } = {}) {
  const { tokenizer } = modelOf(name);
  const { inputIds, tokenTypeIds, places } = rowWithBlank(sentences, hidden, tokenizer);
  const [query] = places[hidden];
  const probs = lookOnlyAt(places[onlyAt] ?? [0, 0], inputIds.length);
  const turned = onlyAt === undefined ? [] : chosen;
  const edits = { attentions: turned.map(([layer, head]) => ({ layer, head, query, probs })) };
  const { logits, attentions } = forward(name, inputIds, tokenTypeIds, { headsOff, edits });
  const looked = meanAttention(attentions, chosen, query); // (seq)
  const sum = (row) => row.reduce((a, b) => a + b, 0);
  return {
    answers: answersAt(logits, query, tokenizer.pieces),
    weights: places.map(([begin, end]) => sum(looked.slice(begin, end))),
  };
}

/** Draw one word of the sentence as a button, tinted by how much it was looked at. */
function wordButton(word, isHidden, weight, isKnown = true) {
  const share = weight === undefined ? "" : `${Math.round(100 * weight)} %`;
  const shown = isHidden ? "[MASK]" : word;
  const style = `background:rgba(${BLUE},${(0.5 * (weight ?? 0)).toFixed(2)})`;
  const attributes = { type: "button", class: "mb-hide", "aria-pressed": isHidden, style };
  const text = isKnown || isHidden ? shown : element("span", { class: "mb-unknown" }, shown);
  return element("button", attributes, text, element("small", {}, share));
}

/** Draw a probability as a cell with a bar behind its number. */
function shareCell(prob) {
  const bar = `rgba(${BLUE},.4) ${100 * prob}%`;
  const style = `background-image:linear-gradient(90deg,${bar},transparent 0)`;
  return element("td", { style: style }, prob.toFixed(2));
}

/** List words that somebody finds likely: so many of each column, a map from words, and of all. */
function likelyWords(columns, truth, [each, most] = [5, 8]) {
  const found = columns.flatMap((column) => {
    const sorted = [...column].sort((a, b) => b[1] - a[1]).slice(0, each);
    return sorted.filter(([, prob]) => prob >= 0.005).map(([word]) => word);
  });
  const value = (word) => columns[0].get(word) ?? 0;
  const words = [...new Set([...found, ...(truth ? [truth] : [])])];
  return words.sort((a, b) => value(b) - value(a)).slice(0, most);
}

/** Draw answers as a table: a row for each likely word, a column for each who answers. */
function answerTable(named, truth, rows) {
  const columns = named.filter(([, column]) => column.size);
  const cell = (name) => element("th", { scope: "col" }, name);
  const shares = columns.map(([, column]) => column);
  const words = likelyWords(shares.length ? shares : [new Map()], truth, rows);
  const drawn = words.map((word) => {
    const cells = shares.map((column) => shareCell(column.get(word) ?? 0));
    return element("tr", {}, element("th", { scope: "row" }, word), ...cells);
  });
  const heads = ["word", ...columns.map(([name]) => name)].map(cell);
  const top = element("thead", {}, element("tr", {}, ...heads));
  return element("table", { class: "mb-table mb-answers" }, top, element("tbody", {}, ...drawn));
}

/** Say what the word that stood there costs each of the two, in nats. */
function verdict(answers, best, truth) {
  const nats = (prob) => (-Math.log(prob)).toFixed(2);
  if (!answers.has(truth)) return "";
  const model = `“${truth}” stood there. The model pays ${nats(answers.get(truth))} nats for it`;
  return best.has(truth)
    ? `${model}, the best possible guesser ${nats(best.get(truth))}.`
    : `${model}.`;
}

/** Say it for those who have not met nats yet. */
function plainVerdict(answers, best, truth) {
  if (!answers.has(truth)) return "";
  const model = `“${truth}” stood there. The model gives it ${answers.get(truth).toFixed(2)}`;
  return best.has(truth)
    ? `${model}, the best possible guesser ${best.get(truth).toFixed(2)}.`
    : `${model}.`;
}
