// The parts of the page's script that need no page. Numbers of whole models are held to the
// package in a browser, by tests/book; here stands what must hold of each part alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const LIVE = new URL("../../bertbook/live/", import.meta.url);
const FILES = ["arrays", "text", "wordpiece", "embeddings", "interventions", "attention", "weights"];
FILES.push("elements", "sentence_figure", "see_heads", "fill_in", "matrices", "toy_training");
FILES.push("learning", "memory", "word_map", "known_words", "own_question");
FILES.push("loss_plot", "bigram_chain", "any_sentence");
const WANTED = ["halfToNumber", "WordPieceTokenizer", "targetShares", "rowWithBlank", "chance"];
WANTED.push("permutation", "mapOfWords", "lookOnlyAt", "editRows", "patch", "likelyWords");
WANTED.push("offeredWords", "unknownWords", "questionProblem", "roomForLabels", "overlapOf");
WANTED.push("spread", "pointAt", "decodeEightBits", "BigramChain", "readWords", "joinWords");
WANTED.push("sentenceProblem", "lacksStop", "piecesTold");

const read = (path) => readFileSync(new URL(path, LIVE), "utf8");
const unicode = JSON.stringify(read("../../minibert/unicode8.txt"));
const code = [`const UNICODE_8 = ${unicode};`, ...FILES.map((name) => read(`${name}.js`))];
const live = new Function(`${code.join("\n")}\nreturn { ${WANTED.join()} };`)();

const PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "play", "##ing", "##s", "the"];

function zeros(...shape) {
  return { data: new Float32Array(shape.reduce((a, b) => a * b)), shape };
}

function near(found, wanted, tolerance = 1e-6) {
  assert.equal(found.length, wanted.length);
  found.forEach((number, i) => {
    assert.ok(Math.abs(number - wanted[i]) <= tolerance, `${number} is not ${wanted[i]} at ${i}`);
  });
}

test("16 bits are the numbers that the standard names", () => {
  const bits = [0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x8000];
  near(bits.map(live.halfToNumber), [1, -2, 65504, 2 ** -24, 0.333251953125, 0], 1e-12);
});

test("whole numbers are multiplied by the scale of their row, and vectors come as they are", () => {
  const base64 = (array) => Buffer.from(array.buffer).toString("base64");
  const tensors = live.decodeEightBits({
    rows: [["a", [2, 3]]],
    numbers: base64(Int8Array.from([127, -127, 0, 1, -2, 3])),
    shapes: [["a.scale", [2]], ["b", [1]]],
    data: base64(Float32Array.from([0.5, 2, -7])),
  });
  assert.deepEqual(tensors.get("a").shape, [2, 3]);
  near(tensors.get("a").data, [63.5, -63.5, 0, 2, -4, 6], 0);
  near(tensors.get("b").data, [-7], 0);
});

test("counts of pairs answer from both sides, and in neighboring places together", () => {
  // [CLS] the, the play, play ##s: 1, 300 and 2 times; steps of numbers left * 9 + right.
  const pairs = [[2, 8, 1], [5, 7, 2], [8, 5, 300]];
  let last = 0;
  const bytes = pairs.flatMap(([left, right, count]) => {
    const step = 9 * left + right - last;
    last += step;
    return [step, count].flatMap((n) => (n > 127 ? [(n & 127) | 128, n >> 7] : [n]));
  });
  const chain = new live.BigramChain(Buffer.from(bytes).toString("base64"), 9);
  // Discount 1 / (1 + 2) = 1/3; the base is (count of pieces before + 1/2) / 7.5.
  near(chain.rest.slice(5), [1 / 6, 1, 1, 1 / 900], 1e-12);
  near([chain.base[5], chain.base[6]], [1.5 / 7.5, 0.5 / 7.5], 1e-12);
  const [first, second] = chain.answers([2, 4, 4, 7, 3], 4);
  assert.ok(first[8] > 0.9 && second[5] > 0.9);
  near([first.slice(0, 5).reduce((a, b) => a + b), first.reduce((a, b) => a + b)], [0, 1], 1e-12);
  assert.deepEqual(chain.answers([2, 8, 3], 4), []);
});

