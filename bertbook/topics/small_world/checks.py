"""Exercises of Chapter 14: Bayes' rule at one place and at all, the ladder, stories never told."""

import math
from collections import Counter

import numpy as np
import torch

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import to_tensor


def _posterior(before, likelihoods):
    joint = np.array(before) * np.array(likelihoods)
    return joint / joint.sum()


check_posterior = Exercise(
    "Apply Bayes' rule to a list of answers.",
    _posterior,
    cases=[([1 / 3, 2 / 3], [1.0, 0.25]), ([0.5, 0.25, 0.25], [0.2, 0.8, 0.0]),
           ([0.1, 0.2, 0.3, 0.4], [0.05, 0.0, 0.01, 0.002])],
    mistakes={
        "/ joint.sum() →": "Do these add up to 1?",
        "np.array(before) * →": "Where is the first list?",
        "* np.array(likelihoods) →": "Where is the second list?",
        ("* → +", "* → +||joint.sum() → 2"): "Both must hold at once: which operation is that?",
        ("joint.sum() → np.sum(likelihoods) ¦ len(joint) ¦ np.linalg.norm(joint)", "sum → max ¦ "
            "mean ¦ cumsum"): "By what must you divide so that all add up to 1?",
        ("* → /", "(before) * → (before) ** -1 *"): "Both must hold at once: is that a division?",
        "= …(likelihoods) → = np.exp(…(likelihoods)) ¦ = np.exp(likelihoods)": "Why take exp?",
        "np.array(likelihoods) → (1 - np.array(likelihoods))": "Which likelihood has each answer?",
        "joint / → np.array(likelihoods) /": "Where is the first list in what you divide?",
        "joint / joint.sum() → joint / (joint + (1 - np.array(before)) * (1 - "
            "np.array(likelihoods)))": "Divide by the sum over all answers.",
        "joint / →": "That is the probability of what is seen. Which share has each answer?",
        ("→ np.log(right(before, likelihoods))", "joint / → 100 * joint /"): "Do these sum to 1?",
        ("joint / joint.sum() → joint.argmax()", "joint / → joint[0] /"): "One for each answer.",
    },
)  # fmt: skip


def _best_loss(observations):
    pairs, sights = Counter(observations), Counter(s for s, _ in observations)
    chances = [pairs[s, w] / sights[s] for s, w in observations]
    return -np.log(chances).mean()


