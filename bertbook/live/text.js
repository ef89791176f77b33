// From raw text to words: what BERT does to characters before it looks up any piece. Chapter 6.
//
// The twin of minibert/text.py. UNICODE_8 stands before this file on the page: the lines of
// minibert/unicode8.txt, which say where BERT's tables differ from those of a browser.

const CATEGORIES = {
  Cc: /\p{Cc}/u,
  Cf: /\p{Cf}/u,
  Co: /\p{Co}/u,
  Cs: /\p{Cs}/u,
  Mn: /\p{Mn}/u,
  P: /\p{P}/u,
};
const REMOVED = new Set(["Cc", "Cf", "Co", "Cs"]);
const SPACE = /[\p{Zs}\u2028\u2029]/u;
const CHINESE = new RegExp(
  "[\\u4e00-\\u9fff\\u3400-\\u4dbf\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}" +
    "\\u{2b920}-\\u{2ceaf}\\uf900-\\ufaff\\u{2f800}-\\u{2fa1f}]",
  "gu",
);

/** Read for which characters Unicode 8 says something else than later versions. */
function readCategories(lines) {
  const categories = new Map();
  for (const line of lines.split("\n").filter((one) => one && !one.startsWith("#"))) {
    const [codes, kind] = line.split(" ");
    const [first, last = first] = codes.split("-").map((code) => parseInt(code, 16));
    for (let code = first; code <= last; code++) categories.set(code, kind);
  }
  return categories;
}

const knownCategories = readCategories(UNICODE_8);

/** Return the category of a character in Unicode 8, as far as BERT cares. */
function category(character) {
  const code = character.codePointAt(0);
  if (!knownCategories.has(code)) {
    const found = Object.keys(CATEGORIES).find((name) => CATEGORIES[name].test(character));
    knownCategories.set(code, found ?? "");
  }
  return knownCategories.get(code);
}

/** Apply a rule to each character of a text. */
function translate(text, rule) {
  return Array.from(text, rule).join("");
}

/** Remove control characters and turn every kind of white space into a plain space. */
function cleanText(text) {
  return translate(text, (character) => {
    if ("\t\n\r".includes(character)) return " ";
    if ("\0\ufffd".includes(character) || REMOVED.has(category(character))) return "";
    return SPACE.test(character) ? " " : character;
  });
}

/** Put spaces around every Chinese character, so that each becomes a word of its own. */
function spaceChinese(text) {
  return text.replace(CHINESE, " $& ");
}

/** Take every letter apart into letter and accents, and drop the accents. */
function stripAccents(text) {
  return translate(text.normalize("NFD"), (one) => (category(one) === "Mn" ? "" : one));
}

/** Write every letter in lower case, each by itself: a sigma at the end stays a plain one. */
function lowerCase(text) {
  return text.replaceAll("Σ", "σ").toLowerCase();
}

/** Put spaces around every punctuation mark; all ASCII signs count, $ and + included. */
function spacePunctuation(text) {
  return translate(text, (character) => {
    const isSign = /[!-/:-@[-`{-~]/.test(character);
    return isSign || category(character).startsWith("P") ? ` ${character} ` : character;
  });
}

/** Cut a text into the words that BERT looks up, by all the steps above. */
function splitWords(text, doLowerCase = true) {
  let changed = spaceChinese(cleanText(text));
  if (doLowerCase) changed = lowerCase(stripAccents(changed));
  return spacePunctuation(changed).split(" ").filter(Boolean);
}
