"""Exercises of Chapter 14: Bayes' rule at one place and at all, the ladder, stories never told."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import torch

from .exercise import Exercise
from .tensors import to_tensor

_ADD_UP = "By what must you divide so that all add up to 1?"


def _posterior(before, likelihoods):
    joint = np.array(before) * np.array(likelihoods)
    return joint / joint.sum()


check_posterior = Exercise(
    "Apply Bayes' rule to a list of answers.",
    _posterior,
    cases=[
        ([1 / 3, 2 / 3], [1.0, 0.25]),
        ([0.5, 0.25, 0.25], [0.2, 0.8, 0.0]),
        ([0.1, 0.2, 0.3, 0.4], [0.05, 0.0, 0.01, 0.002]),
    ],
    mistakes={
        "/ joint.sum() →": "These are the chances of the answer together with what is seen. Do "
            "they add up to 1?",
        "np.array(before) * →": "Every answer counts the same here, even one that was unlikely "
            "from the start. Where is the first list?",
        "* np.array(likelihoods) →": "Nothing was learned from what is seen. Where is the second "
            "list?",
        "* → +": "You add the two numbers of each answer. Both must hold at once: is that a sum?",
        "joint.sum() → np.sum(likelihoods)": "You divide by the sum of the second list. What is "
            "the chance of what is seen, over all answers?",
        "sum → max": f"You divide by the largest number. {_ADD_UP}",
        "joint.sum() → len(joint)": f"You divide by how many answers there are. {_ADD_UP}",
        "sum → mean": f"You divide by the mean. {_ADD_UP}",
        "joint.sum() → np.linalg.norm(joint)": f"You divide by their length as a vector. {_ADD_UP}",
        "sum → cumsum": f"You divide by all numbers so far. {_ADD_UP}",
        ("* → /",
            "np.array(before) * np.array(likelihoods) → np.array(likelihoods) / np.array(before)"):
            "You divide one list by the other. Both must hold at once: which operation is that?",
        ("np.array(before) * np.array(likelihoods) → np.exp(np.multiply(before, likelihoods))",
            "np.array(before) * np.array(likelihoods) → np.exp(likelihoods)"):
            "That is a softmax. These numbers are chances already, and need no exponential.",
        "* → +||joint.sum() → 2": "You take the mean of the two numbers of each answer. Both must "
            "hold at once: is that a mean?",
        "np.array(likelihoods) → (1 - np.array(likelihoods))": "You ask how likely each answer "
            "would make something else. What was seen was seen.",
        "joint / → np.array(likelihoods) /": "Divided as it should be. But where is the first list "
            "in what you divide?",
        "joint / joint.sum() → joint / (joint + (1 - np.array(before)) * (1 - "
            "np.array(likelihoods)))": "You set each answer against all others. How likely these "
            "make what is seen stands in the list: divide by the sum over all answers.",
        "joint / →": "That is the chance of what is seen, over all answers. Which share of it has "
            "each one?",
        "→ np.log(right(before, likelihoods))": "These are logarithms. Chances add up to 1.",
        "joint / → 100 * joint /": "These are percentages. Chances add up to 1.",
        "joint / joint.sum() → joint.argmax()": "That is the number of the likeliest answer. "
            "Return the chances of all.",
        "joint / → joint[0] /": "That is the first answer. Return the chances of all.",
    },
)  # fmt: skip


def _best_loss(observations):
    together, sights = Counter(observations), Counter(sight for sight, _ in observations)
    losses = [np.log(sights[sight] / together[sight, word]) for sight, word in observations]
    return np.mean(losses)


_READS = ["man", "man", "girl"]

check_best_loss = Exercise(
    "Compute the best mean loss of a guesser that sees a part of what is around a word.",
    _best_loss,
    cases=[
        ([*(("the _ reads", word) for word in _READS), ("a _", "dog")],),
        ([("a _ dog", "red"), ("a _ dog", "old"), ("one _", "cat")] * 2,),
        ([("", word) for word in "a b a c a b d".split()],),
        ([("x", "a"), ("x", "b"), ("y", "a"), ("y", "a"), ("y", "a"), ("z", "b"), ("z", "c")],),
    ],
    mistakes={
        "→ right([('', word) for _, word in observations])": "That is the unigram step. What is "
            "seen does not change the guess here.",
        "sights[sight] → len(observations)": "You take the chance of sight and word together. The "
            "guesser sees the one, and guesses the other.",
        "→ right(observations) / np.log(2)": "These are bits. Nats are counted with the natural "
            "logarithm.",
        "→ right(observations) / np.log(10)": "Your logarithm has the base 10. Nats are counted "
            "with the natural one.",
        "mean → sum": "That is the sum over all riddles. A mean is wanted.",
        "np.mean(losses) → sum(x / sights[s] for x, (s, _) in zip(losses, observations)) / "
            "len(sights)": "You take the mean over the different sights. One that comes up often "
            "counts more often.",
        ("word in observations → word in together", "word in observations → word in "
            "together||np.mean(losses) → sum(losses) / len(observations)"):
            "You take each different pair once. One that comes up twice counts twice.",
        "np.mean(losses) → sum(losses) / len(sights)": "You divide by the number of different "
            "sights. The mean is over all riddles.",
        "np.mean(losses) → sum(losses) / len(together)": "You divide by the number of different "
            "pairs. The mean is over all riddles.",
        "np.mean(losses) → sum(x / sights[s] for x, (s, _) in zip(losses, observations))":
            "You add up the losses of the different sights. The mean is over all riddles.",
        "np.mean(losses) → -np.log(np.mean(np.exp(np.negative(losses))))":
            "You take the mean first and the logarithm then. Each riddle has its own surprise.",
        "np.mean(losses) → np.exp(np.mean(losses))": "That is the perplexity. The loss is its "
            "logarithm.",
        "Counter(sight for sight, _ in → Counter(word for _, word in||sights[sight] → sights[word]":
            "You ask how likely the sight is, given the word. Turn it around.",
        "→ right([*dict(observations).items()])": "A dict keeps one word for each sight. Count all "
            "pairs.",
        "together[sight, word] → max(n for (s, _), n in together.items() if s == sight)":
            "You always take the chance of the best guess. Take that of the hidden word.",
        "return → return -": "Right up to the sign. A loss is minus the logarithm of a chance.",
        "sights[sight] / together[sight, word] → sum(s == sight for s, _ in together)":
            "Each answer that fits counts the same here. One that comes up more often deserves a "
            "larger share.",
        "np.log(sights[sight] / together[sight, word]) → word != max((n, w) for (s, w), n in "
            "together.items() if s == sight)[1]": "That is how often the best single guess is "
            "wrong. The loss is minus the logarithm of the chance that the true word gets.",
        "np.log(sights[sight] / together[sight, word]) → together[sight, word] / sights[sight]":
            "You take the mean of the chances. Where is the logarithm?",
        "np.log(sights[sight] / together[sight, word]) → 1 - together[sight, word] / sights[sight]":
            "You take the mean of one minus the chances. Where is the logarithm?",
        "np.log(sights[sight] / together[sight, word]) → sights[sight] / together[sight, word]":
            "You take the mean of one divided by the chances. Where is the logarithm?",
        "/ together[sight, word] →": "You take the logarithm of how often what is seen comes up. "
            "Which share has the word of its sight?",
        "sights[sight] / →": "You take the logarithm of how often both come up together. Which "
            "share has the word of its sight?",
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
    ],
    mistakes={
        "dict.fromkeys(test) → test||not in → in": "Turned around: these are the documents that "
            "were told.",
        "dict.fromkeys(test) → test": "Each of these is new, but one of them stands there twice.",
        "set(learned) → set(sum(learned, ()))||document not in known → not known & {*document}":
            "A document counts as told here as soon as one of its sentences was. All of them must "
            "agree, in one document.",
        "set(learned) → set(sum(learned, ()))||document not in known → not known >= {*document}":
            "All sentences of a document may have been told, but in different documents. Compare "
            "whole documents.",
        "set(learned) → [*map(set, learned)]||document not in → set(document) not in":
            "You compare the sentences without their order. Told the other way around it is "
            "another document.",
        ("set(learned) → {one[0] for one in learned}||document not in → document[0] not in",
            "set(learned) → {one[-1] for one in learned}||document not in → document[-1] not in"):
            "You look at one sentence of each document. All of them must agree.",
        "→ test = [*test]\nfor document in test:\n    document in learned and "
            "test.remove(document)\nreturn [*dict.fromkeys(test)]": "You remove from the list that "
            "you go through. What stands behind the removed one moves up and is passed over: build "
            "a new list.",
        "set(learned) → set(test)||fromkeys(test) → fromkeys(learned)":
            "You have exchanged the lists. Whose documents are asked for?",
        "in known → in known and test.count(document) < 2": "A document that stands there twice is "
            "to be kept once, not dropped.",
        "fromkeys(test) → fromkeys(test[::-1])||known] → known][::-1]":
            "A document that stands there twice keeps its first place, not its last.",
        "→ [document for document, other in zip(test, learned) if document != other]":
            "You compare document by document. Compare each one with all that were told.",
        "→ []": "Nothing is left. Do you ask what add() or append() returns? That is None.",
        ("→ [document not in learned for document in test]",
            "→ [i for i, document in enumerate(test) if document not in learned]"):
            "You say which documents are new. Return these documents themselves.",
        "known] → known][:1]": "You stop at the first one. Does the return stand inside the loop?",
        "[document → sorted(document||known] → known)": "The right documents in another order. "
            "Keep that of the test.",
        "if document not in known →": "Nothing is left out but what stands there twice. What was "
            "told in the training?",
        "[document → len([document||known] → known])": "That is how many there are. Return the "
            "documents.",
        "[document → [' '.join(document)": "You join the sentences of a document. Return it as it "
            "was, a tuple.",
        "[document → [sentence||known] → known for sentence in document]":
            "These are single sentences. Return whole documents.",
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
    cases=[
        (_TINY, np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])),
        (_LONG, np.array([[1.0, 1, 1, 1], [0.0, 1, 0, 0], [0.2, 0.1, 0.5, 0.2]])),
        (_LONG, _RNG.uniform(0.1, 1, size=(3, 4))),
    ],
    given=to_tensor,
    mistakes={
        "/ seen →": "These are the probabilities of each word together with what is seen. What "
            "makes a posterior of them?",
        "fits * →": "The derivative is the probability of everything else. How well does the word "
            "itself fit at its place?",
        "fits * →||/ seen → / joint.sum(axis=1, keepdims=True)": "Each row adds up to 1; but the "
            "derivative is the probability of everything else. How well does the word itself fit "
            "at its place?",
        "fits * →||/ seen →": "These are the derivatives. Two steps are missing.",
        "/ seen → / joint.sum()": "You divide by the sum over all places. Each place has a "
            "posterior of its own.",
        "/ seen → / joint.sum(axis=0)": "You divide by the sum over the places. The words of one "
            "place add up to 1.",
        "→ fits / fits.sum(axis=1, keepdims=True)": "You look at each place alone. What do the "
            "others say?",
        ("* → +", "* → +||/ seen →", "* → +||/ seen → / joint.sum(axis=1, keepdims=True)"):
            "You add. Both must hold at once: which operation is that?",
        "/ seen → / slopes.sum(axis=1, keepdims=True)": "You divide by the sum of the derivatives. "
            "Each row of products must add up to 1.",
        "/ seen → / seen**2": "You divide twice by the chance of what is seen.",
        "joint / seen → np.log(joint / seen)": "These are logarithms. The chances of each row add "
            "up to 1.",
        "joint / seen → seen / joint": "It is upside down: divide by the chance of what is seen.",
        "joint / seen → (1 - joint / seen) / (fits.shape[1] - 1)": "You leave out the word that is "
            "asked for. Leave out all others of its row.",
        "joint / seen → joint.argmax(axis=1)": "These are the likeliest words. Return the chances "
            "of all.",
        "joint / seen → np.log(joint)": "These are logarithms. The chances of each row add up to "
            "1.",
        ("fits * slopes → np.exp(slopes)||/ seen → / joint.sum(axis=1, keepdims=True)",
            "fits * slopes → np.exp(fits * slopes)||/ seen → / joint.sum(axis=1, keepdims=True)"):
            "That is a softmax. These numbers are chances already, and need no exponential.",
        "→ joint = _slopes(probability, fits, others=1)\nreturn joint / joint.sum(axis=1, "
            "keepdims=True)": "You raise one entry and leave the others of its row. Only this word "
            "may fit at its place.",
        "fits * → fits * fits *": "You multiply twice by how well the word fits.",
        "fits * slopes → slopes / fits": "You divide by how well the word fits, and some do not at "
            "all. Both must hold at once: which operation is that?",
        "seen, slopes = → fits = np.ceil(fits)\n    seen, slopes =": "You take every entry above 0 "
            "for 1. A word may fit badly.",
        "joint / seen → np.where((fits == 1).all(1)[:, None], joint / seen, fits)":
            "You leave the rows that are not hidden as they were. They have a posterior, too.",
        (lambda p, fits: torch.tensor(fits) * torch.tensor(fits).sum(dim=1),
            lambda p, fits: torch.tensor(fits).T * torch.tensor(fits)):
            "The table meets another shape. Have the sums of its rows lost their axis? "
            "keepdim=True keeps it. Or is something turned that fits already?",
        lambda p, fits: p(torch.tensor(fits)).backward(): "The function has seen a table that "
            "requires no gradient. Ask for it, by requires_grad_(), before you call.",
        lambda p, fits: torch.autograd.grad(p(_leaf(fits)), _leaf(fits)):
            "You take the derivative by another table than the one that the function has seen. "
            "Keep one copy, under a name.",
    },
)  # fmt: skip
