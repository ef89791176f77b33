"""The checkers of Chapter 5 accept right answers and say what is wrong with wrong ones."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest

from minibert.checks.chapter05 import (
    check_dropout,
    check_left_floor,
    check_masked_loss,
    check_unigram_loss,
)


def dropout_with_where(x, kept, rate):
    return np.where(kept, x / (1 - rate), 0.0)


def unigram_with_counter(sentences):
    counts = Counter(" ".join(sentences).split())
    total = sum(counts.values())
    return math.fsum(n / total * math.log(total / n) for n in counts.values())


def masked_loss_with_a_loop(logits, labels):
    losses = []
    for scores, label in zip(logits, labels, strict=True):
        if label != -100:
            top = max(scores)
            losses.append(top + math.log(sum(np.exp(scores - top))) - scores[label])
    return sum(losses) / len(losses)


def left_floor_with_dictionaries(sentences):
    counts = defaultdict(Counter)
    for sentence in sentences:
        words = sentence.split()
        for i, word in enumerate(words):
            counts[" ".join(words[:i])][word] += 1
    losses = []
    for counter in counts.values():
        for count in counter.values():
            losses += count * [-math.log(count / counter.total())]
    return sum(losses) / len(losses)


RIGHT = [
    (check_dropout, dropout_with_where),
    (check_unigram_loss, unigram_with_counter),
    (check_masked_loss, masked_loss_with_a_loop),
    (check_left_floor, left_floor_with_dictionaries),
]


@pytest.mark.parametrize(("checker", "answer"), RIGHT)
def test_a_right_answer_written_in_another_way_passes(checker, answer):
    verdict = checker(answer)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize("checker", [checker for checker, _ in RIGHT])
def test_a_stub_is_told_that_it_returns_nothing(checker):
    def stub(*arguments): ...

    verdict = checker(stub)
    assert not verdict.passed
    assert "returns nothing yet" in verdict.message


def frequencies(sentences):
    counts = Counter(" ".join(sentences).split())
    return {word: n / sum(counts.values()) for word, n in counts.items()}


def mean_by_sentence(sentences, shares):
    return np.mean([np.mean([-math.log(shares[w]) for w in s.split()]) for s in sentences])


def share_of_truth(logits, labels):
    asked = labels != -100
    exponentials = np.exp(logits[asked])
    probs = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return probs[np.arange(asked.sum()), labels[asked]]


def stable_shares(logits, labels):
    return share_of_truth(logits - logits.max(axis=-1, keepdims=True), labels)


def each_loss(logits, labels):
    asked = labels != -100
    return np.array(
        [
            masked_loss_with_a_loop(x[None], [y])
            for x, y in zip(logits[asked], labels[asked], strict=True)
        ]
    )


def floor_of(sentences, context):
    counts = defaultdict(Counter)
    for sentence in sentences:
        words = sentence.split()
        for i, word in enumerate(words):
            counts[context(words, i)][word] += 1
    total = sum(n for c in counts.values() for n in c.values())
    return sum(
        n / total * math.log(sum(c.values()) / n) for c in counts.values() for n in c.values()
    )


WRONG = [
    (check_dropout, lambda x, kept, rate: x * kept, "smaller than it will be"),
    (check_dropout, lambda x, kept, rate: x * kept / rate, "the rate, or 1 minus"),
    (check_dropout, lambda x, kept, rate: x * kept * (1 - rate), "Yours shrink"),
    (check_dropout, lambda x, kept, rate: x * ~kept / (1 - rate), "keep what should be dropped"),
    (check_dropout, lambda x, kept, rate: x * ~kept / rate, "keep what should be dropped"),
    (check_dropout, lambda x, kept, rate: x * kept * kept.size / kept.sum(), "happened to stay"),
    (
        check_unigram_loss,
        lambda s: sum(-p * math.log2(p) for p in frequencies(s).values()),
        "Your unit is the bit",
    ),
    (
        check_unigram_loss,
        lambda s: sum(-math.log(p) for p in frequencies(s).values()) / len(frequencies(s)),
        "average over the different words",
    ),
    (
        check_unigram_loss,
        lambda s: np.mean([np.mean([-math.log(frequencies(s)[w]) for w in x.split()]) for x in s]),
        "sentence by sentence",
    ),
    (
        check_unigram_loss,
        lambda s: sum(p * math.log(p) for p in frequencies(s).values()),
        "not negative",
    ),
    (
        check_unigram_loss,
        lambda s: unigram_with_counter(s) * len(" ".join(s).split()),
        "the sum over all hidden words",
    ),
    (check_unigram_loss, lambda s: math.log(len(frequencies(s))), "treat all words alike"),
    (
        check_masked_loss,
        lambda x, y: -np.log(share_of_truth(x, y)).sum() / len(y),
        "number of all positions",
    ),
    (check_masked_loss, lambda x, y: -np.log(share_of_truth(x, y)).sum(), "That is the sum"),
    (check_masked_loss, lambda x, y: np.log(share_of_truth(x, y)).mean(), "not negative"),
    (
        check_masked_loss,
        lambda x, y: masked_loss_with_a_loop(x, np.maximum(y, 0)),
        "as if their word had id 0",
    ),
    (check_masked_loss, lambda x, y: -np.log2(share_of_truth(x, y)).mean(), "unit is the bit"),
    (check_masked_loss, lambda x, y: -share_of_truth(x, y).mean(), "Where is the logarithm"),
    (
        check_masked_loss,
        lambda x, y: -np.log(share_of_truth(x, y).mean()),
        "mean of the logarithms",
    ),
    (
        check_masked_loss,
        lambda x, y: each_loss(x, y)[each_loss(x, y) != 0].mean(),
        "a loss of exactly 0",
    ),
    (check_masked_loss, lambda x, y: -np.log(share_of_truth(x, y)).mean(), "overflows"),
    (check_masked_loss, lambda x, y: -np.log(stable_shares(x, y)).mean(), "rounded to 0"),
    (check_masked_loss, lambda x, y: -np.log(stable_shares(x, y) + 1e-9).mean(), "needs no help"),
    (check_left_floor, lambda s: floor_of(s, lambda w, i: i and w[i - 1]), "the one word before"),
    (check_left_floor, lambda s: floor_of(s, lambda w, i: " ".join(w[i + 1 :])), "from the right"),
    (check_left_floor, lambda s: floor_of(s, lambda w, i: " ".join(w[: i + 1])), "word itself"),
    (check_left_floor, lambda s: floor_of(s, lambda w, i: " ".join(sorted(w[:i]))), "the order"),
    (
        check_left_floor,
        lambda s: floor_of(s, lambda w, i: (i, *w[:i], *w[i + 1 :])),
        "also sees what follows",
    ),
    (check_left_floor, lambda s: floor_of(s, lambda w, i: (len(w), *w[:i])), "how long"),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("checker", "answer", "hint"), WRONG)
def test_a_usual_mistake_gets_its_hint(checker, answer, hint):
    verdict = checker(answer)
    assert not verdict.passed
    assert hint in verdict.message
