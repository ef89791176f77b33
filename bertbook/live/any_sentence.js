// Any sentence, with any number of words hidden: what a model expects in each place, beside what
// counts of pairs expect, and where each place looked. Chapter 14.

const MASK = "[MASK]";

/** Cut a typed text into words with their pieces; a line to fill in, ___, stands for [MASK]. */
function readWords(text, tokenizer) {
  return tokenizer.words(text.replace(/_+|\[mask\]/gi, ` ${MASK} `));
}

/** Join words to a text that is cut into the same words again. */
function joinWords(words) {
  return words.join(" ").replace(/ (?=[.,:;!?])/g, "");
}

/** Say what keeps a model from answering; nothing if it can. */
function sentenceProblem(words, longest) {
  const pieces = 2 + words.flatMap(({ ids }) => ids).length;
  if (!words.length) return "There is no word yet; type a sentence.";
  if (pieces > longest) {
    return `The sentence has ${pieces} pieces; the model takes ${longest}. Leave some words out.`;
  }
  if (words.some(({ word }) => word === MASK)) return "";
  return `Nothing is hidden yet: click a word, or write ${MASK} or ___ where a word shall be found.`;
}

/** Say whether a sentence stops without a mark at its end. */
function lacksStop(words) {
  return words.length > 0 && !/^\p{P}$/u.test(words.at(-1).word);
}

/** Say as which pieces the model reads words that are not one piece of its vocabulary. */
function piecesTold(words, { pieces, vocab }) {
  const cut = words.filter(({ ids }) => ids.length > 1 || ids[0] === vocab.get("[UNK]"));
  const told = cut.map(({ word, ids }) => `“${word}” as ${ids.map((id) => pieces[id]).join(" ")}`);
  return told.length ? `It reads ${told.join(", ")}.` : "";
}

/** Say what comes first for each of the two, in every hidden place. */
function answersTold(columns) {
  const first = ([name, answers]) => {
    const [[piece, prob]] = [...answers].sort((a, b) => b[1] - a[1]);
    return `${name} “${piece}” (${prob.toFixed(2)})`;
  };
  const where = (n) => (columns.length > 1 ? `${MASK} ${n + 1}` : "First answers");
  return columns.map((column, n) => `${where(n)}: ${column.map(first).join(", ")}.`).join(" ");
}

/** Draw a word in pieces, tinted by how much each was looked at; a button if it can be hidden. */
function drawPieces({ word, ids }, weights, { pieces }, isButton) {
  const tinted = ids.map((id, n) => {
    const style = `background:rgba(${BLUE},${(0.5 * weights[n]).toFixed(2)})`;
    const share = element("small", {}, `${Math.round(100 * weights[n])} %`);
    return element("span", { style }, pieces[id], share);
  });
  const pressed = isButton && { type: "button", name: "word", "aria-pressed": word === MASK };
  const attributes = { class: "mb-hide mb-pieces", ...pressed };
  return element(isButton ? "button" : "span", attributes, ...tinted);
}

class AnySentence {
  constructor(figure, { model }) {
    this.model = model;
    this.form = figure.querySelector("form"); // its elements have names: text, ask, told, …
    [this.sentence, this.tables] = figure.querySelectorAll(".mb-sentence, .mb-tables");
    this.hidden = new Map(); // words that were hidden with a click, by their number
    this.listen(figure);
  }

