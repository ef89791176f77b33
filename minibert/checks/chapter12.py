"""Exercises of Chapter 12: frame a pair, list its negatives, the loss of pairs, the whole loss."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(12)


def _zero_is_next(follows):
    return 1 - int(follows)


def _framed(first, second, follows, *, segments=(0, 1), around=(2, 1), label=_zero_is_next):
    counts = [first + around[0], second + around[1]]
    return np.repeat(segments, counts), label(follows)


check_framed_pair = Exercise(
    "Write the segment ids of a pair's row, and its label.",
    _framed,
    cases=[(2, 3, True), (10, 7, True), (1, 1, False), (3, 2, False), (4, 6, True)],
    mistakes=[
        Mistake({"label": int}, "Your segment ids are right. Your labels are turned around: 0 "
                "stands for IsNext."),
        Mistake({"segments": (1, 0)}, "Your segments are turned around: the first sentence is "
                "segment 0."),
        Mistake({"segments": (1, 0), "label": int}, "Segments and labels are both turned around: 0 "
                "is the first sentence, and 0 is IsNext."),
        Mistake({"around": (1, 2)}, "To which segment does the first [SEP] belong?"),
        Mistake({"around": (3, 0)}, "The second segment begins right behind the first [SEP]."),
        Mistake({"around": (1, 2), "label": int}, "To which segment does the first [SEP] belong? "
                "And the labels are turned around: 0 stands for IsNext."),
        Mistake({"around": (1, 1)}, "One special token is missing: [CLS] begins the row, a [SEP] "
                "ends each sentence."),
        Mistake({"around": (2, 0)}, "The second sentence ends with a [SEP], too."),
        Mistake({"around": (0, 0)}, "You count the tokens of the sentences. Which special tokens "
                "does their row have?"),
        Mistake({"around": (2, 2)}, "One special token too many: only the row as a whole begins "
                "with [CLS]."),
        Mistake({"segments": (0, 0)}, "All your tokens are in one segment. The second sentence has "
                "segment id 1."),
        Mistake({"segments": (1, 2)}, "Segment ids start at 0, and there are two of them."),
        Mistake(lambda *case: _framed(*case)[0], "The segment ids are right. Where is the label?"),
    ],
)  # fmt: skip


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


def _minus_log(shares):
    return -np.log(shares)


def _pair_loss(vectors, weight, bias, labels, *, ignored=(-100,), over=np.count_nonzero,
               turn=False, bias_times=1, log=_minus_log, axis=-1):  # fmt: skip
    """Compute the mean loss of the labeled pairs."""
    probs = softmax(vectors @ weight.T + bias_times * bias, axis=axis)
    asked = ~np.isin(labels, ignored)
    answers = np.clip(labels, 0, 1)  # -100 becomes 0
    losses = log(probs[np.arange(len(labels)), 1 - answers if turn else answers])
    return np.divide(losses[asked].sum(), over(asked))


check_pair_loss = Exercise(
    "Compute the mean loss of pairs, from their summary vectors.",
    _pair_loss,
    cases=[
        (_RNG.normal(size=(len(labels), 3)), _RNG.normal(size=(2, 3)), _RNG.normal(size=2),
         np.array(labels))
        for labels in ([0], [1], [0, 1, 1], [1, -100, 0, 0], [-100, 1, 1, -100, 0])
    ],
    mistakes=[
        Mistake({"ignored": (0, -100)}, "Pairs with the label 0 do not count with you. 0 is an "
                "answer, IsNext. Only -100 says that there is none."),
        Mistake({"over": len}, "You divide by all pairs. Divide by those with a label."),
        Mistake({"over": lambda asked: 1}, "You add up. The loss is the mean over the labeled "
                "pairs."),
        Mistake({"turn": True}, "Your labels are turned around: score 0 belongs to IsNext, and so "
                "does label 0."),
        Mistake({"ignored": ()}, "Pairs with the label -100 count with you. As an index, -100 is "
                "the wrong thing to look up."),
        Mistake(IndexError, "You look up the score number -100. Choose the pairs with a label "
                "first; -100 says that there is none."),
        Mistake({"bias_times": 0}, "The bias is missing."),
        Mistake({"log": as_it_is}, "You average shares. The loss is minus their logarithm."),
        Mistake({"log": np.log}, "The sign is turned around: a loss is not negative."),
        Mistake({"log": lambda shares: -np.log2(shares)}, "That is in bits. This book counts in "
                "nats, with the natural logarithm."),
        Mistake({"axis": 0}, "Your softmax runs over the pairs. Which axis holds the two answers?"),
        Mistake(lambda x, w, b, y: softmax(x @ w + b), "The weight has one row for each answer. "
                "What must become of it before vectors @ weight?"),
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
