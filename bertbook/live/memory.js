// What the page remembers, if the reader asks it to: in this browser, and nowhere else.
//
// All of it is one text in the browser's local storage: {code, done, quiz, cards, place}. As long
// as nothing is there, nothing is kept.

const MEMORY = "bert-by-hand";

const ANSWERS = {
  code: (one) => typeof one === "string",
  done: Number.isFinite,
  quiz: Number.isFinite,
  cards: (one) => Number.isFinite(one?.step) && Number.isFinite(one?.due),
};
const UNREADABLE =
  "What an earlier visit left in this browser cannot be read. Delete it, or begin anew.";
const FULL = "This browser has no room left: the last change was not kept.";
const FORBIDDEN = "This browser keeps nothing for this page: its settings forbid it.";

let refusal = ""; // what the store said to the last change

function isObject(given) {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** Fill up a memory of any edition, and leave out what is no answer; null if it is no memory. */
function asMemory(given) {
  if (!isObject(given)) return null;
  const answers = Object.entries(ANSWERS).map(([kind, isAnswer]) => {
    const found = isObject(given[kind]) ? Object.entries(given[kind]) : [];
    return [kind, Object.fromEntries(found.filter(([, one]) => isAnswer(one)))];
  });
  const { page, anchor, title } = given.place ?? {};
  const isPlace = [page, anchor, title].every(ANSWERS.code) && /^\w[\w./-]*$/.test(page);
  return { ...given, ...Object.fromEntries(answers), place: isPlace ? given.place : null };
}

function readMemory(text) {
  try {
    return asMemory(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Return the text that the browser keeps, or null. */
function storedText() {
  try {
    return localStorage.getItem(MEMORY);
  } catch {
    return null; // some browsers keep nothing for pages from the disk
  }
}

/** Return what is remembered, or null if nothing shall be. */
function remembered() {
  return readMemory(storedText());
}

/** Say why the page cannot remember, or nothing. */
function memoryTrouble() {
  return refusal || (storedText() !== null && !remembered() ? UNREADABLE : "");
}

/** Let the browser keep a memory, or none; tell the page. */
function store(all) {
  refusal = "";
  try {
    if (all) localStorage.setItem(MEMORY, JSON.stringify(all));
    else localStorage.removeItem(MEMORY);
  } catch (error) {
    refusal = /quota/i.test(error.name) ? FULL : FORBIDDEN;
  }
  document.dispatchEvent(new Event("minibert-memory"));
}

/** Change what is remembered, if something is. */
function remember(change) {
  const all = remembered();
  if (!all) return;
  change(all);
  store(all);
}

/** Begin to remember, or forget everything. */
function setMemory(isOn) {
  store(isOn ? (remembered() ?? asMemory({})) : null);
}

/** Put the content of an exported file beside what is there; say what came of it. */
function importMemory(text) {
  const given = readMemory(text);
  if (!given || !Object.keys(ANSWERS).some((kind) => isObject(JSON.parse(text)[kind]))) {
    return "This is not a file that a page of this book has exported. Nothing has changed.";
  }
  const all = remembered() ?? asMemory({});
  for (const kind of Object.keys(ANSWERS)) Object.assign(all[kind], given[kind]);
  store({ ...all, place: given.place ?? all.place });
  return refusal || "The file is taken over.";
}

/** Return today as a number of days, in the reader's own time zone. */
function today(now = new Date()) {
  return Math.floor((now - now.getTimezoneOffset() * 60_000) / 86_400_000);
}

const DAYS = [1, 3, 7, 21]; // after so many days a card comes again

/** Return what becomes of a card {step, due} that was known, or was not, on a day. */
function nextCard(card, isKnown, day) {
  const step = isKnown ? Math.min((card?.step ?? -1) + 1, DAYS.length - 1) : -1;
  return { step, due: day + (isKnown ? DAYS[step] : 0) };
}
