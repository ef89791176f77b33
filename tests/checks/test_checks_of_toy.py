"""Right answers to the exercises of Chapter 5, written in other ways, pass."""

import math
import re
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from bertbook.checks.toy import check_dropout, check_masked_loss
from bertbook.checks.toy_corpus import check_pair_floor, check_unigram_loss
from bertbook.corpus import masked_word_loss


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


def own_mask(x, kept, rate, scale=1.0):
    return x * (np.random.default_rng(1).random(x.shape) >= rate) * scale


def in_base(log):
    """Write the loss with another logarithm of the sum."""

    def loss(logits, labels):
        scores, truth = logits[labels != -100], labels[labels != -100]
        scores = scores - scores.max(axis=-1, keepdims=True)
        return (log(np.exp(scores).sum(-1)) - scores[np.arange(len(truth)), truth]).mean()

    return loss


def with_probability(of):
    """Write the loss of a unigram guesser with another probability of a word."""

    def loss(sentences):
        words = " ".join(sentences).split()
        return sum(-math.log(of(word, words, sentences)) for word in words) / len(words)

    return loss


def labeled(logits, labels):
    return logits[labels != -100], labels[labels != -100]


def softmax_over_positions(logits, labels):
    scores, truth = labeled(logits, labels)
    shares = np.exp(scores) / np.exp(scores).sum(axis=0)
    return -np.log(shares[np.arange(len(truth)), truth]).mean()


def softmax_over_everything(logits, labels):
    shares = np.exp(logits) / np.exp(logits).sum()
    scores, truth = labeled(shares, labels)
    return -np.log(scores[np.arange(len(truth)), truth]).mean()


def squared_error(logits, labels):
    scores, truth = labeled(logits, labels)
    shares = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return ((shares - np.eye(scores.shape[-1])[truth]) ** 2).sum(axis=-1).mean()


def yes_or_no(logits, labels):
    scores, truth = labeled(1 / (1 + np.exp(-logits)), labels)
    is_true = np.eye(scores.shape[-1])[truth].astype(bool)
    return -np.log(np.where(is_true, scores, 1 - scores)).sum(axis=-1).mean()


def one_loss_each(logits, labels):
    scores, truth = labeled(logits, labels)
    return [math.log(np.exp(s).sum()) - s[t] for s, t in zip(scores, truth, strict=True)]


def answers_by_hole(sentences):
    answers = defaultdict(list)
    for sentence in sentences:
        words = sentence.split()
        for pair in combinations(range(len(words)), 2):
            left = " ".join("_" if i in pair else word for i, word in enumerate(words))
            for i in pair:
                answers[left, i].append(words[i])
    return answers


def pair_floor_by_choices(sentences):
    """Let all words that are possible be equally probable."""
    found = answers_by_hole(sentences).values()
    return sum(len(words) * math.log(len({*words})) for words in found) / sum(map(len, found))


def pair_floor_by_hiding(sentences):
    answers = answers_by_hole(sentences)
    losses = [-math.log(found.count(w) / len(found)) for found in answers.values() for w in found]
    return sum(losses) / len(losses)


def pair_floor_sentence_by_sentence(sentences):
    answers, means = answers_by_hole(sentences), []
    for sentence in (s.split() for s in sentences if " " in s):
        losses = []
        for pair in combinations(range(len(sentence)), 2):
            left = " ".join("_" if i in pair else word for i, word in enumerate(sentence))
            for i in pair:
                found = answers[left, i]
                losses.append(-math.log(found.count(sentence[i]) / len(found)))
        means.append(sum(losses) / len(losses))
    return sum(means) / len(means)


def logarithm_of_the_mean(sentences):
    answers = answers_by_hole(sentences)
    shares = [found.count(w) / len(found) for found in answers.values() for w in found]
    return -math.log(sum(shares) / len(shares))


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_dropout, dropout_with_where),
        (check_unigram_loss, unigram_with_counter),
        (check_masked_loss, masked_loss_with_a_loop),
        (check_pair_floor, pair_floor_by_hiding),
        (check_masked_loss, in_base(np.log)),
        (check_masked_loss, lambda *case: np.float32(masked_loss_with_a_loop(*case))),
        (check_dropout, lambda x, kept, rate: dropout_with_where(x, kept, rate).astype(np.float32)),
        (check_dropout, lambda x, kept, rate: dropout_with_where(x, kept, rate).tolist()),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (
            check_unigram_loss,
            lambda s: masked_word_loss(s, lambda words, i: None),
            "masked_word_loss",
        ),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_unigram_loss, with_probability(
            lambda w, words, s: (words.count(w) + 1) / (len(words) + len({*words}))), "share"),
        (check_unigram_loss, with_probability(
            lambda w, words, s: sum(w in x.split() for x in s) / len(s)), "Which share of all"),
        (check_unigram_loss, with_probability(
            lambda w, words, s: words.count(w) / Counter(words).most_common(1)[0][1]), "share"),
        (check_unigram_loss, with_probability(
            lambda w, words, s: " ".join(s).count(w) / len(words)), "Count words"),
        (check_dropout, lambda x, kept, rate: np.where(kept, x / (1 - rate), x * rate), "becomes"),
        (check_masked_loss, softmax_over_positions, "Softmax runs over the words."),
        (check_masked_loss, softmax_over_everything, "a softmax of its own"),
        (check_masked_loss, squared_error, "a squared error"),
        (check_masked_loss, yes_or_no, "A sigmoid asks"),
        (check_masked_loss, one_loss_each, "Take the mean over"),
        (check_pair_floor, pair_floor_sentence_by_sentence, "A long sentence"),
        (check_pair_floor, logarithm_of_the_mean, "mean of the logarithms"),
        (check_dropout, own_mask, "What stays is decided"),
        (check_dropout, lambda *case: own_mask(*case, scale=1 / (1 - case[-1])), "What stays is"),
        (check_dropout, lambda x, kept, rate: x * kept / 1 - rate, "Python divides before it"),
        (check_masked_loss, in_base(np.log2), "Which logarithm undoes np.exp and gives"),
        (check_masked_loss, in_base(np.log10), "Which logarithm undoes np.exp and gives"),
        (check_masked_loss, lambda *case: in_base(np.log)(*case) / math.log(10), "Which logarithm"),
        (check_masked_loss, lambda *case: np.exp(in_base(np.log)(*case)), "the perplexity"),
        (check_unigram_loss, lambda s: unigram_with_counter(["".join(s)]), "Are your words"),
        (check_pair_floor, pair_floor_by_choices, "Not all possible words are equally frequent."),
        (check_pair_floor, lambda s: pair_floor_by_hiding(s) / math.log(10), "Which logarithm"),
    ],
)  # fmt: skip
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message
