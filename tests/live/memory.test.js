// What the page remembers, whatever it finds in the browser's store, and whatever the store does.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const code = readFileSync(new URL("../../bertbook/live/memory.js", import.meta.url), "utf8");
const WANTED = ["remembered", "remember", "setMemory", "importMemory", "memoryTrouble", "today"];
const NOTHING = { code: {}, done: {}, quiz: {}, cards: {}, place: null };
const PLACE = { page: "chapters/02.html", anchor: "#summary", title: "2. By hand: Summary" };
const CARD = { step: -1, due: 9 };
const ALL = {
  code: { "02_my_softmax": "def my_softmax(x):" },
  done: { "02_my_softmax": 20_000 },
  quiz: { "mb-1": 2 },
  cards: { "What is a head?": { step: 1, due: 20_003 } },
  place: PLACE,
};

/** Read the file beside a store; `limit` is how many letters it takes. */
function memoryWith(text = null, limit = Infinity) {
  const store = {
    text,
    getItem: () => store.text,
    setItem: (_, given) => {
      if (given.length > limit) throw new DOMException("no room", "QuotaExceededError");
      store.text = given;
    },
    removeItem: () => (store.text = null),
  };
  return { store, ...memoryOf(store) };
}

function memoryOf(store) {
  const heard = { count: 0 };
  const document = { dispatchEvent: () => (heard.count += 1) };
  const run = new Function("localStorage", "document", `${code}\nreturn { ${WANTED.join()} };`);
  return { heard, ...run(store, document) };
}

test("a memory of another edition is filled up, and what is no answer is left out", () => {
  const found = [
    ["{}", NOTHING],
    ['{"code":null,"done":3,"quiz":[],"cards":"x","place":{}}', NOTHING],
    ['{"cards":{"a":null,"b":{"step":0},"c":{"step":-1,"due":9}}}', { cards: { c: CARD } }],
    ['{"code":{"a":1,"b":"x"},"quiz":{"q":"2","r":0}}', { code: { b: "x" }, quiz: { r: 0 } }],
    ['{"place":{"page":"javascript:alert(1)","anchor":"","title":"x"}}', NOTHING],
    ['{"place":{"page":"//elsewhere.org/a.html","anchor":"","title":"x"}}', NOTHING],
    [JSON.stringify(ALL), ALL],
  ];
  for (const [text, wanted] of found) {
    const { remembered, memoryTrouble } = memoryWith(text);
    assert.deepEqual(remembered(), { ...NOTHING, ...wanted }, text);
    assert.equal(memoryTrouble(), "");
  }
});

test("what a later edition keeps is still there after a change", () => {
  const { store, remember } = memoryWith('{"notes":["mine"]}');
  remember((all) => (all.done.a = 1));
  assert.deepEqual(JSON.parse(store.text), { ...NOTHING, notes: ["mine"], done: { a: 1 } });
});

test("what is no memory is said, changes nothing, and can be deleted or begun anew", () => {
  for (const text of ["1", "[]", '"x"', "null", "{", ""]) {
    const { store, remembered, remember, setMemory, memoryTrouble } = memoryWith(text);
    assert.equal(remembered(), null, text);
    assert.match(memoryTrouble(), /cannot be read/);
    remember((all) => (all.done.a = 1));
    assert.equal(store.text, text);
    setMemory(false);
    assert.deepEqual([store.text, memoryTrouble()], [null, ""]);
    store.text = text;
    setMemory(true);
    assert.deepEqual([remembered(), memoryTrouble()], [NOTHING, ""]);
  }
});

test("to begin again keeps what is there", () => {
  const { store, setMemory } = memoryWith(JSON.stringify(ALL));
  setMemory(true);
  assert.deepEqual(JSON.parse(store.text), ALL);
});

test("a full store is said, loses nothing, and works again once there is room", () => {
  const before = JSON.stringify({ ...NOTHING, done: { a: 1 } });
  const { store, heard, remembered, remember, memoryTrouble } = memoryWith(before, 100);
  const keep = (text) => remember((all) => (all.code.a = text));
  keep("x".repeat(100));
  assert.match(memoryTrouble(), /no room/);
  assert.deepEqual([store.text, heard.count, remembered().done], [before, 1, { a: 1 }]);
  keep("x");
  assert.deepEqual([remembered().code, memoryTrouble()], [{ a: "x" }, ""]);
});

test("a forbidden store is said when something shall be kept, and not before", () => {
  const refuse = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const store of [undefined, { getItem: refuse, setItem: refuse, removeItem: refuse }]) {
    const { remembered, remember, setMemory, memoryTrouble } = memoryOf(store);
    remember(assert.fail);
    assert.deepEqual([remembered(), memoryTrouble()], [null, ""]);
    setMemory(true);
    assert.match(memoryTrouble(), /keeps nothing/);
    setMemory(false);
    assert.equal(remembered(), null);
  }
});

test("an exported file is taken over beside what is there; any other changes nothing", () => {
  const { store, remembered, importMemory, setMemory } = memoryWith();
  for (const text of ["{", "1", "[]", "null", "{}", '{"cells":[]}', '{"code":7}']) {
    assert.match(importMemory(text), /not a file/, text);
    assert.equal(store.text, null);
  }
  assert.match(importMemory(JSON.stringify(ALL)), /taken over/);
  assert.deepEqual(remembered(), ALL);
  importMemory('{"done":{"b":7}}');
  assert.deepEqual(remembered(), { ...ALL, done: { ...ALL.done, b: 7 } });
  setMemory(false);
  const full = memoryWith(null, 10);
  assert.match(full.importMemory(JSON.stringify(ALL)), /no room/);
});

test("a day ends at the reader's own midnight, wherever that is", () => {
  const { today } = memoryWith();
  const before = process.env.TZ;
  for (const zone of ["UTC", "Pacific/Auckland", "America/Los_Angeles"]) {
    process.env.TZ = zone;
    const times = [[1, 0, 1], [1, 23, 59], [2, 0, 1]].map((time) => new Date(2026, 2, ...time));
    const days = times.map((time) => today(time) - today(times[0]));
    assert.deepEqual(days, [0, 0, 1], zone);
  }
  process.env.TZ = before ?? "";
});
