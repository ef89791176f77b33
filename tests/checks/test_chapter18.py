"""Planted wrong answers to the exercises of Chapter 18 get the right hint."""

import numpy as np
import pytest

from minibert.checks.chapter18 import (
    check_control_task,
    check_previous_share,
    check_rank_correlation,
    check_sense_of,
)


def previous_share(probs):
    """Right, and written with a loop."""
    spent = [probs[i, i - 1] for i in range(1, len(probs))]
    return sum(spent) / len(spent)


def ranks(values):
    return [sorted(values).index(value) for value in values]


def rank_correlation(first, second):
    """Right, and by the formula for lists without equal numbers."""
    gaps = np.subtract(ranks(first), ranks(second))
    n = len(first)
    return 1 - 6 * (gaps**2).sum() / (n * (n**2 - 1))


def sense_of(vectors, senses, groups):
    """Right, and written vector by vector."""
    hits = 0
    for vector, sense, group in zip(vectors, senses, groups):
        means = {
            kind: np.mean(
                [v for v, s, g in zip(vectors, senses, groups) if s == kind and g != group], axis=0
            )
            for kind in set(senses)
        }
        nearest = min(means, key=lambda kind: np.linalg.norm(vector - means[kind]))
        hits += nearest == sense
    return hits / len(vectors)


def control_task(words, classes, order):
    """Right, and written with lists."""
    distinct = []
    for word in words:
        if word not in distinct:
            distinct.append(word)
    new = []
    for word in words:
        giver = distinct[order[distinct.index(word)]]
        new.append(classes[words.index(giver)])
    return new


@pytest.mark.parametrize(
    ("checker", "function"),
    [
        (check_previous_share, previous_share),
        (check_rank_correlation, rank_correlation),
        (check_sense_of, sense_of),
        (check_control_task, control_task),
    ],
)
def test_right_answers_pass(checker, function):
    verdict = checker(function)
    assert verdict.passed, verdict.message


def including_itself(vectors, senses, groups):
    return nearest_of_all(vectors, senses)


def nearest_of_all(vectors, senses):
    means = {k: np.mean([v for v, s in zip(vectors, senses) if s == k], axis=0) for k in senses}
    nearest = [min(means, key=lambda k: np.linalg.norm(v - means[k])) for v in vectors]
    return np.mean([a == b for a, b in zip(nearest, senses)])


def one_at_a_time(vectors, senses, groups):
    return sense_of(vectors, senses, range(len(vectors)))


def nearest_vector(vectors, senses, groups):
    hits = []
    for v, s, g in zip(vectors, senses, groups):
        others = [(np.linalg.norm(v - w), t) for w, t, h in zip(vectors, senses, groups) if h != g]
        hits.append(min(others)[1] == s)
    return np.mean(hits)


def per_token(words, classes, order):
    return [classes[order[i % len(order)]] for i in range(len(words))]


def handed_on(words, classes, order):
    distinct = list(dict.fromkeys(words))
    new = {distinct[order[i]]: classes[words.index(word)] for i, word in enumerate(distinct)}
    return [new[word] for word in words]


def by_the_alphabet(words, classes, order):
    distinct = sorted(set(words))
    new = {word: classes[words.index(distinct[i])] for word, i in zip(distinct, order)}
    return [new[word] for word in words]


@pytest.mark.parametrize(
    ("checker", "function", "hint"),
    [
        (check_previous_share, lambda p: np.diag(p, 1).mean(), "the next token"),
        (check_previous_share, lambda p: np.trace(p) / len(p), "the token itself"),
        (check_previous_share, lambda p: np.diag(p, -1).sum() / len(p), "divide by all tokens"),
        (check_previous_share, lambda p: np.diag(p, -2).mean(), "before the previous"),
        (check_previous_share, lambda p: np.diag(p, -1).sum(), "That is a sum"),
        (check_previous_share,
         lambda p: np.mean([p[i].argmax() == i - 1 for i in range(1, len(p))]), "how often"),
        (check_rank_correlation, lambda a, b: np.corrcoef(a, b)[0, 1], "numbers themselves"),
        (check_rank_correlation,
         lambda a, b: np.corrcoef(np.argsort(a), np.argsort(b))[0, 1], "Sort once more"),
        (check_rank_correlation, lambda a, b: -rank_correlation(a, b), "sign is turned"),
        (check_rank_correlation,
         lambda a, b: np.mean(np.argsort(a) == np.argsort(b)), "count equal places"),
        (check_sense_of, including_itself, "the very vectors that are asked"),
        (check_sense_of, one_at_a_time, "one vector at a time"),
        (check_sense_of, nearest_vector, "nearest vector"),
        (check_sense_of, lambda x, s, g: 1 - sense_of(x, s, g), "wrong ones"),
        (check_sense_of, lambda x, s, g: sense_of(x, s, g) * len(x), "number of vectors"),
        (check_control_task, lambda words, classes, order: classes, "true classes"),
        (check_control_task, lambda words, classes, order: ["other"] * len(words),
         "needs to remember nothing"),
        (check_control_task, per_token, "gets two classes"),
        (check_control_task, by_the_alphabet, "by the alphabet"),
        (check_control_task, handed_on, "should receive"),
    ],
)  # fmt: skip
def test_usual_mistakes_get_their_hint(checker, function, hint):
    verdict = checker(function)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    "checker", [check_previous_share, check_rank_correlation, check_sense_of, check_control_task]
)
def test_nonsense_gets_a_kind_sentence(checker):
    assert "returns nothing yet" in checker(lambda *given: None).message
    assert "stopped with TypeError" in checker(lambda: 1).message
    assert not checker(lambda *given: 17).passed
