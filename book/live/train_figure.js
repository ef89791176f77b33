// Train the toy in the page: start, pause, step, begin again with another seed. Chapter 5.

const [PLOT_HEIGHT, HIGHEST, MAP_HEIGHT] = [240, 5, 300];

/** Turn a share of the steps and a loss into a point of the drawing. */
function pointAt(share, loss, width) {
  return [width * share, PLOT_HEIGHT * (1 - Math.min(loss, HIGHEST) / HIGHEST)].map((a) =>
    a.toFixed(1),
  );
}

/** Draw the lines that a loss is held against. */
function drawLadder(ladder, width) {
  return Object.entries(ladder).flatMap(([name, loss]) => {
    const [, y] = pointAt(0, loss, width);
    const line = { x1: 0, x2: width, y1: y, y2: y, stroke: "currentColor" };
    const text = { x: width + 8, y: +y + 4, fill: "currentColor", "font-size": 14 };
    const dashes = { "stroke-dasharray": "4 4", "stroke-opacity": 0.5 };
    return [
      svgElement("line", { ...line, ...dashes }),
      svgElement("text", text, `${name} ${loss.toFixed(2)}`),
    ];
  });
}

/** Draw the losses so far: a line for the batches, dots for all riddles at once. */
function drawLosses({ losses, exhaustive, steps, width }) {
  const points = losses.map((loss, n) => pointAt((n + 1) / steps, loss, width).join()).join(" ");
  const line = { points, fill: "none", stroke: "#2f7ec4", "stroke-width": 2 };
  const dots = exhaustive.map(([step, loss]) => {
    const [cx, cy] = pointAt(step / steps, loss, width);
    return svgElement("circle", { cx, cy, r: 4, fill: "#c8681e" });
  });
  return [svgElement("polyline", line), ...dots];
}

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
function drawWords(groups, points, width) {
  const farthest = Math.max(...points.flat().map(Math.abs), 1e-9);
  const along = (half) => (n) => half * (1 + (0.85 * n) / farthest);
  const [x, y] = [width / 2, MAP_HEIGHT / 2].map(along);
  return groups.map(([word, color], n) => {
    const [cx, cy] = [x(points[n][0]), y(-points[n][1])].map((a) => a.toFixed(1));
    const text = svgElement("text", { x: +cx + 7, y: +cy + 4, fill: "currentColor" }, word);
    return svgElement("g", {}, svgElement("circle", { cx, cy, r: 5, fill: color }), text);
  });
}

class TrainingFigure {
  constructor(figure, { sentences, queries, ladder, groups }) {
    const mask = "[MASK]";
    const all = sentences.map((sentence) => sentence.split(" "));
    this.words = [...[...new Set(all.flat())].sort(), mask];
    this.maskId = this.words.length - 1;
    const idsOf = (tokens) => tokens.map((token) => this.words.indexOf(token));
    this.encoded = all.map(idsOf);
    this.asked = queries.map((query) => {
      const ids = idsOf(query.split(" "));
      return { ids, place: ids.indexOf(this.maskId), label: this.maskId };
    });
    this.colored = groups.flatMap(({ members, color }) => members.map((word) => [word, color]));
    this.chosen = idsOf(this.colored.map(([word]) => word));
    Object.assign(this, { queries, ladder, groups, seed: 0 });
    const isPhone = matchMedia("(max-width: 600px)").matches;
    [this.steps, this.width] = isPhone ? [100, 240] : [200, 600]; // a phone has less to do
    this.build(figure.querySelector(".mb-stage"));
    this.begin();
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
    const buttons = element("p", {}, this.start, this.once, this.again);
    stage.replaceChildren(buttons, this.plot, this.status, this.answers, this.map);
  }

  /** Build the map of words with its legend. */
  buildMap() {
    const viewBox = `0 0 ${this.width + 130} ${MAP_HEIGHT}`;
    const told = `${this.chosen.length} words along the two directions in which they spread most`;
    const named = { role: "img", "aria-label": told, class: "mb-plot", "font-size": 14 };
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
    const told = `${this.steps} steps of 128 riddles, nothing learned yet`;
    this.status.textContent = `Seed ${seed}: ${told}.`;
    this.answers.replaceChildren();
    this.map.hidden = true;
    this.draw();
  }

  send(message) {
    if (!this.worker) {
      this.worker = startWorker();
      this.worker.onmessage = ({ data }) => this.hear(data);
      const sizes = { vocab: this.words.length, hidden: 128, positions: 9 };
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
    if (answers) this.answers.replaceChildren(drawQueries(this.queries, answers, this.words));
    if (points) {
      this.map.hidden = false;
      this.words2d.replaceChildren(...drawWords(this.colored, points, this.width + 130));
    }
    if (exhaustive !== undefined) this.status.textContent = this.sentence(step, exhaustive);
    if (step === this.steps) this.start.textContent = "Done";
    this.start.disabled = this.once.disabled = step === this.steps;
    this.draw();
  }

  sentence(step, loss) {
    const above = (loss - this.ladder.floor).toFixed(3);
    const told = `${loss.toFixed(3)} nats over all riddles, ${above} above the floor`;
    return `Step ${step} of ${this.steps}: ${told}.`;
  }

  draw() {
    const drawn = [...drawLadder(this.ladder, this.width), ...drawLosses(this)];
    const told = `The loss after ${this.losses.length} steps, beside the ladder`;
    this.plot.setAttribute("aria-label", told);
    this.plot.replaceChildren(...drawn);
    this.start.disabled = this.once.disabled = this.losses.length === this.steps;
  }
}

parts["train-the-toy"] = (figure, data) => new TrainingFigure(figure, data);