  listen(figure) {
    const { text, place, heads } = this.form.elements;
    const click = {
      insert: () => {
        text.setRangeText(MASK, text.selectionStart, text.selectionEnd, "end");
        text.focus();
      },
      stop: () => this.read(`${text.value.trim()}.`),
      example: ({ textContent }) => this.read(textContent),
      word: (button) => this.toggle([...this.sentence.querySelectorAll("button")].indexOf(button)),
    };
    figure.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      click[button?.name]?.(button);
    });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.read(text.value);
    });
    for (const select of [place, heads]) select.addEventListener("change", () => this.drawRow());
  }

  tell(...lines) {
    this.form.elements.told.value = lines.filter(Boolean).join(" ");
  }

  /** Take a text, loading the model at the first one; say what went wrong. */
  async read(text) {
    this.form.elements.text.value = text;
    try {
      await ready(this.model, (line) => this.tell(line));
      this.hidden.clear();
      this.show(readWords(text, modelOf(this.model).tokenizer));
    } catch (error) {
      this.tell(error.message);
    }
  }

  /** Hide a word; bring it back if it was hidden so. */
  toggle(number) {
    const words = [...this.words];
    if (words[number].word !== MASK) {
      this.hidden.set(number, words[number]);
      [words[number]] = readWords(MASK, modelOf(this.model).tokenizer);
    } else if (this.hidden.has(number)) {
      words[number] = this.hidden.get(number);
      this.hidden.delete(number);
    }
    this.form.elements.text.value = joinWords(words.map(({ word }) => word));
    this.show(words);
    this.sentence.querySelectorAll("button")[number].focus();
  }

  /** Compute, and draw everything anew. */
  show(words) {
    const { tokenizer, longest } = modelOf(this.model);
    const problem = sentenceProblem(words, longest);
    const [cls, sep, mask] = tokenizer.words(`[CLS][SEP]${MASK}`);
    this.words = words;
    this.row = [cls, ...words, sep];
    const ids = this.row.flatMap((word) => word.ids);
    const places = problem ? [] : ids.flatMap((id, place) => (id === mask.ids[0] ? [place] : []));
    const columns = places.length ? this.compute(ids, places, mask.ids[0]) : [];
    this.offer(places);
    this.drawRow();
    this.drawTables(columns);
    this.tell(problem, answersTold(columns), piecesTold(words, tokenizer));
  }

  /** Ask both: a map from pieces to chances for each, at every hidden place. */
  compute(ids, places, mask) {
    const { tokenizer, rival } = modelOf(this.model);
    const { logits, attentions } = forward(this.model, ids);
    this.attentions = attentions;
    const counted = rival.answers(ids, mask);
    return places.map((place, n) => [
      ["BERT", answersAt(logits, place, tokenizer.pieces)],
      ["counts", new Map(tokenizer.pieces.map((piece, id) => [piece, counted[n][id]]))],
    ]);
  }

  /** Offer heads, hidden places, and a full stop where the sentence has no mark at its end. */
  offer(places) {
    const { place, heads, stop, ask } = this.form.elements;
    if (!this.choices) {
      this.choices = headsOf(this.model);
      heads.append(...this.choices.map(([name], number) => new Option(name, number)));
      heads.value = this.choices.findLastIndex(([, pairs]) => pairs.length > 1);
    }
    place.replaceChildren(...places.map((one, n) => new Option(`${MASK} ${n + 1}`, one)));
    place.parentElement.hidden = places.length < 2;
    heads.closest("p").hidden = !places.length;
    stop.hidden = !lacksStop(this.words);
    ask.textContent = "Ask";
  }

  /** Draw the sentence with where the chosen hidden place looked, on average over the heads. */
  drawRow() {
    const { tokenizer } = modelOf(this.model);
    const { place, heads } = this.form.elements;
    const [, pairs] = this.choices[heads.value];
    const looked = place.length ? meanAttention(this.attentions, pairs, +place.value) : [];
    let begin = 0;
    const drawn = this.row.flatMap((word) => {
      const weights = word.ids.map(() => looked[begin++] ?? 0);
      return [drawPieces(word, weights, tokenizer, this.words.includes(word)), " "];
    });
    this.sentence.replaceChildren(...drawn);
  }

  drawTables(columns) {
    const numbers = this.words.flatMap(({ word }, n) => (word === MASK ? [n] : []));
    const tables = columns.map((column, n) => {
      const before = this.hidden.get(numbers[n]);
      const truth = before?.ids.length === 1 ? before.word : undefined;
      const table = answerTable(column, truth, [4, 9]); // four of each, and what stood there
      if (columns.length > 1) table.prepend(element("caption", {}, `${MASK} ${n + 1}`));
      return table;
    });
    this.tables.replaceChildren(...tables);
  }
}

parts["any-sentence"] = (figure, data) => new AnySentence(figure, data);
