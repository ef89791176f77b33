// A worker learns beside the page, so that the page stays quick. Chapter 5.
//
// A page opened from the disk cannot load a file into a worker; so the worker gets the source of
// the functions that it needs.

const LEARNS = [
  softmax,
  erf,
  matrix,
  product,
  addRow,
  productWithTurned,
  turnedProduct,
  turned,
  sumOfRows,
  withBias,
  addTo,
  wordVectors,
  look,
  normalizeRows,
  toyForward,
  maskedLoss,
  geluSlope,
  normalizeBackward,
  headBackward,
  lookBackward,
  embeddingBackward,
  lossAndGradients,
  chance,
  normalMatrix,
  firstWeights,
  permutation,
  Adam,
  hideEveryWord,
  ToyTraining,
  centeredRows,
  unitBeside,
  widestDirections,
  mapOfWords,
  workerProgram,
];

/** What runs in the worker: it is told to begin, to go on or to wait, and tells of every step. */
function workerProgram() {
  let training, queries, chosen, directions;
  let isRunning = false;
  const tell = (loss) => {
    const { step, steps } = training;
    const news = { step, loss };
    if (step % 5 === 0 || step === steps)
      news.answers = queries.map((one) => training.answers(one));
    if (step % 20 === 0 || step === steps) {
      news.exhaustive = training.exhaustiveLoss();
      const table = training.weights.word_embeddings;
      const map = chosen.length ? mapOfWords(table, chosen, directions) : {};
      [news.points, directions] = [map.points, map.directions];
    }
    postMessage(news);
  };
  const learnOnce = () => {
    if (training.step < training.steps) tell(training.learn());
  };
  const goOn = () => {
    if (!isRunning || training.step >= training.steps) return;
    learnOnce();
    setTimeout(goOn); // messages come in between
  };
  self.onmessage = ({ data }) => {
    if (data.begin) {
      training = new ToyTraining(hideEveryWord(data.encoded, data.maskId), data.begin);
      [queries, chosen, directions] = [data.queries, data.chosen, undefined];
      isRunning = false;
      tell();
    } else if (data.queries) {
      queries = data.queries;
      postMessage({ step: training.step, answers: queries.map((one) => training.answers(one)) });
    } else if (data.once) {
      learnOnce();
    } else {
      isRunning = data.run;
      goOn();
    }
  };
}

/** Start a worker that can learn. */
function startWorker() {
  const source = ['"use strict";', ...LEARNS.map(String), "workerProgram();"].join("\n");
  return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
}
