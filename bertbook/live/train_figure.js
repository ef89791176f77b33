// Train the toy in the page: start, pause, step, begin again with another seed, with positions or
// without, and ask what it has learned. Chapter 5.

const [MAP_HEIGHT, TOY_POSITIONS] = [360, 9];

/** Draw the answers to the questions: a row for each, the likeliest word first. */
function drawQueries(queries, answers, words) {
  const rows = queries.map((query, number) => {
    const shares = answers[number].map(([id, prob]) => `${words[id]} ${prob.toFixed(2)}`);
    const head = element("th", { scope: "row" }, query);
    return element("tr", {}, head, element("td", {}, shares.join(", ")));
  });
  return element("table", { class: "mb-table mb-queries" }, element("tbody", {}, ...rows));
}

/** Draw words where their vectors lie, each with a dot in the color of its group. */
function drawWords(groups, points, width, letter = 13) {
  const farthest = Math.max(...points.flat().map(Math.abs), 1e-9);
  const along = (half) => (n) => half * (1 + (0.85 * n) / farthest);
  const [x, y] = [width / 2, MAP_HEIGHT / 2].map(along);
  const dots = points.map((point) => [x(point[0]), y(-point[1])]);
  const words = groups.map(([word]) => word);
  const boxes = roomForLabels(dots, words, letter, [width, MAP_HEIGHT]);
  return groups.map(([word, color], n) => {
    const [cx, cy] = dots[n].map((a) => a.toFixed(1));
    const [left, , right, bottom] = boxes[n];
    const middle = { x: ((left + right) / 2).toFixed(1), "text-anchor": "middle" };
    const look = { ...middle, y: (bottom - 2.5).toFixed(1), fill: "currentColor" };
    const text = svgElement("text", look, word);
    return svgElement("g", {}, svgElement("circle", { cx, cy, r: 4, fill: color }), text);
  });
}

class TrainingFigure {
  constructor(figure, { sentences, queries, ladder, groups, record }) {
    const mask = "[MASK]";
    const all = sentences.map((sentence) => sentence.split(" "));
    this.words = [...[...new Set(all.flat())].sort(), mask];
    this.maskId = this.words.length - 1;
    this.encoded = all.map((tokens) => this.idsOf(tokens));
    this.stored = queries.map((query) => query.split(" "));
    this.colored = groups.flatMap(({ members, color }) => members.map((word) => [word, color]));
    this.chosen = this.idsOf(this.colored.map(([word]) => word));
    Object.assign(this, { ladder, groups, record, seed: 0, steps: 200 });
    this.width = matchMedia("(max-width: 600px)").matches ? 240 : 600;
    this.ask(undefined);
    this.build(figure.querySelector(".mb-stage"));
    this.begin();
  }

  idsOf(tokens) {
    return tokens.map((token) => this.words.indexOf(token));
  }

  /** Take a question of the reader's beside the stored ones. */
  ask(own) {
    this.queries = own ? [own, ...this.stored] : this.stored;
    this.asked = this.queries.map((tokens) => {
      const ids = this.idsOf(tokens);
      return { ids, position: ids.indexOf(this.maskId), label: this.maskId };
    });
    if (this.worker) this.send({ queries: this.asked });
  }

  build(stage) {
    const button = (name, action) => {
      const made = element("button", { type: "button" }, name);
      made.addEventListener("click", action);
      return made;
    };
    this.start = button("Start", () => this.run(!this.isRunning));
    this.once = button("One step", () => this.send({ once: true }));
    this.again = button("Another seed", () => this.begin(this.seed + 1));
    const box = `-4 -8 ${this.width + 130} ${PLOT_HEIGHT + 16}`;
    this.plot = svgElement("svg", { viewBox: box, role: "img", class: "mb-plot" });
    this.answers = element("div", { class: "mb-scroll" });
    this.status = element("p", { role: "status" });
    this.map = this.buildMap();
    this.positions = element("input", { type: "checkbox", checked: "" });
    this.positions.addEventListener("change", () => this.begin());
    const choice = element("fieldset", {}, element("label", {}, this.positions, "with positions"));
    const buttons = element("p", {}, this.start, this.once, this.again);
    const known = new Set(this.words.slice(0, -1));
    const field = questionField(known, TOY_POSITIONS, (own) => this.ask(own));
    stage.replaceChildren(choice, buttons, this.plot, this.status, field, this.answers, this.map);
  }

