"""Exercises of Chapter 12: list the negatives of a pair, and the whole loss."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(12)


def _words(text):
    return text.casefold().split()


def _negatives(documents, number, place, *, own=False, same=_words, avoid=1, once=False):
    avoided = same(documents[number][place + avoid])
    found = [
        sentence
        for other, document in enumerate(documents)
        if own or other != number
        for sentence in document
        if same(sentence) != avoided
    ]
    return list(dict.fromkeys(found)) if once else found


_STORIES = [
    ["a dog barks", "It rains", "the dog runs home"],
    ["a boy waits", "it  rains", "the dog runs home"],
    ["the sun sets", "a dog barks", "it rains"],
    ["a boy waits", "rains it"],
]

check_negatives = Exercise(
    "List all sentences that may stand as the negative example of a pair.",
    _negatives,
    cases=[(_STORIES, number, place) for number in range(3) for place in range(2)],
    mistakes=[
        Mistake({"own": True}, "You also take sentences of the same document. Take them from the "
                "others only."),
        Mistake({"same": lambda text: object()}, "Among them is the text of the true next "
                "sentence, from another document: a false negative."),
        Mistake({"own": True, "same": lambda text: object()}, "You take all sentences there are, "
                "even the true next one."),
        Mistake({"same": as_it_is}, "You compare letter by letter. A capital or a second space "
                "hides a false negative from you."),
        Mistake({"same": str.casefold}, "Spaces still count with you. Compare the words: split the "
                "text."),
        Mistake({"same": str.split}, "Capitals still count with you."),
        Mistake({"same": lambda text: {*_words(text)}}, "You compare sets of words. Their order "
                "makes the text as well."),
        Mistake({"avoid": 0}, "You avoid the first sentence of the pair. Which text must not stand "
                "as a wrong one?"),
        Mistake({"once": True}, "A sentence that stands in two documents may be drawn from both: "
                "list it twice."),
    ],
)  # fmt: skip


def _losses(scores, labels, ignored, axis=-1):
    """Compute one loss for each place, 0 where there is no label, and where there is one."""
    asked = (labels != -100) & (labels != ignored)
    probs = softmax(scores, axis=axis)
    picked = np.take_along_axis(probs, np.where(asked, labels, 0)[..., None], axis=-1)[..., 0]
    return np.where(asked, -np.log(picked), 0.0), asked


def _mean(losses, asked):
    return np.divide(losses.sum(), asked.sum())


def _mean_by_row(losses, asked):
    return (losses.sum(axis=-1) / np.maximum(asked.sum(axis=-1), 1)).mean()


def _sum_of_both(words, pairs):
    return words + pairs


def _total_loss(word_scores, word_labels, pair_scores, pair_labels, *, ignored=-100, axis=-1,
                of_words=_mean, of_pairs=_mean, both=_sum_of_both, unit=1.0, sign=1):  # fmt: skip
    """Add the mean loss of the words and that of the pairs."""
    words = of_words(*_losses(word_scores, word_labels, ignored, axis))
    pairs = of_pairs(*_losses(pair_scores, pair_labels, ignored))
    return sign * both(words, pairs) / unit


def _one_pot(word_scores, word_labels, pair_scores, pair_labels):
    parts = [_losses(word_scores, word_labels, -100), _losses(pair_scores, pair_labels, -100)]
    return sum(losses.sum() for losses, _ in parts) / sum(asked.sum() for _, asked in parts)


def _total_case(words, pairs):
    words, pairs = np.array(words), np.array(pairs)
    return _RNG.normal(size=(*words.shape, 5)), words, _RNG.normal(size=(len(pairs), 2)), pairs


check_total_loss = Exercise(
    "Compute the loss of pre-training: the mean loss of words plus that of pairs.",
    _total_loss,
    cases=[
        _total_case([[-100, 3, -100]], [0]),
        _total_case([[-100, 0, 2], [4, -100, -100]], [0, 1]),
        _total_case([[1, 2, 3, 0], [-100, -100, 2, -100], [-100, 4, -100, 0]], [1, -100, 1]),
    ],
    mistakes=[
        Mistake({"both": lambda words, pairs: (words + pairs) / 2}, "You take the mean of the two. "
                "BERT adds them up."),
        Mistake({"both": lambda words, pairs: words}, "The loss of the pairs is missing."),
        Mistake({"both": lambda words, pairs: pairs}, "The loss of the words is missing."),
        Mistake({"both": lambda words, pairs: (words, pairs)}, "These are the two losses. Return "
                "their sum."),
        Mistake(_one_pot, "You put all losses in one pot and take one mean. Each task has a mean "
                "of its own, and the two means are added."),
        Mistake({"ignored": 0}, "Label 0 does not count with you. Only -100 says that there is no "
                "label."),
        Mistake(IndexError, "You look up the score number -100. Choose what has a label first; "
                "-100 says that there is none."),
        Mistake({"of_words": _mean_by_row}, "You take a mean for each row, and then the mean of "
                "these. Every labeled position should weigh the same."),
        Mistake({"of_words": lambda losses, asked: losses.mean()}, "You divide the words' losses "
                "by all positions. How many have a label?"),
        Mistake({"of_pairs": lambda losses, asked: losses.mean()}, "You divide the pairs' losses "
                "by all pairs. How many have a label?"),
        Mistake({"of_words": lambda losses, asked: losses.sum(), "of_pairs": lambda losses, asked:
                losses.sum()}, "You add up over positions and pairs. Each of the two losses is a "
                "mean."),
        Mistake({"axis": 1}, "Your softmax of the words runs over the positions. Which axis holds "
                "the words?"),
        Mistake({"unit": np.log(2)}, "That is in bits. This book counts in nats."),
        Mistake({"sign": -1}, "The sign is turned around: a loss is not negative."),
    ],
)  # fmt: skip
