"use strict";

// The search page. MiniSearch ranks the sections of the book (BM25); pages come in the order of
// their best sections, and each shows a sentence of the best one. The index is searchIndex.
const STOP_WORDS = new Set(
  ("a about all an and are as at be because been but by can could did do does each else for from " +
    "had has have how i if in into is it its many may must my no nor not of on one or our out shall " +
    "should so some such than that the their them then there these they this those to up us use " +
    "used using was we were what when where which who whom whose why will with would you your")
    .split(" "),
);
const BOOST = { title: 1, heading: 3, text: 1 };
const PHRASE = 2; // times the score, where the words stand together as they are asked
const INTRODUCES = 5; // so much of the score on top, where a term of the glossary is introduced
const KINDS = [[/^chapters\//, 1], [/^api/, 0.1], [/^/, 0.2]]; // times the score: chapters come first
const NEAR_BEST = 0.4; // a section whose sentence is shown has at least this part of the best score
const MOST_PAGES = 20;
const WORTH = 0.05; // a page that is shown has at least this part of the best score

const wordsOf = (text) =>
  text.toLowerCase().normalize("NFKD").replace(/\p{Mark}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];
const stemOf = (word) => (STOP_WORDS.has(word) ? null : stemmer(word));
const stemsOf = (text) => wordsOf(text).map(stemOf).filter(Boolean);
const saidIn = (text, query) => ` ${wordsOf(text).join(" ")} `.includes(` ${wordsOf(query).join(" ")} `);
const phraseOf = (text) => ` ${stemsOf(text).join(" ")} `;

const sections = searchIndex.sections.map(
  ([page, anchor, heading, sentences, rest, introduces], id) => ({
    id,
    page,
    anchor,
    heading,
    sentences,
    introduces,
    title: searchIndex.pages[page][1],
    text: `${sentences.join(" ")} ${rest}`,
  }),
);

function makeIndex() {
  const index = new MiniSearch({
    fields: Object.keys(BOOST),
    tokenize: wordsOf,
    processTerm: stemOf,
    searchOptions: { boost: BOOST },
  });
  index.addAll(sections);
  return index;
}

// Ask for the words as they are, the last one perhaps begun; else for words that differ in letters.
function answer(query) {
  const index = makeIndex();
  const hits = index.search(query, { prefix: (word, i, all) => i === all.length - 1 });
  const similar = hits.length ? [] : index.search(query, { fuzzy: 0.25 });
  return { pages: rankPages([...hits, ...similar], query), isExact: hits.length > 0 };
}

function scoreOf({ id, score }, query) {
  const { heading, introduces, text } = sections[id];
  const phrase = phraseOf(query);
  const isTogether = wordsOf(query).length > 1 && [heading, text].some(
    (each) => saidIn(each, query) || (phrase.trim().includes(" ") && phraseOf(each).includes(phrase)),
  );
  // ZeRO is no zero: a term that is asked for letter by letter counts twice.
  const isLetterByLetter = introduces.some((term) => `${term} `.startsWith(`${query} `));
  const share = isLetterByLetter ? 2 : Math.max(0, ...introduces.map(phraseOf)
    .filter((term) => phrase.includes(term)).map((term) => term.length / phrase.length));
  return score * (isTogether ? PHRASE : 1) * (1 + INTRODUCES * share);
}

// Each page on which something was found: which of the words, and its sections, the best first.
function pagesOf(hits, query) {
  const pages = new Map();
  for (const hit of hits) {
    const { page } = sections[hit.id];
    if (!pages.has(page)) pages.set(page, { page, words: new Set(), hits: [] });
    hit.queryTerms.forEach((word) => pages.get(page).words.add(word));
    pages.get(page).hits.push({ id: hit.id, score: scoreOf(hit, query) });
  }
  for (const { hits: own } of pages.values()) own.sort((one, other) => other.score - one.score);
  return [...pages.values()];
}

// What the words of a page are worth: 1 if it has all of them, and a rare one is worth more.
function worthOfWords(pages) {
  const all = new Set(pages.flatMap(({ words }) => [...words]));
  const rarity = new Map([...all].map((word) => {
    const times = pages.filter(({ words }) => words.has(word)).length;
    return [word, Math.log(1 + searchIndex.pages.length / times)];
  }));
  const sum = (words) => [...words].reduce((worth, word) => worth + rarity.get(word), 0);
  return (words) => sum(words) / sum(all);
}

// A page counts as its best section does, half of the next one on top, and so on.
function rankPages(hits, query) {
  const pages = pagesOf(hits, query);
  const worth = worthOfWords(pages);
  for (const one of pages) {
    const [address, title] = searchIndex.pages[one.page];
    const [, weight] = KINDS.find(([kind]) => kind.test(address));
    const sum = one.hits.reduce((all, { score }, i) => all + score / 2 ** i, 0);
    one.score = sum * weight * worth(one.words) * (saidIn(title, query) ? PHRASE : 1);
  }
  pages.sort((one, other) => other.score - one.score || one.page - other.page);
  return pages.slice(0, MOST_PAGES).filter(({ score }) => score >= pages[0].score * WORTH);
}

// The sentence that has most of the words, standing together if possible, and its section.
function extractOf(hits, query) {
  const asked = new Set(stemsOf(query));
  const phrase = phraseOf(query);
  let best = { points: -1, id: hits[0].id, sentence: "" };
  for (const { id, score } of hits) {
    if (score < hits[0].score * NEAR_BEST) break;
    for (const sentence of sections[id].sentences) {
      const points = new Set(stemsOf(sentence).filter((stem) => asked.has(stem))).size +
        (phraseOf(sentence).includes(phrase) ? 1 : 0);
      if (points > best.points) best = { points, id, sentence };
    }
  }
  return best;
}

function marked(sentence, query) {
  const asked = new Set(stemsOf(query));
  const line = document.createElement("p");
  line.className = "context";
  for (const piece of sentence.split(/([\p{L}\p{N}]+)/u)) {
    const isAsked = asked.has(stemsOf(piece)[0]);
    const part = isAsked ? document.createElement("mark") : document.createTextNode("");
    part.textContent = piece;
    line.append(part);
  }
  return line;
}

function show({ page, hits }, query) {
  const { id, sentence } = extractOf(hits, query);
  const { anchor, heading } = sections[id];
  const [address, title] = searchIndex.pages[page];
  const item = document.createElement("li");
  const link = item.appendChild(document.createElement("a"));
  link.href = `${address}#${anchor}`;
  link.textContent = title;
  if (!title.endsWith(heading)) {
    const place = item.appendChild(document.createElement("p"));
    place.className = "place";
    place.textContent = heading;
  }
  if (sentence) item.append(marked(sentence, query));
  return item;
}

function search(query) {
  document.querySelectorAll('input[name="q"]').forEach((field) => { field.value = query; });
  const { pages, isExact } = answer(query);
  const list = document.createElement("ul");
  list.className = "search";
  list.append(...pages.map((page) => show(page, query)));
  document.getElementById("search-results").replaceChildren(list);
  const count = pages.length === 1 ? "one page" : `${pages.length} pages, best first`;
  document.getElementById("search-status").textContent = isExact
    ? `“${query}” in ${count}:`
    : `No page has “${query}”${pages.length ? `; similar words in ${count}:` : "."}`;
}

const asked = new URLSearchParams(location.search).get("q")?.trim();
if (asked) search(asked);
document.querySelector(".bd-search-container input").focus();
