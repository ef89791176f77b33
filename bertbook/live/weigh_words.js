// What one word takes from each word of a sentence of the reader's own: with any query and any
// divisor, or weighed in several ways. Chapter 2.

/** Take the dot product of two vectors. */
function dotProduct(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** Multiply a vector by a matrix, which is given by its rows. */
function vectorTimes(vector, weight) {
  return weight[0].map((_, j) => vector.reduce((sum, x, i) => sum + x * weight[i][j], 0));
}

/** Give every word but one the same weight. */
function equalWeights(count, without) {
  if (count < 2) throw new Error("a word alone has no neighbors; type a second one");
  return Array.from({ length: count }, (_, i) => (i === without ? 0 : 1 / (count - 1)));
}

/**
 * Weigh the vectors of a sentence for the word that asks: {scores, probs, mix}.
 *
 * A way without a query matrix is the average of the others, and has no scores.
 */
function weighWords(rows, asks, way, asked) {
  const query = asked ?? (way.query && vectorTimes(rows[asks], way.query));
  const scores = query && rows.map((x) => dotProduct(query, vectorTimes(x, way.key)) / way.divisor);
  const probs = scores ? softmax(scores) : equalWeights(rows.length, asks);
  const values = rows.map((x) => vectorTimes(x, way.value));
  const mix = values[0].map((_, i) => dotProduct(probs, values.map((value) => value[i])));
  return { scores, probs, mix };
}

/** Say from which word most is taken, and how much is kept. */
function tellWeights(words, asks, probs) {
  const percent = (prob) => `${(100 * prob).toFixed(1)} %`;
  const best = probs.indexOf(Math.max(...probs));
  const kept = `${percent(probs[asks])} from itself`;
  if (best === asks) return `“${words[asks]}” takes ${kept}.`;
  return `“${words[asks]}” takes ${percent(probs[best])} from “${words[best]}”, and ${kept}.`;
}

/** Say what the word becomes, and how near that is to the vectors of other words. */
function tellMix(mix, compare) {
  const length = (vector) => Math.sqrt(dotProduct(vector, vector));
  const near = Object.entries(compare).map(([word, vector]) => {
    const cosine = dotProduct(mix, vector) / length(mix) / length(vector);
    return ` Cosine with ${word}: ${decimals(cosine)}.`;
  });
  return `New vector: [${mix.map((x) => decimals(x)).join(", ")}].${near.join("")}`;
}

/** Draw a row for each word: its score and its probability. */
function weightTable(words, { scores, probs }) {
  const cells = (tag, ...texts) => texts.map((text) => element(tag, { scope: "col" }, text));
  const names = scores ? ["word", "score", "probability"] : ["word", "weight"];
  const rows = words.map((word, i) => {
    const score = scores ? [element("td", {}, decimals(scores[i]))] : [];
    return element("tr", {}, element("th", { scope: "row" }, word), ...score, shareCell(probs[i]));
  });
  const top = element("thead", {}, element("tr", {}, ...cells("th", ...names)));
  const named = { class: "mb-table mb-answers mb-weights" };
  return element("table", named, top, element("tbody", {}, ...rows));
}

/** Build a slider with a field beside it that takes any number; `change` gets what is chosen. */
function numberControl(name, [min, max, step], change) {
  const slider = element("input", { type: "range", min, max, step, "aria-label": name });
  const exact = `${name}, typed`;
  const field = element("input", { type: "number", step: "any", "aria-label": exact });
  const set = (value) => {
    slider.value = value;
    field.value = String(Number(value.toFixed(3)));
  };
  slider.addEventListener("input", () => {
    field.value = slider.value;
    change(Number(slider.value));
  });
  field.addEventListener("input", () => {
    if (field.value === "") return; // not typed yet
    slider.value = field.value;
    change(Number(field.value));
  });
  const shown = [element("span", {}, name), slider, field];
  return { set, line: element("p", { class: "mb-number" }, ...shown) };
}

class WeighFigure {
  constructor(figure, given) {
    Object.assign(this, given, { query: null, chosen: given.ways[0] });
    const [value] = this.sentences;
    this.asking = value.split(" ")[this.who];
    const text = { type: "text", value, autocomplete: "off", spellcheck: "false" };
    this.field = element("input", text);
    this.unknown = element("p", { "aria-live": "polite" });
    this.askers = element("div", { role: "group", "aria-label": "Who asks" });
    this.status = element("p", { role: "status" });
    this.place = element("div", {});
    const examples = element("p", {}, ...this.sentences.map((words) => this.example(words)));
    const words = Object.keys(this.vectors);
    const all = element("summary", {}, `All ${words.length} words that have a vector here`);
    const known = element("details", {}, all, words.join(", "));
    const label = element("label", {}, "Your words", this.field);
    const controls = this.free ? this.numbers() : [this.choices()];
    const above = [label, examples, known, this.unknown, this.askers];
    const stage = figure.querySelector(".mb-stage");
    stage.replaceChildren(...above, ...controls, this.place, this.status);
    this.field.addEventListener("input", () => this.read());
    this.read();
  }

  /** Build a button that puts words into the field. */
  example(words) {
    const button = element("button", { type: "button" }, words);
    button.addEventListener("click", () => {
      this.field.value = words;
      this.read();
    });
    return button;
  }

  numbers() {
    const named = ["query, 1st", "query, 2nd", "query, 3rd"];
    this.sliders = named.map((name, i) => {
      return numberControl(name, [-5, 5, 0.1], (number) => {
        this.query = this.query.map((old, n) => (n === i ? number : old));
        this.show();
      });
    });
    const divisor = numberControl("divide by", [0.1, 6, 0.01], (number) => {
      this.chosen = { ...this.chosen, divisor: number };
      this.show();
    });
    divisor.set(this.chosen.divisor);
    return [...this.sliders, divisor].map(({ line }) => line);
  }

  choices() {
    const name = `mb-ways-${this.sentences[0]}`;
    const boxes = this.ways.map((way) => {
      const box = element("input", { type: "radio", name });
      box.checked = way === this.chosen;
      box.addEventListener("change", () => {
        this.chosen = way;
        this.show();
      });
      return element("label", {}, box, ` ${way.name}`);
    });
    return element("fieldset", {}, element("legend", {}, "Weighed by"), ...boxes);
  }

  /** Read the words, and let the same one ask as before if it is still there. */
  read() {
    const known = new Set(Object.keys(this.vectors));
    const strangers = unknownWords(this.field.value, known);
    this.unknown.textContent = strangers.length ? `No vector for ${strangers.join(", ")}.` : "";
    this.unknown.hidden = !strangers.length;
    this.words = splitWords(this.field.value).filter((word) => known.has(word));
    const buttons = this.words.map((word, i) => {
      const button = element("button", { type: "button", class: "mb-hide" }, word);
      button.addEventListener("click", () => this.ask(i));
      return button;
    });
    this.askers.replaceChildren("Who asks: ", ...buttons);
    const same = this.words.indexOf(this.asking);
    this.ask(Math.max(same, 0), same >= 0 && this.query);
  }

  /** Let a word ask: with a query of the reader's, or else with its own. */
  ask(who, query) {
    this.asks = who;
    this.asking = this.words[who] ?? this.asking;
    [...this.askers.children].forEach((one, i) => one.setAttribute("aria-pressed", i === who));
    if (this.free && this.words.length) {
      this.query = query || vectorTimes(this.vectors[this.asking], this.chosen.query);
      this.sliders.forEach(({ set }, i) => set(this.query[i]));
    }
    this.show();
  }

  show() {
    try {
      if (!this.words.length) throw new Error("type a word that has a vector here");
      if (!(this.chosen.divisor > 0)) throw new Error("divide by a number above 0");
      const rows = this.words.map((word) => this.vectors[word]);
      const found = weighWords(rows, this.asks, this.chosen, this.query);
      this.place.replaceChildren(weightTable(this.words, found));
      const told = tellWeights(this.words, this.asks, found.probs);
      this.status.textContent = `${told} ${tellMix(found.mix, this.compare)}`;
    } catch (error) {
      this.place.replaceChildren(); // what stands there is of other words
      this.status.textContent = error.message;
    }
  }
}

parts["weigh-words"] = (figure, given) => new WeighFigure(figure, given);
