"""Wrong answers as readers write them, of Chapters 13 to 20: what they change, and the hint.

The text to change stands in the book's own solution; without one the new text is a whole body, or
the expression that it returns. What only repeats a mistake of an exercise, in a solution that is
the same, is tested with the exercise.
"""

import ast
import importlib
import json
import math
import pkgutil
import re
import textwrap
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from bertbook import topics
from bertbook.core.metrics import normalize_answer
from minibert.reference import softmax

CHAPTERS = Path(__file__).parents[2] / "book" / "chapters"
GIVEN = {"np": np, "math": math, "json": json, "torch": torch, "Counter": Counter,
         "softmax": softmax, "normalize_answer": normalize_answer}  # fmt: skip
ADAM = """weight, m, v = saved["weight"], saved["m"], saved["v"]
for t, g in enumerate(gradients[saved["step"]:], start=saved["step"] + AHEAD):
    weight -= lr * m / (1 - 0.9**t) / (v / (1 - 0.999**t)) ** 0.5
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
return weight"""
NUMBERS = """length = int.from_bytes(data[:8], "little")
entry = json.loads(data[8:8 + length])[name]
begin, end = entry["data_offsets"]
return np.frombuffer(data[8 + length:], "<f4")[begin:end].reshape(entry["shape"])"""
WON = """b = ((first == truth) & (second != truth)).sum()
c = ((first != truth) & (second == truth)).sum()
return math.erfc(math.sqrt((abs(b - c) - LESS) ** 2 / max(1, b + c) / 2))"""
SURE = """sure = chances.max(axis=1)
right = chances.argmax(axis=1) == truth
best = math.inf
for t in sorted(sure)[::-1]:
    if right[sure >= t].mean() < wanted:
        break
    best = t
return best"""
F1 = "2 * shared / (len(told) + len(true))"
COSINES = "names @ pronoun / np.linalg.norm(names, axis=1)"