test("a typed sentence has its lines to fill in, and says what keeps it from an answer", () => {
  const tokenizer = new live.WordPieceTokenizer([...PIECES, "."]);
  const read = (text) => live.readWords(text, tokenizer);
  const texts = (text) => read(text).map(({ word }) => word);
  assert.deepEqual(texts("The ____ plays[mask]."), ["the", "[MASK]", "plays", "[MASK]", "."]);
  assert.equal(live.joinWords(texts("the ___plays .")), "the [MASK] plays.");
  assert.deepEqual(texts(live.joinWords(texts("the_. play"))), texts("the_. play"));
  assert.equal(live.sentenceProblem(read("the _"), 4), "");
  assert.match(live.sentenceProblem(read("the _ ."), 4), /has 5 pieces; the model takes 4/);
  assert.match(live.sentenceProblem(read("the"), 4), /Nothing is hidden yet: click a word/);
  assert.match(live.sentenceProblem(read(" "), 4), /no word yet/);
  assert.deepEqual(["the _", "the.", "the )", ""].map((text) => live.lacksStop(read(text))), [
    true, false, false, false,
  ]);
  assert.equal(live.piecesTold(read("playing the ж"), tokenizer),
    "It reads “playing” as play ##ing, “ж” as [UNK].");
});

test("one word is hidden, whatever pieces it has", () => {
  const tokenizer = new live.WordPieceTokenizer(PIECES);
  const row = live.rowWithBlank([["the", "playing"], ["plays"]], 1, tokenizer);
  assert.deepEqual(row.inputIds, [2, 8, 4, 3, 5, 7, 3]);
  assert.deepEqual(row.places, [[1, 2], [2, 3], [4, 6]]);
});

test("what lies before the first token or behind the last is refused, in every head", () => {
  const change = (query) => live.editRows(zeros(2, 3, 3), [{ head: 1, query, probs: [1, 0, 0] }]);
  const put = (position) => {
    const edits = { hiddenStates: [{ layer: 1, position, vector: [1, 1] }] };
    return live.patch(zeros(3, 2), 1, { edits });
  };
  for (const at of [-1, 3]) {
    assert.throws(() => change(at), /tokens run from 0 to 2/);
    assert.throws(() => put(at), /tokens run from 0 to 2/);
  }
  for (const at of [0, 2]) {
    assert.equal(change(at).data.indexOf(1), 9 + 3 * at);
    assert.equal(put(at).data.indexOf(1), 2 * at);
  }
});

test("words are listed from half a percent on, and the truth always", () => {
  const column = new Map([["a", 0.6], ["b", 0.005], ["c", 0.0049], ["d", 0.3]]);
  assert.deepEqual(live.likelyWords([column]), ["a", "d", "b"]);
  assert.deepEqual(live.likelyWords([column], "c"), ["a", "d", "b", "c"]);
});

test("words that begin as the last one does are offered, and unknown ones are named once", () => {
  const known = new Set(["ball", "bat", "the"]);
  const offered = (text) => live.offeredWords(text, known, ["[MASK]"]);
  assert.deepEqual(["the ba", "The|BA", "ball", "the ", "x"].map(offered), [
    ["ball", "bat"], ["ball", "bat"], [], ["[MASK]"], [],
  ]);
  assert.deepEqual(live.unknownWords("The zoo [MASK] | ball, zoo", known), ["zoo", ","]);
});

test("what words spend on targets is what Chapter 20 finds with a pencil", () => {
  const words = [[0.1, 0.3, 0.2, 0.4], [0.2, 0.6, 0, 0.2]];
  const map = [[0.4, 0.2, 0.2, 0.2], ...words, [0.1, 0.1, 0.1, 0.7]];
  const shares = Object.fromEntries(live.targetShares(map, ["[CLS]", "she", "sings", "[SEP]"]));
  near([shares["[SEP]"], shares["the previous token"]], [0.3, 0.35]);
});

