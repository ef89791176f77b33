"""Wrong answers as readers write them, of Chapters 1 to 6: the body of a function, and the hint."""

import inspect
import math
import re
import textwrap
from collections import Counter

import numpy as np
import pytest

from bertbook.checks.cuts import check_fewest_pieces, check_longest_match
from bertbook.checks.gradients import check_cross_entropy_backward
from bertbook.checks.gradients_of_layers import check_layer_norm_backward, check_linear_backward
from bertbook.checks.masks import (
    check_additive_mask,
    check_causal_mask,
    check_padding_and_causal,
)
from bertbook.checks.neighbors import check_cosines, check_neighbor_averages
from bertbook.checks.self_attention import (
    check_attention,
    check_softmax,
    check_streamed_attention,
)
from bertbook.checks.toy_corpus import check_pair_floor, check_unigram_loss
from bertbook.checks.word_pieces import check_merge
from minibert.reference import additive_mask, causal_mask, softmax
from minibert.wordpiece import merge_gain

GIVEN = {"np": np, "math": math, "Counter": Counter, "softmax": softmax, "merge_gain": merge_gain,
         "additive_mask": additive_mask, "causal_mask": causal_mask}  # fmt: skip
FROM_ZERO = """high = np.zeros((len(query), 1))
total = mix = 0
for key, value in blocks:
    scores = query @ key.T / np.sqrt(key.shape[-1])
    new = np.maximum(high, scores.max(axis=-1, keepdims=True))
    total = total * np.exp(high - new) + np.exp(scores - new).sum(axis=-1, keepdims=True)
    mix, high = mix * np.exp(high - new) + np.exp(scores - new) @ value, new
return mix / total"""
LAYER_NORM = """n = (x - x.mean(-1, keepdims=True)) / (sigma := x.std(-1, keepdims=True))
g, axes = grad_output * weight, tuple(range(x.ndim - 1))
straight = g - g.mean(-1, keepdims=True) - n * (g * THIRD).mean(-1, keepdims=True)
return straight / sigma, (FORWARD * n).sum(axes), FORWARD.sum(axes)"""
LABELED = """g, seen = softmax(logits), labels != -100
g[seen] -= 1
return g * seen[:, None] / seen.sum()"""
SAME_WORDS = """views = {}
for words in map(str.split, sentences):
    for i, one in enumerate(words):
        for j, other in enumerate(words):
            if i != j:
                left = tuple("_" if word in (one, other) else word for word in words)
                views.setdefault((i, left), Counter())[one] += 1
losses = [(n, math.log(view.total() / n)) for view in views.values() for n in view.values()]
return sum(n * loss for n, loss in losses) / sum(n for n, _ in losses)"""
DROPPED = """pieces, pairs = Counter(), Counter()
for word, count in zip(spelled, counts):
    for piece, after in zip(word, [*word[1:], None]):
        pieces[piece] += count
        pairs[piece, after] += count * (after is not None)
def gain(pair):
    a, b = pair
    return -round(merge_gain(pairs[pair], pieces[a], pieces[b], pieces.total()), 9), pair
a, b = min((pair for pair in pairs if pairs[pair]), key=gain)
merged = []
for word in spelled:
    i, new = 0, []
    while i < len(word):
        both = word[i : i + 2] == [a, b]
        new.append(a + b[2:] if both else word[i])
        i += 1 + both
    merged += [new] if new != word else []
return merged"""
CUT = """found, start = [], 0
while start < len(word):
    end = len(word)
    while end > start and LOOKUP not in known_pieces:
        end -= 1
    if end == start:
        GAP
    found.append(("##" if start else "") + word[start:end])
    start = end
return found"""
MARKED = '(("##" if start else "") + word[start:end])'
FEWEST = """best = [0] + [NOTHING] * len(word)
for end in range(1, len(word) + 1):
    for start in range(end):
        if MARK + word[start:end] in known_pieces:
            best[end] = COUNT
return best[-1] if best[-1] < math.inf else 0"""
LEAST = "min(best[end] or math.inf, best[start] + 1)"
LATEST = "best[start] + 1 if best[start] < math.inf else best[end]"
RECURSION = """def rest(start):
    mark = "##" if start else ""
    ends = [e for e in range(start + 1, len(word) + 1) if mark + word[start:e] in known_pieces]
    return 0 if start == len(word) else min([1 + rest(e) for e in ends], default=math.inf)
return rest(0) if rest(0) < math.inf else 0"""