SLIPS = [
    ("13.2", "sum(n for _, n in known)", "sum(labels) / len(labels)", "By what do you divide"),
    ("13.3", "", ADAM.replace("AHEAD", "1"), "You move before m and v"),
    ("13.3", "", ADAM.replace("AHEAD", "0"), "You move before m and v"),
    ("13.3", "(step + 1)", "(saved['step'] + 1)", "same two shares in all updates"),
    ("14.2", "not in known", "not in known and known.add(document)", "what add.. or append"),
    ("14.2", "", "[s for d in dict.fromkeys(test) if d not in learned for s in d]",
     "single sentences"),
    ("14.1", "/ seen", "/ (fits * slope).sum(dim=1)", "keepdim=True keeps it"),
    ("14.1", ".requires_grad_(True)", "", "requires no gradient"),
    ("14.1", "(seen, fits)", "(seen, fits.clone())", "another table"),
    ("14.1", "fits * slope", "fits * slope.T", "keepdim=True keeps it"),
    ("15.1", "", NUMBERS, "data_offsets count bytes"),
    ("15.1", "data[8:8 + length]", "data[:length]", "no part of the header"),
    ("15.1", "data[begin:end]", "data[begin:]", "Where does the tensor end"),
    ("15.3", "attention_mask[:, :, None]", "attention_mask", "axis does the mask lack"),
    ("15.3", "attention_mask[:, :, None]", "attention_mask[:, None]", "axis does the mask lack"),
    ("15.3", "(hidden_states * weights)", "(hidden_states * weights)[:, 1:-1]",
     ".CLS. and .SEP. are tokens"),
    ("15.4", "rng.normal(size=shape)", "np.ones(shape)", "are all numbers of your file equal"),
    ("15.4", "rng.normal(size=shape)", "np.full(shape, rng.normal())", "of a tensor are equal"),
    ("15.4", "for name in shapes)", "for name in [*shapes][-1:])", "return too early"),
    ("15.4", "load(target, tensors)", "load(tensors, target)", "with target first"),
    ("16.2", "range(fewer + 1)", "range(only_first + 1)", "wins of the first classifier"),
    ("16.2", "range(fewer + 1)", "range(only_second + 1)", "wins of the second classifier"),
    ("16.2", "range(fewer + 1)", "range(1, fewer + 1)", "All coins may fall alike"),
    ("16.2", "min(1.0, ", "coins and min(1.0, ", "never differ, p is 1"),
    ("16.2", "", WON.replace("LESS", "0"), "approximation by chi-square"),
    ("16.2", "", WON.replace("LESS", "1"), "approximation by chi-square"),
    ("16.2", "tail = ", "tail = -math.comb(coins, fewer) / 2 + ", "the mid-p"),
    ("16.3", "", SURE, "stop at the first failure"),
    ("16.3", "chances.max(axis=1)", "chances.max(axis=0)", "axis=1"),
    ("16.3", "(axis=1)", "(axis=0)", "axis=1"),
    ("17.1", "[-100] * count", "[-1] * count", "The loss does not know −1"),
    ("18.1", "divmod(int(sums.argmax()), n)",
     "divmod(int(sums[inside][:, inside].argmax()), inside.sum())", "the question included"),
    ("18.2", F1, "shared / max(len(told), len(true))", "the longer of the two"),
    ("18.2", F1, "shared / min(len(told), len(true)) if told and true else 0.0", "the shorter"),
    ("18.2", "(Counter(told) & Counter(true)).total()", "sum(map(str.__eq__, told, true))",
     "word by word"),
    ("18.2", "(Counter(told) & Counter(true)).total()", "sum(word in told for word in true)",
     "is shared once"),
    ("20.2", ".mean(axis=(0, 1))", ".mean(axis=1)", "over tokens only"),
    ("21.2", "for word in words]", "for word in words][::-1]", "list is turned around"),
    ("21.2", "list(dict.fromkeys(words))", "list(dict.fromkeys(words))[::-1]", "from the end"),
    ("21.2", "zip(distinct, order)", "zip(distinct, order[::-1])", "the order from its end"),
    ("20.3", "axis=1)", "axis=0)", "the lengths of columns"),
    ("20.3", COSINES, "names @ pronoun / np.abs(names).sum(axis=1)", "another length"),
    ("20.3", COSINES, "np.linalg.norm(names, axis=1)", "Where is the pronoun"),
]  # fmt: skip


@cache
def solution(number):
    """Find the book's own answer to an exercise, and its checker."""
    chapter = number.split(".")[0]
    cells = json.loads(next(CHAPTERS.glob(f"{chapter}-*")).read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    start = next(i for i, text in enumerate(texts) if f"### Exercise {number} " in text)
    text = next(t for t in texts[start + 1 :] if t.startswith("def ") and "_solution(" in t)
    function = ast.get_source_segment(text, ast.parse(text).body[0])
    name = re.search(r"check_\w+", text)[0]
    modules = [
        module
        for found in pkgutil.walk_packages(topics.__path__, "bertbook.topics.")
        for module in [importlib.import_module(found.name)]
        if f"Chapter {chapter}" in (module.__doc__ or "")
    ]
    return function, next(getattr(m, name) for m in modules if hasattr(m, name))


def written(source, old, new):
    """Change the text of a solution, and make a function of it."""
    head = source.splitlines()[0]
    body = new if "return " in new else f"return {new}"
    text = source.replace(old, new) if old else f"{head}\n{textwrap.indent(body, '    ')}"
    assert text != source, f"{old!r} does not stand in the solution"
    space = dict(GIVEN)
    exec(text, space)
    return space[head.removeprefix("def ").split("(")[0]]


@pytest.mark.parametrize(("number", "old", "new", "hint"), SLIPS)
def test_what_a_reader_gets_wrong_is_named(number, old, new, hint):
    source, check = solution(number)
    verdict = check(written(source, old, new))
    assert not verdict.passed
    assert verdict.message.removeprefix("Not yet. ") in {m.hint for m in check.mistakes}, verdict
    assert re.search(hint, verdict.message), verdict
