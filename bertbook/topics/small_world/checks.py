"""Exercises of Chapter 14: all posteriors at once, a step of the ladder, stories never told."""

import math
from collections import Counter

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import to_tensor


def _best_loss(observations):
    pairs, sights = Counter(observations), Counter(s for s, _ in observations)
    chances = [pairs[s, w] / sights[s] for s, w in observations]
    return -np.log(chances).mean()


check_best_loss = Exercise(
    "Compute the best mean loss of a guesser that sees a part of what is around a word.",
    _best_loss,
    cases=[([*(("the _ reads", w) for w in ("man", "man", "girl")), ("a _", "dog")],),
           ([("a _ runs", "dog"), ("a _ sings", "man"), ("the _ runs", "cat")],),
           ([("a _ dog", "red"), ("a _ dog", "old"), ("one _", "cat")] * 2,),
           ([("", word) for word in "a b a c a b d".split()],),
           ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "a"), ("z", "b"), ("z", "c")],)],
    mistakes={
        "→ right([('', word) for _, word in observations])": "That is the unigram step.",
        "np.log → np.log2": "Take the natural logarithm.",
        ".mean() → @ [1 / sights[s] for s, _ in observations] / len(sights)":
            "Each pair counts once.",
        "w in observations → w in pairs": "Count a pair as often as it comes up.",
        "pairs[s, w] / sights[s] → 1 / sum(t == s for t, _ in pairs)": "Are they equally likely?",
        "sights[s] → len(observations) ¦ len(pairs) ¦ max(sights.values())":
            "Divide by how often it sees that.",
        "np.log(chances).mean() → np.log(np.mean(chances))": "Take logarithms first.",
        "-np.log → np.array ¦ 1 - np.array ¦ np.reciprocal": "Where is the logarithm?",
        "pairs[s, w] / → 1 /": "A share of what?",
    },
)  # fmt: skip


def _never_told(learned, test):
    known = set(learned)
    return [document for document in dict.fromkeys(test) if document not in known]


_LEARNED = [("it rains", "she reads"), ("he sings", "it snows"), ("a cat", "it eats")]

check_never_told = Exercise(
    "Find the documents of a test that were never told in the training, each once.",
    _never_told,
    cases=[
        (_LEARNED, [("she runs", "it rains"), *_LEARNED[2:0:-1], ("he sings", "she reads"),
                    _LEARNED[1][::-1]]),
        (_LEARNED, [("we go", "he sings"), ("a dog", "it eats"), ("we go", "he sings"),
                    *((word, "it rains") for word in "they walk and talk of old times".split())]),
        ([("one",)], [("two",), ("one",), ("four",), ("two",)]),
        ([("so", "it rains"), ("he", "sings")], [("so it", "rains"), ("hesings",)]),
    ],
    mistakes={
        "dict.fromkeys(test) → test||not in → in": "Turned around: these were told.",
        "dict.fromkeys(test) → test": "Each of these is new, but one of them is listed twice.",
        "set(learned) → set(sum(learned, ()))||document not in known → not known & {*document} ¦ "
            "not known >= {*document}": "Compare whole documents, not their sentences one by one.",
        "→ [d not in learned for d in test] ¦ [i for i, d in enumerate(test) if d not in learned]":
            "Return the documents themselves.",
        "dict.fromkeys(test) if → test if test.count(document) < 2 and": "Keep once what is twice.",
        "→ []": "Nothing is left. Do you ask what add() or append() returns?",
        "known] → known][:1]": "You stop at the first one. Does the return stand inside the loop?",
        "→ {*test} - {*learned}": "Keep the order of the test. A set has none.",
        "if document not in known →": "What was told in the training?",
        "[document → [' '.join(document)": "Return the document as it was, a tuple.",
        "[document → [one||known] → known for one in document]": "These are single sentences.",
    },
)  # fmt: skip


_RNG = np.random.default_rng(14)


def _telling(*stories):
    """Make the function of a small world: each story has a weight and a word for every place."""
    return lambda fits: sum(
        weight * math.prod([fits[place, word] for place, word in enumerate(words)])
        for weight, *words in stories
    )


def _slopes(probability, fits, others=0.0):
    """Compute the derivative by each entry: the value with only this entry in its row."""
    slopes = np.zeros_like(fits)
    for place, word in np.ndindex(*fits.shape):
        alone = fits.copy()
        alone[place] *= others
        alone[place, word] = 1
        slopes[place, word] = probability(alone)
    return slopes


def _posteriors(probability, fits):
    seen, slopes = probability(fits), _slopes(probability, fits)
    joint = fits * slopes
    return joint / seen


def _leaf(fits):
    return torch.tensor(fits, requires_grad=True)


_TINY = _telling((0.25, 0, 1), (0.25, 1, 2), (0.5, 2, 0))
_LONG = _telling((0.4, 0, 1, 2), (0.3, 0, 2, 2), (0.2, 1, 1, 3), (0.1, 3, 1, 0))

check_posteriors = Exercise(
    "Compute the posteriors of all places at once.",
    _posteriors,
    cases=[(_TINY, np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])),
           (_LONG, np.array([[1.0, 1, 1, 1], [0.0, 1, 0, 0], [0.2, 0.1, 0.5, 0.2]])),
           (_LONG, _RNG.uniform(0.1, 1, size=(3, 4)))],
    given=to_tensor,
    mistakes={
        "/ seen → ¦ * seen ¦ / joint.sum() ¦ / joint.sum(axis=0) ¦ / joint.max(1, keepdims=True)":
            "What makes a posterior of these joint probabilities?",
        ("fits * slopes → slopes ¦ fits", "→ fits / fits.sum(axis=1, keepdims=True)"):
            "How well a word fits, times how probable all else is with it: which is missing?",
        "* → +": "Both must hold at once: which operation is that?",
        (lambda p, x: torch.tensor(x) * torch.tensor(x).sum(dim=1),
            lambda p, x: torch.tensor(x).T * torch.tensor(x)): "Have the sums of the rows lost "
            "their axis? keepdim=True keeps it. Or is something turned that fits already?",
        lambda p, x: p(torch.tensor(x)).backward(): "The function has seen a table that requires "
            "no gradient. Use requires_grad_() before you call.",
        lambda p, x: torch.autograd.grad(p(_leaf(x)), _leaf(x)): "The function saw another table.",
    },
)  # fmt: skip