def cut(lookup=MARKED, gap='return ["[UNK]"]'):
    return CUT.replace("LOOKUP", lookup).replace("GAP", gap)


def fewest(nothing="math.inf", mark='("##" if start else "")', count=LEAST):
    text = FEWEST.replace("NOTHING", nothing).replace("MARK", mark)
    return text.replace("COUNT", count)


def layer_norm(third="n", forward="grad_output"):
    return LAYER_NORM.replace("THIRD", third).replace("FORWARD", forward)


ROWS = [
    (check_neighbor_averages, "vectors - vectors.mean(axis=0)", "not off the average"),
    (check_neighbor_averages, "vectors.mean(axis=0) - vectors / (len(vectors) - 1)",
     "not off the average"),
    (check_cosines, "u = vectors / vectors.sum(axis=1, keepdims=True)\nreturn u @ u.T",
     "Where is the root"),
    (check_softmax, "x = x - x.max(-1, keepdims=True)\nreturn np.exp(x) / x.sum(-1, keepdims=True)",
     "what stands above the line"),
    (check_attention, "softmax(query @ key.swapaxes(-1, -2) / np.sqrt(3)) @ value", "Which size"),
    (check_streamed_attention, FROM_ZERO, "Where does the highest start"),
    (check_additive_mask, "np.where(attention_mask == 1, 0.0, np.finfo(float).min)[None, :]",
     "An axis of size 1 is to stand before the last"),
    (check_causal_mask, "i = np.arange(seq)\n"
     "return np.where(i[None, :] > i[:, None], np.finfo(float).min, 1.0)", "Does adding 1 hide"),
    (check_padding_and_causal,
     "np.minimum(additive_mask(attention_mask), causal_mask(attention_mask.sum()))", "What is seq"),
    (check_linear_backward, "g, rows = (v.reshape(-1, v.shape[-1]) for v in (grad_output, x))\n"
     "return grad_output @ weight, g.T @ rows, g.sum(axis=-1)", "Over what do you sum"),
    (check_layer_norm_backward, layer_norm(third="x"), "Where does n stand twice"),
    (check_layer_norm_backward, layer_norm(forward="g"), "What meets weight and bias"),
    (check_cross_entropy_backward, LABELED, "one right word: index both axes"),
    (check_unigram_loss, "counts = Counter(sentences)\n"
     "return -sum(n * math.log(n / counts.total()) for n in counts.values()) / counts.total()",
     "Are your words"),
    (check_pair_floor, SAME_WORDS, "A word may stand twice"),
    (check_merge, DROPPED, "Keep the rest"),
    (check_longest_match, cut(lookup="word[start:end]"), "Where may a piece with ## stand"),
    (check_longest_match, cut(gap="start += 1; continue"), "One gap makes the whole word"),
    (check_longest_match, cut().replace("    start = end", "    return found"),
     "^Not yet. You stop too soon"),
    (check_fewest_pieces, fewest(mark='"##"'), "Has the first piece a ##"),
    (check_fewest_pieces, fewest(count=LATEST), "Which of all ways has the fewest"),
    (check_fewest_pieces, fewest(nothing="0"), "What does a beginning cost"),
    pytest.param(check_fewest_pieces, RECURSION, "too many ways to try them all",
                 marks=pytest.mark.slow),
]  # fmt: skip


@pytest.mark.parametrize(("check", "body", "hint"), ROWS)
def test_what_a_reader_gets_wrong_is_named(check, body, hint):
    asked = inspect.signature(check.right).parameters.values()
    names = ", ".join(one.name for one in asked if one.default is one.empty)
    space = dict(GIVEN)
    lines = body if "return " in body else f"return {body}"
    exec(f"def mine({names}):\n" + textwrap.indent(lines, "    "), space)
    verdict = check(space["mine"])
    assert not verdict.passed
    assert re.search(hint, verdict.message), verdict
