// What the page remembers, if the reader asks it to: in this browser, and nowhere else.
//
// All of it is one text in the browser's local storage: {code, done, quiz, cards, place}. As long
// as nothing is there, nothing is kept.

const MEMORY = "bert-by-hand";

/** Return what is remembered, or null if nothing shall be. */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(MEMORY));
  } catch {
    return null; // some browsers keep nothing for pages from the disk
  }
}

/** Change what is remembered, if something is; tell the page. */
function remember(change) {
  const all = remembered();
  if (!all) return;
  change(all);
  localStorage.setItem(MEMORY, JSON.stringify(all));
  document.dispatchEvent(new Event("minibert-memory"));
}

/** Begin to remember, or forget everything. */
function setMemory(isOn) {
  if (isOn) {
    const nothing = { code: {}, done: {}, quiz: {}, cards: {}, place: null };
    localStorage.setItem(MEMORY, JSON.stringify(remembered() ?? nothing));
  } else {
    localStorage.removeItem(MEMORY);
  }
  document.dispatchEvent(new Event("minibert-memory"));
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