check_best_loss = Exercise(
    "Compute the best mean loss of a guesser that sees a part of what is around a word.",
    _best_loss,
    cases=[([*(("the _ reads", w) for w in ("man", "man", "girl")), ("a _", "dog")],),
           ([("a _ dog", "red"), ("a _ dog", "old"), ("one _", "cat")] * 2,),
           ([("", word) for word in "a b a c a b d".split()],),
           ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "a"), ("z", "b"), ("z", "c")],)],
    mistakes={
        "→ right([('', word) for _, word in observations])": "That is the unigram step.",
        "sights[s] → len(observations)": "Divide by how often it sees that.",
        "np.log → np.log2 ¦ np.log10": "Take the natural logarithm.",
        "mean → sum": "That is the sum. Take the mean.",
        ".mean() → .sum() / len(sights) ¦ .sum() / len(pairs) ¦ @ [1 / sights[s] for s, _ in "
            "observations] ¦ @ [1 / sights[s] for s, _ in observations] / len(sights)": "Each pair "
            "counts once.",
        ("w in observations → w in pairs", "w in observations → w in pairs||.mean() → .sum() / "
            "len(observations)"): "Count a pair as often as it comes up.",
        "np.log(chances).mean() → np.log(np.mean(chances))": "Take the mean of all surprises.",
        "→ np.exp(right(observations))": "That is the perplexity, not the loss.",
        "s for s, _ → w for _, w||sights[s] → sights[w]": "What is given: the sight or the word?",
        "→ right([*dict(observations).items()])": "Count all pairs: a dict keeps one.",
        "pairs[s, w] → max(n for (t, _), n in pairs.items() if t == s)": "You take the best guess.",
        "return → return -": "Right up to the sign.",
        "pairs[s, w] / sights[s] → 1 / sum(t == s for t, _ in pairs)": "Are they equally likely?",
        "-np.log(chances).mean() → np.mean([w != max((n, v) for (t, v), n in pairs.items() if t == "
            "s)[1] for s, w in observations])": "How probable was the true word?",
        "-np.log → np.array ¦ 1 - np.array ¦ np.reciprocal": "Where is the logarithm?",
        ("pairs[s, w] / sights[s] → 1 / pairs[s, w]", "pairs[s, w] / → 1 /"): "A share of what?",
        "pairs[s, w] / sights[s] → sights[s] / pairs[s, w] / len(observations) * sum(v == w for _, "
            "v in observations)": "So much does the sight help. How much is still to be guessed?",
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
        "set(learned) → [*map(set, learned)]||document not in → set(document) not in": "The same "
            "sentences in another order are another document.",
        ("set(learned) → {one[0] for one in learned}||document not in → document[0] not in",
            "set(learned) → {one[-1] for one in learned}||document not in → document[-1] not in"):
            "You look at one sentence of each document.",
        "→ test = [*test]\nfor d in test:\n    d in learned and test.remove(d)\nreturn "
            "[*dict.fromkeys(test)]": "You remove from the list that you go through.",
        "set(learned) → set(test)||fromkeys(test) → fromkeys(learned)": "The lists are exchanged.",
        "in known → in known and test.count(document) < 2": "Keep once what is listed twice.",
        "fromkeys(test) → fromkeys(test[::-1])||known] → known][::-1]": "Which of two is kept?",
        "→ [d for d, e in zip(test, learned) if d != e]": "Compare each with all that were told.",
        "→ []": "Nothing is left. Do you ask what add() or append() returns?",
        ("→ [d not in learned for d in test] ¦ [i for i, d in enumerate(test) if d not in learned] "
            "¦ [i for i, d in enumerate(dict.fromkeys(test)) if d not in learned]", "[document → "
            "len([document||known] → known])"): "Return the documents themselves.",
        ("set(learned) → {*map(' '.join, learned)}||document not in → ' '.join(document) not in",
            "set(learned) → {*map(''.join, learned)}||document not in → ''.join(document) not in"):
            "Joined, different documents may look the same. Compare the tuples.",
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
        "/ seen →": "What makes a posterior of these joint probabilities?",
        ("fits * →", "fits * →||/ seen → / joint.sum(axis=1, keepdims=True)"): "The derivative is "
            "the probability of everything else. How well does the word itself fit?",
        "fits * →||/ seen →": "These are the derivatives. Two steps are missing.",
        "/ seen → / joint.sum() ¦ / joint.sum(axis=0)": "Which entries add up to 1?",
        "→ fits / fits.sum(axis=1, keepdims=True)": "What do the others say?",
        ("* → +", "* → +||/ seen → ¦ / joint.sum(axis=1, keepdims=True)", "fits * slopes → slopes "
            "/ fits"): "Both must hold at once: which operation is that?",
        "/ seen → / slopes.sum(axis=1, keepdims=True)": "Each row of products must add up to 1.",
        ("/ seen → / seen**2", "joint / seen → seen / joint"): "Divide by what is seen, once.",
        "joint / seen → np.log(joint / seen) ¦ np.log(joint)": "These are logarithms.",
        "joint / seen → (1 - joint / seen) / (fits.shape[1] - 1)": "Leave out the other words.",
        "joint / seen → joint.argmax(axis=1)": "Return the probabilities of all.",
        "/ seen → / joint.sum(axis=1, keepdims=True)||fits * slopes → np.exp(slopes) ¦ np.exp(fits "
            "* slopes)": "These numbers are probabilities already, and need no exponential.",
        "→ joint = _slopes(probability, fits, others=1)\nreturn joint / joint.sum(axis=1, "
            "keepdims=True)": "Only this word may fit at its position.",
        "fits * → fits * fits *": "You multiply twice by how well the word fits.",
        "→ right(probability, np.ceil(fits))": "A word may fit badly: entries need not be 0 or 1.",
        "joint / seen → np.where((fits == 1).all(1)[:, None], joint / seen, fits)": "Rows that are "
            "not hidden have a posterior, too.",
        (lambda p, x: torch.tensor(x) * torch.tensor(x).sum(dim=1),
            lambda p, x: torch.tensor(x).T * torch.tensor(x)): "Have the sums of the rows lost "
            "their axis? keepdim=True keeps it. Or is something turned that fits already?",
        lambda p, x: p(torch.tensor(x)).backward(): "The function has seen a table that requires "
            "no gradient. Use requires_grad_() before you call.",
        lambda p, x: torch.autograd.grad(p(_leaf(x)), _leaf(x)): "The function saw another table.",
        "joint / → 1 - joint /": "That is the rest without this word. What share has it?",
    },
)  # fmt: skip
