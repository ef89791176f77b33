// Put what heads bring home in one story into another one, and see the answer at [MASK] move.
// Chapter 20.

/** Find the first [MASK] of a row. */
function placeOfMask({ pieces }, told) {
  const place = pieces.indexOf("[MASK]");
  if (place < 0) throw new Error(`${told} has no [MASK]; write it where the model shall answer`);
  return place;
}

/** Note what all heads bring home for a row: an array (seq, hidden) for each layer. */
function contextsOf(name, { inputIds, tokenTypeIds }) {
  const contexts = [];
  const watch = (part, array) => part.endsWith("attention.self") && contexts.push(array);
  forward(name, inputIds, tokenTypeIds, { watch });
  return contexts;
}

/** Answer in a story, in its twin, and in the story with what some heads brought home there. */
function swapHeads(name, story, twin, heads) {
  const [here, there] = [typedRow(story, name), typedRow(twin, name)];
  const [seq, other] = [here.pieces.length, there.pieces.length];
  if (seq !== other) {
    throw new Error(`the story has ${seq} tokens and its twin ${other}; they must be as long`);
  }
  const contexts = contextsOf(name, there);
  const { config, tokenizer } = modelOf(name);
  const edits = {
    contexts: heads.map(([layer, head]) => {
      const context = contextOfHead(contexts[layer], config.num_attention_heads, head);
      return { layer, head, context };
    }),
  };
  const answer = (row, told, options) => {
    const { logits } = forward(name, row.inputIds, row.tokenTypeIds, options);
    return answersAt(logits, placeOfMask(row, told), tokenizer.pieces);
  };
  return [
    ["the story", answer(here, "the story")],
    ["its twin", answer(there, "the twin")],
    ["patched", heads.length ? answer(here, "the story", { edits }) : new Map()],
  ];
}

/** Say what is answered now. */
function tellSwap([[, story], , [, patched]]) {
  const best = (answers) => [...answers].reduce((a, b) => (b[1] > a[1] ? b : a));
  const told = ([word, prob]) => `“${word}” (${prob.toFixed(2)})`;
  if (!patched.size) return `The story says ${told(best(story))}. Choose a head to put in.`;
  return `The story says ${told(best(story))}; patched it says ${told(best(patched))}.`;
}

parts["swap-heads"] = (figure, { model, texts, heads }) => {
  const names = ["The story", "Its twin"];
  const fields = names.map((name, number) => [name, texts[number]]);
  let switches;
  const draw = (stage, [story, twin], say) => {
    switches ??= headSwitches("Heads put in from the twin", headsOf(model), heads);
    const place = element("div", {});
    const show = () => {
      const answers = swapHeads(model, story, twin, checkedHeads(switches));
      place.replaceChildren(answerTable(answers));
      say(tellSwap(answers));
    };
    show();
    switches.onchange = show;
    stage.replaceChildren(switches, place);
  };
  mountSentences(figure, { model, fields }, draw);
};
