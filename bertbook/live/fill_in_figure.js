// The figure around fill_in.js: which sentence, which word, which heads.

/** List the choices of heads: all of one layer, or one alone. */
function headChoices(attentions) {
  return attentions.flatMap(({ shape: [heads] }, layer) => {
    const all = Array.from({ length: heads }, (_, head) => [layer, head]);
    const one = all.map((pair) => [`head ${layer + 1}.${pair[1] + 1}`, [pair]]);
    return [[`layer ${layer + 1}, mean of its heads`, all], ...one];
  });
}

/** Find out which layers and heads a model has: compute for one token. */
function headsOf(name) {
  return headChoices(forward(name, [0]).attentions);
}

/** Split what somebody typed into sentences at |, and into words. */
function readSentences(text, tokenizer) {
  const sentences = text.split("|").slice(0, 2);
  return sentences.map((part) => tokenizer.words(part).map(({ word }) => word));
}

/** Make a typed text something to ask about: the first [MASK] is hidden, else the last word. */
function typedText(text, tokenizer) {
  const sentences = readSentences(text, tokenizer);
  const words = sentences.flat();
  if (!words.length) throw new Error("there is no word yet; type a sentence");
  const marked = words.indexOf("[MASK]");
  return { sentences, hidden: marked < 0 ? words.length - 1 : marked, best: [] };
}

/** Build the controls: a sentence to choose, a field to type in with words for it, and heads. */
function blankControls(texts, known) {
  const options = texts.map(({ sentences }, number) => {
    const shown = sentences.map((words) => words.join(" ")).join(" | ");
    return element("option", { value: number }, shown);
  });
  const labeled = (name, control) => element("label", {}, `${name} `, control);
  const choice = element("select", {}, ...options);
  const field = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  const heads = element("select", {});
  const seen = texts.flatMap(({ sentences }) => sentences.flat()).filter((one) => one.length > 3);
  const help = wordHelp(field, known, ["[MASK]", ...new Set(seen)]);
  return {
    choice,
    field,
    heads,
    above: element("p", {}, labeled("Sentences", choice)),
    own: element("div", {}, labeled("Your own sentence", field), ...help),
    below: element("p", {}, labeled("Where [MASK] looked:", heads)),
  };
}

/** Build a checkbox for each head; some are checked at first. */
function headSwitches(legend, choices, checked = []) {
  const alone = choices.filter(([, heads]) => heads.length === 1);
  const boxes = alone.map(([name, [pair]]) => {
    const box = element("input", { type: "checkbox", value: pair.join() });
    box.checked = checked.some((one) => one.join() === pair.join());
    return element("label", {}, box, ` ${name.replace("head ", "")}`);
  });
  return element("fieldset", {}, element("legend", {}, legend), ...boxes);
}

/** List the heads that are checked, as pairs of layer and head. */
function checkedHeads(switches) {
  const boxes = [...(switches?.querySelectorAll(":checked") ?? [])];
  return boxes.map(({ value }) => value.split(",").map(Number));
}

class BlankFigure {
  constructor(figure, { model, texts, silence, words }) {
    Object.assign(this, { model, texts, silence, text: { ...texts[0] }, isReady: false });
    this.known = new Set(words.split(" "));
    this.controls = blankControls(texts, this.known);
    this.sentence = element("div", {
      class: "mb-sentence",
      role: "group",
      "aria-label": "Sentence",
    });
    this.answers = element("div", {});
    this.status = element("p", { role: "status" });
    this.ask = element("button", { type: "button" }, `Let the model answer (${toldSize(model)})`);
    this.controls.below.hidden = true;
    this.listen();
    this.begin(figure.querySelector(".mb-stage"));
  }

  /** Take the place of what is seen without a script. */
  begin(stage) {
    const { above, own, below } = this.controls;
    const answer = [this.sentence, this.answers, this.status];
    stage.replaceChildren(above, ...answer, below, own, this.ask);
    this.show();
  }

  verdict(answers, best, truth) {
    return verdict(answers, best, truth);
  }

  buttons() {
    return [...this.sentence.querySelectorAll("button")];
  }