test("chance depends on the seed alone, and a shuffle loses nothing", () => {
  const draw = (seed) => live.permutation(live.chance(seed), 20);
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  assert.deepEqual(draw(1).sort((a, b) => a - b), [...Array(20).keys()]);
});

test("a question says what keeps a model from answering it", () => {
  const problem = (text) => live.questionProblem(text, new Set(["the", "man", "book"]), 4);
  assert.equal(problem("The man [MASK]"), "");
  assert.equal(problem("the[MASK]"), "");
  assert.match(problem("the man read the [MASK]"), /never seen “read”/);
  assert.match(problem("the man"), /Write \[MASK\] once/);
  assert.match(problem("[MASK] the [MASK]"), /once/);
  assert.match(problem("the the the the [MASK]"), /at most 4 words/);
  assert.match(problem("[MASK]"), /beside/);
});

test("the lines of the ladder keep their labels apart, and the lowest can be told apart", () => {
  const heights = [4.489, 3.493, 0.891, 0.106, 0.076].map((loss) => +live.pointAt(0, loss, 1)[1]);
  assert.ok(heights[4] - heights[3] > 16);
  const labels = live.spread(heights);
  labels.slice(1).forEach((y, n) => assert.ok(y - labels[n] >= 16));
  assert.deepEqual(live.spread([0, 1, 2, 90]), [0, 16, 32, 90]);
});

test("words on a map find room beside their points", () => {
  const points = [[50, 50], [52, 54], [60, 47], [51, 46]];
  const boxes = live.roomForLabels(points, ["bread", "meat", "milk", "fish"], 13, [200, 100]);
  boxes.forEach((box, n) => {
    boxes.slice(n + 1).forEach((other) => assert.equal(live.overlapOf(box, other), 0));
    assert.ok(box[0] >= 0 && box[1] >= 0 && box[2] <= 200 && box[3] <= 100);
  });
});

test("a map of words keeps distances in a plane, and stays as it lies", () => {
  const plane = [[3, 1], [-2, 0], [-1, 4], [5, -2]];
  const data = Float64Array.from(plane.flatMap(([a, b]) => [0, a, b, a - b, 7])); // in 5 directions
  const table = { data, shape: [4, 5] };
  const { points, directions } = live.mapOfWords(table, [0, 1, 2, 3]);
  const long = ([a, b]) => Math.sqrt(a * a + b * b + (a - b) ** 2);
  for (const [i, j] of [[0, 1], [1, 2], [2, 3]]) {
    const between = (all) => all[i].map((number, n) => number - all[j][n]);
    near([Math.hypot(...between(points))], [long(between(plane))], 1e-6);
  }
  const variance = (n) => points.reduce((sum, point) => sum + point[n] ** 2, 0);
  assert.ok(variance(0) > variance(1));
  near(live.mapOfWords(table, [0, 1, 2, 3], directions).points.flat(), points.flat(), 1e-6);
});

test("a head can be made to look at one word alone", () => {
  near(live.lookOnlyAt([1, 3], 5), [0, 0.5, 0.5, 0, 0]);
});

test("in a notebook each output brings the script, and every figure finds its model", async () => {
  const stubs = "const FILES = {}, unpackModel = (content) => content, mountMemory = () => {};";
  const unused = "const WordPieceTokenizer = 0, ToyTraining = 0, lossAndGradients = 0;";
  const part = "parts.asks = (figure, { model }) => { figure.ask = () => ready(model); };";
  const pieces = [read("minibert.js"), read("elements.js"), part, read("page.js")];
  const script = new Function("document", "globalThis", [stubs, unused, ...pieces].join("\n"));
  const figures = [];
  const page = {};
  const isNew = ({ dataset }) => !dataset.ready;
  const document = { readyState: "complete", querySelectorAll: () => figures.filter(isNew) };
  for (const model of ["one", "two", "one"]) {
    const querySelector = () => ({ textContent: JSON.stringify({ model }) });
    figures.push({ dataset: { live: "asks" }, querySelector });
    script(document, page);
    page.minibert.receive(model, {});
  }
  for (const { ask } of figures) await ask();
});
