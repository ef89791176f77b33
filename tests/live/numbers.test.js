// What a reader types into a field for a number, and which numbers it can be.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const STATIC = new URL("../../bertbook/core/static/", import.meta.url);
const code = readFileSync(new URL("numbers.js", STATIC), "utf8");
const readings = new Function(`${code}\nreturn readings;`)();

const near = (x, y) => Math.abs(x - y) <= 1e-12 * Math.max(1, Math.abs(y));

const WRITTEN = {
  0: ["0", "-0", "1 - 1", "ln 1", "sin 0"],
  0.001: ["10^-3", "10⁻³", "1e-3", "0.1 %", "1/10**3"],
  0.125: ["1/8", "0,125", ".125", "⅛", "12.5 %", "12.5 percent", "2^-3", "1/2/4", "[0.125]", "(0.125"],
  0.583: ["58.3 %", "58,3%", "58.3 per cent", "p = 58.3/100"],
  2: ["2", "2.", "+2", "−−2", "√4", "4/2 GB", "log2(4)", "log₂ 4", "log10 100", "2 pieces", "≈ 2…"],
  8: ["sqrt(64)", "sqrt 64", "√64", "√(60 + 4)", "2√16", "2(1 + 3)", "2^3", "2**3", "2³", "(8)", "８"],
  [-3.5]: ["−3.5", "–3.5", "- 3.5", "-7/2", "−(3 + ½)", "-3,5"],
  [-4]: ["-2^2", "−2²", "-(2)^2"],
  512: ["2^3^2", "512", "2 ^ 9"],
  5.4: ["5.4 GB", "5.4GB", "5.4 nats per token", "~5,4 GB.", "336 * 16 / 1000 + 0.024 gigabytes"],
  9.17: ["7*1.31", "7×1.31", "7 · 1.31", "7 x 1.31", "7 ⋅ 1,31"],
  1e6: ["10^6", "1,000,000", "1 000 000", "1 000 000", "1 million", "1M", "1_000_000", "1'000'000"],
  786432: ["12*256**2", "12 · 256²", "12·65,536", "786 432 multiplications", "(8 + 4)·65536"],
};
WRITTEN[Math.LN2] = ["ln 2", "ln(2)", "ln2", "log(2)", "−ln ½", "-ln 1/2", "-ln(1/2)", "LN 2"];
WRITTEN[2 * Math.LN2] = ["2 ln 2", "2*ln(2)", "ln 2 + ln 2", "ln 2 · 2", "½ (ln 2 + ln 8)"];
WRITTEN[Math.LN2 / 2] = ["ln 2 / 2", "ln(2)/2", "1/2 ln 2", "0.5 ln 2 nats"];
WRITTEN[Math.E ** 2] = ["e^2", "exp(2)", "exp 2", "e²", "e*e"];
WRITTEN[Math.exp(-0.2) / (Math.exp(-0.2) + 1)] = ["e^-0.2/(e^-0.2 + 1)", "1/(1+exp(0.2))"];
WRITTEN[Math.sin(0.03)] = ["sin 0.03", "sin(0.03)"];
WRITTEN[2 * Math.PI] = ["2 pi", "2π", "2*PI"];

for (const [number, texts] of Object.entries(WRITTEN)) {
  test(`${number} may be written as ${texts.join("  ")}`, () => {
    for (const text of texts) {
      const found = readings(text, +number);
      assert.ok(found.some((x) => near(x, +number)), `${text} is read as ${found}`);
    }
  });
}

test("what is no number is not read as one", () => {
  const strange = ["", " ", "a third", "1 3", "1/0", "2½", "1 of 3", "ln", "ln(", "sqrt(-1)", "(1+", "2+"];
  strange.push("--", "1..2", "alert(1)", "constructor", "2 constructor 3", "__proto__", "infinity");
  strange.push("1;2", "x", "a=", "%", "1+%", "toString()", "(".repeat(9999), "9^9^9^9", "1,2,3");
  for (const text of strange) assert.deepEqual(readings(text, 1), [], text);
});

test("a percent sign, a comma and a million have two readings at most", () => {
  assert.deepEqual(new Set(readings("50%", 40)), new Set([0.5, 50]));
  assert.deepEqual(new Set(readings("50%", 0.4)), new Set([0.5]));
  assert.deepEqual(new Set(readings("1,234", 1)), new Set([1.234, 1234]));
  assert.deepEqual(new Set(readings("93.8 million", 1)), new Set([93.8, 93.8e6]));
});