  listen() {
    const { choice, field, heads } = this.controls;
    choice.addEventListener("change", () => this.change({ ...this.texts[choice.value] }));
    heads.addEventListener("change", () => this.show());
    const ask = () => (field.value.trim() ? this.type(field.value) : this.change(this.text));
    this.ask.addEventListener("click", ask);
    field.addEventListener("keydown", ({ key }) => key === "Enter" && ask());
    this.sentence.addEventListener("click", ({ target }) => {
      const number = this.buttons().indexOf(target.closest("button"));
      if (number >= 0) this.change({ ...this.text, hidden: number });
    });
  }

  /** Load the model at the first call; say how far it is. */
  async load() {
    if (this.isReady) return;
    this.loading ??= this.bring().finally(() => (this.loading = undefined));
    await this.loading;
  }

  async bring() {
    await ready(this.model, (line) => (this.status.textContent = line));
    this.choices = headsOf(this.model);
    this.controls.heads.append(
      ...this.choices.map(([name], number) => element("option", { value: number }, name)),
    );
    const last = this.choices.findLastIndex(([, heads]) => heads.length > 1);
    this.controls.heads.value = Math.max(last, 0);
    this.controls.below.hidden = false;
    if (this.silence) {
      this.switches = headSwitches("Silence heads", this.choices);
      this.onlyAt = element("select", {});
      for (const control of [this.switches, this.onlyAt]) {
        control.addEventListener("change", () => this.show());
      }
      this.answers.before(this.switches);
      const label = element("label", {}, "Let these heads look only at: ", this.onlyAt);
      this.controls.below.append(label);
    }
    this.ask.textContent = "Let the model answer";
    this.isReady = true;
  }

  type(text) {
    return this.change(() => typedText(text, modelOf(this.model).tokenizer));
  }

  /** Take another text, or another word of it, and show what comes of it; say what went wrong. */
  async change(text) {
    const before = this.text;
    try {
      await this.load();
      this.text = typeof text === "function" ? text() : text;
      this.show();
    } catch (error) {
      this.text = before;
      if (this.isReady) [this.sentence, this.answers].forEach((part) => part.replaceChildren());
      this.status.textContent = error.message;
    }
  }

  show() {
    const chosen = this.isReady && this.choices[this.controls.heads.value][1];
    const { answers, weights = [] } = this.text.answered ?? {}; // what is known without the model
    const nothing = { answers: new Map(), weights: [] };
    const stored = { answers: new Map(answers), weights };
    const changes = this.changes();
    const whole = chosen ? askModel(this.model, this.text, chosen) : stored;
    const changed = changes ? askModel(this.model, this.text, chosen, changes) : nothing;
    this.showSentence((changes ? changed : whole).weights);
    this.showAnswers(whole.answers, changed.answers);
  }

  /** Say what the reader changes inside the model, if anything. */
  changes() {
    if (!this.onlyAt) return undefined;
    const words = this.text.sentences.flat();
    if (this.onlyAt.dataset.words !== words.join(" ")) {
      const options = words.map((word, n) => element("option", { value: n }, word));
      this.onlyAt.replaceChildren(element("option", { value: "" }, "what they choose"), ...options);
      this.onlyAt.dataset.words = words.join(" ");
    }
    const headsOff = checkedHeads(this.switches);
    const onlyAt = this.onlyAt.value === "" ? undefined : Number(this.onlyAt.value);
    return headsOff.length || onlyAt !== undefined ? { headsOff, onlyAt } : undefined;
  }

  showSentence(weights) {
    const { sentences, hidden } = this.text;
    const focused = this.sentence.contains(document.activeElement);
    let number = 0;
    const draw = (word) => {
      const isKnown = this.known.has(word);
      return wordButton(word, number === hidden, weights[number++], isKnown);
    };
    const spaced = (word) => [draw(word), " "];
    const lines = sentences.map((line) => element("div", {}, ...line.flatMap(spaced)));
    this.sentence.replaceChildren(...lines);
    if (focused) this.buttons()[hidden].focus();
  }

  showAnswers(whole, changed) {
    const { sentences, hidden, best } = this.text;
    const word = sentences.flat()[hidden];
    const truth = word === "[MASK]" ? undefined : word;
    const known = new Map(best[hidden] ?? []);
    const columns = [
      ["the model", whole],
      ["changed", changed],
      ["at best", known],
    ];
    this.answers.replaceChildren(answerTable(columns, truth));
    this.status.textContent = this.verdict(changed.size ? changed : whole, known, truth);
  }
}

parts["fill-in-the-blank"] = (figure, data) => new BlankFigure(figure, data);