  /** Build the map of words with its legend. */
  buildMap() {
    const viewBox = `0 0 ${this.width + 130} ${MAP_HEIGHT}`;
    const told = `${this.chosen.length} words along the two directions in which they spread most`;
    const named = { role: "img", "aria-label": told, class: "mb-plot", "font-size": 13 };
    this.words2d = svgElement("svg", { viewBox, ...named });
    const legend = this.groups.map(({ name, color }) => {
      const dot = element("span", { style: `color:${color}`, "aria-hidden": "true" }, "● ");
      return element("span", {}, dot, `${name} `);
    });
    return element("div", {}, this.words2d, element("p", {}, ...legend));
  }

  /** Draw new weights and wait; the worker starts with the first click. */
  begin(seed = this.seed) {
    Object.assign(this, { seed, losses: [], exhaustive: [], isRunning: false, isBegun: false });
    this.worker?.terminate();
    this.worker = undefined;
    this.start.textContent = "Start";
    const told = `${this.steps} steps of 128 hidden words, nothing learned yet`;
    this.status.textContent = `Seed ${seed}: ${told}.`;
    this.answers.replaceChildren();
    this.map.hidden = true;
    this.draw();
  }

  send(message) {
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = ({ data }) => this.hear(data);
      const positions = this.positions.checked ? TOY_POSITIONS : 0;
      const sizes = { vocab: this.words.length, hidden: 128, positions };
      const begin = { ...sizes, steps: this.steps, seed: this.seed };
      const { encoded, maskId, asked, chosen } = this;
      this.worker.postMessage({ begin, encoded, maskId, queries: asked, chosen });
    }
    this.worker.postMessage(message);
  }

  run(isRunning) {
    this.isRunning = isRunning;
    this.start.textContent = isRunning ? "Pause" : "Go on";
    this.send({ run: isRunning });
  }

  hear({ step, loss, exhaustive, answers, points }) {
    if (loss !== undefined) this.losses.push(loss);
    if (exhaustive !== undefined) this.exhaustive.push([step, exhaustive]);
    if (answers) this.answers.replaceChildren(this.drawn(answers));
    if (points) {
      this.map.hidden = false;
      this.words2d.replaceChildren(...drawWords(this.colored, points, this.width + 130));
    }
    if (exhaustive !== undefined) this.status.textContent = this.sentence(step, exhaustive);
    if (step === this.steps) this.start.textContent = "Done";
    this.draw();
  }

  /** Draw the answers, unless the questions have changed since they were given. */
  drawn(answers) {
    const fits = answers.length === this.queries.length;
    const queries = this.queries.map((tokens) => tokens.join(" "));
    return fits ? drawQueries(queries, answers, this.words) : this.answers.firstChild ?? "";
  }

  sentence(step, loss) {
    const above = (loss - this.ladder.floor).toFixed(3);
    const told = `${loss.toFixed(3)} nats over all hidden words, ${above} above the floor`;
    return `Step ${step} of ${this.steps}: ${told}.`;
  }

  draw() {
    const beside = [...drawLadder(this.ladder, this.width), ...drawRecord(this.record, this.width)];
    const drawn = [...beside, ...drawLosses(this)];
    const told = `The loss after ${this.losses.length} steps, beside the ladder`;
    this.plot.setAttribute("aria-label", told);
    this.plot.replaceChildren(...drawn);
    this.start.disabled = this.once.disabled = this.losses.length === this.steps;
  }
}

parts["train-the-toy"] = (figure, data) => new TrainingFigure(figure, data);
