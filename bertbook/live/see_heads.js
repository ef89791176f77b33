// All heads of a model on a sentence of the reader's own: small maps, of which one is enlarged.
// Chapter 8.

const [LEVELS, STRONGEST] = [10, 0.8]; // strengths of color, and the opacity of the last

const TARGETS = {
  "[CLS]": (i, j, pieces) => pieces[j] === "[CLS]",
  "[SEP]": (i, j, pieces) => pieces[j] === "[SEP]",
  itself: (i, j) => j === i,
  "the previous token": (i, j) => j === i - 1,
  "the next token": (i, j) => j === i + 1,
};

/** Cut out of all maps of a layer that of one head: a row for each query. */
function mapOfHead({ data, shape: [, seq] }, head) {
  return Array.from({ length: seq }, (_, i) => {
    return data.subarray((head * seq + i) * seq, (head * seq + i + 1) * seq);
  });
}

/** Measure how much of their attention words spend on five targets, on average. */
function targetShares(map, pieces) {
  const words = pieces.flatMap((piece, i) => (isOfWord(piece) ? [i] : []));
  const spent = (i, isTarget) => {
    return map[i].reduce((sum, prob, j) => (isTarget(i, j, pieces) ? sum + prob : sum), 0);
  };
  return Object.entries(TARGETS).map(([name, isTarget]) => {
    const total = words.reduce((sum, i) => sum + spent(i, isTarget), 0);
    return [name, total / words.length];
  });
}

/** Draw a map in ten strengths of one color; with pieces, they stand left and above. */
function drawMap(map, pieces = []) {
  const paths = Array(LEVELS + 1).fill("");
  map.forEach((row, i) => {
    row.forEach((prob, j) => {
      paths[Math.round(LEVELS * prob)] += `M${j} ${i}h1`;
    });
  });
  const lines = paths.slice(1).map((d, n) => {
    return svgElement("path", { d, opacity: (STRONGEST * (n + 1)) / LEVELS });
  });
  const seq = map.length;
  const margin = 0.45 * Math.max(0, ...pieces.map(({ length }) => length)) + 0.4;
  const size = seq + margin + 0.1;
  const text = (piece, i) => svgElement("text", { y: i + 0.7 }, piece);
  const upright = { transform: "rotate(-90)translate(.3)" };
  const beside = { "text-anchor": "end", transform: "translate(-.3)" };
  const frame = { d: `M0 0h${seq}v${seq}h-${seq}z`, stroke: "currentColor", opacity: 0.5 };
  const viewBox = `${-margin} ${-margin} ${size} ${size}`;
  const style = pieces.length ? `min-width:${16 * size}px` : ""; // letters of 11 pixels
  return svgElement(
    "svg",
    { viewBox, style, fill: "none", "aria-hidden": "true" },
    svgElement("g", { stroke: "#2f7ec4", transform: "translate(0 .5)" }, ...lines),
    svgElement("path", { ...frame, "stroke-width": 0.04 }),
    svgElement(
      "g",
      { fill: "currentColor", "font-size": 0.7 },
      svgElement("g", beside, ...pieces.map(text)),
      svgElement("g", upright, ...pieces.map(text)),
    ),
  );
}

/** Draw one head large, with its tokens and with what its words spend their attention on. */
function drawHead(map, pieces) {
  const rows = targetShares(map, pieces).map(([name, share]) => {
    return element("tr", {}, element("th", { scope: "row" }, name), shareCell(share));
  });
  const named = { tabindex: "0", role: "group", "aria-label": "attention of this head" };
  return [
    element("div", { class: "mb-scroll mb-large", ...named }, drawMap(map, pieces)),
    element("table", { class: "mb-table mb-answers" }, element("tbody", {}, ...rows)),
  ];
}

/** Say on what a head spends most. */
function tellHead([layer, head], map, pieces) {
  const [[name, share]] = targetShares(map, pieces).sort((a, b) => b[1] - a[1]);
  const told = `head ${layer + 1}.${head + 1} spends most on ${name}: ${share.toFixed(2)}`;
  return `${pieces.length} tokens. Of the five targets, ${told}.`;
}

/** Build a button for each head, with its map; `choose` gets layer and head. */
function headButtons(attentions, choose) {
  return attentions.flatMap((probs, layer) => {
    return Array.from({ length: probs.shape[0] }, (_, head) => {
      const name = element("small", {}, `head ${layer + 1}.${head + 1}`);
      const drawn = drawMap(mapOfHead(probs, head));
      const button = element("button", { type: "button", class: "mb-head" }, drawn, name);
      button.addEventListener("click", () => choose([layer, head]));
      return { button, pair: `${layer},${head}` };
    });
  });
}

parts["see-heads"] = (figure, { model, text, head }) => {
  let chosen = head;
  const draw = (stage, [typed], say) => {
    const { inputIds, tokenTypeIds, pieces } = typedRow(typed, model);
    const { attentions } = forward(model, inputIds, tokenTypeIds);
    const large = element("div", { class: "mb-enlarged" });
    const choose = (pair) => {
      chosen = pair;
      const map = mapOfHead(attentions[pair[0]], pair[1]);
      large.replaceChildren(...drawHead(map, pieces));
      for (const one of buttons) {
        one.button.setAttribute("aria-pressed", one.pair === pair.join());
      }
      say(tellHead(pair, map, pieces));
    };
    const buttons = headButtons(attentions, choose);
    const grid = element("div", { class: "mb-heads", role: "group", "aria-label": "Heads" });
    grid.style.setProperty("--heads", attentions[0].shape[0]);
    grid.append(...buttons.map(({ button }) => button));
    stage.replaceChildren(grid, large);
    choose(chosen);
  };
  mountSentences(figure, { model, fields: [["Your sentence", text]] }, draw);
};
