// The global object `minibert`: models by name, loaded when they are asked for.
//
//   await minibert.ready("small-world")
//   const { inputIds, tokenTypeIds } = minibert.tokenize("anna kicks the [MASK] ball")
//   const { logits } = minibert.forward("small-world", inputIds, tokenTypeIds)

const received = new Map(); // what script files have brought, by name
const models = new Map(); // what has been made of it
const NO_MODELS = ["python", "exercises", "bert-uncased"]; // files that hold something else
let latest; // the name of the model that was made ready last

/** Take what a script file brings, in one call of this function; a model may have a rival. */
function receive(name, content, more) {
  // What is no model, such as Python, is a text.
  received.set(name, more ? { ...content, ...more } : content);
}

/** Say how large a file is, as people do. */
function sizeOf(bytes) {
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Say what is loaded when a figure asks a model. */
function toldSize(name) {
  const { file, bytes } = FILES[name] ?? {};
  return file ? `loads ${file}, ${sizeOf(bytes)}` : "it is here already";
}

/** Load a script file from beside this one. */
function loadScript(file) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(file, SCRIPT_ADDRESS).href;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${file} did not load; is it still beside the page?`));
    document.head.append(script);
  });
}

/** Load what a script file brings, unless it is here; `report` is told so, in words. */
async function fetchScript(name, report) {
  if (received.has(name)) return;
  const { file, bytes } = FILES[name];
  report(`Loading ${file.split("/").pop()}, ${sizeOf(bytes)} …`);
  await loadScript(file);
}

/** Make a model ready, loading its file if need be; `report` is told what happens, in words. */
async function ready(name, report = () => {}) {
  if (!models.has(name)) {
    const known = Object.keys(FILES).filter((one) => !NO_MODELS.includes(one));
    if (!received.has(name) && !known.includes(name)) {
      throw new Error(`there is no model '${name}'; there are ${known.join(", ")}`);
    }
    await fetchScript(name, report);
    models.set(name, unpackModel(received.get(name)));
    received.delete(name);
  }
  latest = name;
  report(`The model ${name} is ready.`);
}

function modelOf(name) {
  if (!models.has(name)) {
    const told = name === undefined ? "no model is ready" : `the model '${name}' is not ready`;
    throw new Error(`${told}; first: await minibert.ready("${name ?? "small-world"}")`);
  }
  return models.get(name);
}

/** Turn a text, or a pair of texts [a, b], into {inputIds, tokenTypeIds, pieces}. */
function tokenize(text, name = latest) {
  const { tokenizer } = modelOf(name);
  const encoded = tokenizer.encode(...[text].flat());
  return { ...encoded, pieces: encoded.inputIds.map((id) => tokenizer.pieces[id]) };
}

/** Refuse ids that the model does not have, and rows that are not as long as one another. */
function checkRow(name, { tokenizer: { pieces }, longest }, inputIds, given) {
  const seq = inputIds.length;
  if (!seq || seq > longest) {
    throw new Error(`${seq} tokens were given; ${name} takes 1 to ${longest}`);
  }
  const outside = inputIds.find((id) => !(id in pieces));
  if (outside !== undefined) {
    const last = pieces.length - 1;
    throw new Error(`id ${outside} is outside the vocabulary; ids run from 0 to ${last}`);
  }
  for (const [row, numbers] of Object.entries(given)) {
    const wrong = numbers.find((number) => number !== 0 && number !== 1);
    if (wrong !== undefined) throw new Error(`${row} has a ${wrong}; it takes 0 and 1`);
    if (numbers.length !== seq) {
      throw new Error(`${row} has ${numbers.length} numbers, but there are ${seq} tokens`);
    }
  }
}

/** Refuse a head that the model does not have: it would change nothing, in silence. */
function checkHeads({ layers, heads }, { headsOff = [], edits = {} }) {
  const rows = [...(edits.attentions ?? []), ...(edits.contexts ?? [])];
  for (const [layer, head] of [...headsOff, ...rows.map((one) => [one.layer, one.head])]) {
    if (layer >= 0 && layer < layers && head >= 0 && head < heads) continue;
    const sizes = `layers run from 0 to ${layers - 1}, heads from 0 to ${heads - 1}`;
    throw new Error(`there is no head ${head} in layer ${layer}; ${sizes}`);
  }
}

/**
 * Compute {logits, nextSentence, attentions, hiddenStates} for one row of ids.
 *
 * options.attentionMask: 1 for a token, 0 for padding. options.headsOff: [[layer, head], …].
 * options.edits: {attentions: [{layer, head, query, probs}], contexts: [{layer, head, context}],
 * hiddenStates: [{layer, position, vector}]}; hidden state 0 enters the first layer.
 * options.watch: called with the name of each part, as in the package, and what it has computed.
 */
function forward(name, inputIds, tokenTypeIds = inputIds.map(() => 0), options = {}) {
  const model = modelOf(name);
  const { attentionMask = inputIds.map(() => 1) } = options;
  checkRow(name, model, inputIds, { tokenTypeIds, attentionMask });
  checkHeads(model, options);
  return model.compute(model, inputIds, tokenTypeIds, options);
}
