"""Weights, temperature, thresholds, scores and counted words: each against another witness."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn import metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from torch.nn import functional

from minibert.classify.calibration import (
    calibration_error,
    fit_temperature,
    reliability,
    with_temperature,
)
from minibert.classify.report import interval
from minibert.classify.scores import class_scores, count_confusions
from minibert.classify.thresholds import choose_thresholds, decide, share_at_least
from minibert.classify.weighting import class_weighted_loss, class_weights
from minibert.classify.words import CountedWords, best_counted_words

CLASSES = 4


def scored(seed, rows=300, sharper=2.0):
    """Scores that are too sure of themselves, and labels."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(rows, CLASSES)) * 2
    noise = rng.gumbel(size=logits.shape)
    return logits * sharper, (logits + noise).argmax(axis=-1)


@pytest.mark.parametrize("seed", range(3))
def test_weighted_loss_is_that_of_torch(seed):
    logits, labels = map(torch.tensor, scored(seed, 50))
    labels[::7] = -100
    weights = torch.rand(CLASSES, generator=torch.Generator().manual_seed(seed)).double()
    logits.requires_grad_()
    ours = class_weighted_loss(logits, labels, weights)
    (gradient,) = torch.autograd.grad(ours, logits)
    theirs = functional.cross_entropy(logits, labels, weight=weights)
    (expected,) = torch.autograd.grad(theirs, logits)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(gradient, expected)


def test_weights_give_each_class_the_same_share():
    labels = [0] * 90 + [1] * 9 + [3]
    weights = class_weights(labels, 4)
    assert weights.tolist() == pytest.approx([100 / 270, 100 / 27, 0, 100 / 3])
    assert weights[torch.tensor(labels)].mean().item() == pytest.approx(1)


@pytest.mark.parametrize("sharper", [0.2, 1.0, 3.0, 8.0])
def test_temperature_against_lbfgs_and_a_grid(sharper):
    logits, labels = scored(0, sharper=sharper)
    found = fit_temperature(logits, labels)
    scores, truth = torch.tensor(logits), torch.tensor(labels)
    log = torch.zeros((), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([log], max_iter=200, line_search_fn="strong_wolfe",
                                  tolerance_grad=1e-12, tolerance_change=1e-14)  # fmt: skip

    def loss():
        optimizer.zero_grad()
        value = functional.cross_entropy(scores / log.exp(), truth)
        value.backward()
        return value

    optimizer.step(loss)
    assert found == pytest.approx(log.exp().item(), rel=1e-5)
    grid = np.exp(np.linspace(math.log(0.05), math.log(20), 4001))
    losses = [functional.cross_entropy(scores / t, truth).item() for t in grid]
    assert found == pytest.approx(grid[np.argmin(losses)], rel=2e-3)
    assert found == pytest.approx(sharper, rel=0.2)


def test_temperature_at_the_ends():
    logits = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert fit_temperature(logits, np.array([0, 1])) == pytest.approx(0.05)
    assert fit_temperature(logits, np.array([1, 0])) == pytest.approx(20)


def test_temperature_changes_no_answer():
    logits, _ = scored(1)
    for temperature in (0.1, 1.0, 7.0):
        probs = with_temperature(logits, temperature)
        assert (probs.argmax(-1) == logits.argmax(-1)).all()
        expected = (torch.tensor(logits) / temperature).softmax(-1).numpy()
        np.testing.assert_allclose(probs, expected)


def test_bins_against_a_loop():
    logits, labels = scored(2)
    probs = with_temperature(logits, 1.0)
    told, error = reliability(probs, labels), 0.0
    for bin_ in told:
        own = [(p.max(), p.argmax() == y) for p, y in zip(probs, labels, strict=True)
               if bin_.low <= p.max() and (p.max() < bin_.high or bin_.high == 1)]  # fmt: skip
        assert len(own) == bin_.count
        sure, right = np.mean(own, axis=0)
        assert (bin_.confidence, bin_.right) == pytest.approx((sure, right))
        error += len(own) / 300 * abs(sure - right)
    assert sum(bin_.count for bin_ in told) == 300
    assert calibration_error(probs, labels) == pytest.approx(error)
    cooler = with_temperature(logits, fit_temperature(logits, labels))
    assert calibration_error(cooler, labels) < error


@pytest.mark.parametrize(("right", "kept"), [(0, 5), (1, 1), (45, 45), (18, 20), (900, 1000)])
def test_lower_bound_is_clopper_and_pearsons(right, kept):
    for doubt in (0.05, 0.1):
        expected = stats.beta.ppf(doubt, right, kept - right + 1) if right else 0.0
        assert share_at_least(right, kept, doubt) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("promise", [0.5, 0.7, 0.8, 0.9])
def test_thresholds_against_brute_force(promise):
    logits, labels = scored(3, rows=400)
    probs = with_temperature(logits, 2.0).round(2)  # with ties
    found = choose_thresholds(probs, labels, promise)
    for number in range(CLASSES):
        good = []
        for level in np.unique(probs):
            kept = (probs.argmax(-1) == number) & (probs.max(-1) >= level)
            if not kept.any() or level not in probs.max(-1)[kept]:
                continue
            right = int((labels[kept] == number).sum())
            tail = stats.binom.sf(right - 1, int(kept.sum()), promise)
            good += [level] if tail <= 0.1 else []
        assert found[number] == min(good, default=math.inf)
    decided = decide(probs, found)
    for row, choice in zip(probs, decided, strict=True):
        best = row.argmax()
        assert choice == (best if row[best] >= found[best] else -1)


def test_a_promise_with_a_margin_is_kept_more_often_than_not():
    """Over many divisions; without a margin it would be about half of them."""
    logits, labels = scored(4, rows=4000)
    probs, rng = with_temperature(logits, 2.0), np.random.default_rng(0)
    kept = []
    for _ in range(100):
        order = rng.permutation(4000)
        chosen_on, other = order[:500], order[500:]
        decided = decide(probs[other], choose_thresholds(probs[chosen_on], labels[chosen_on], 0.8))
        for number in range(CLASSES):
            if (decided == number).any():
                kept.append((labels[other][decided == number] == number).mean() >= 0.8)
    assert np.mean(kept) > 0.75
    assert len(kept) > 200


def test_scores_are_those_of_scikit_learn():
    logits, labels = scored(5)
    answers = logits.argmax(-1)
    answers[answers == 3] = 2  # a class that is never answered
    matrix = count_confusions(labels, answers, CLASSES)
    np.testing.assert_array_equal(matrix, metrics.confusion_matrix(labels, answers))
    told = np.array(class_scores(matrix)).T
    expected = metrics.precision_recall_fscore_support(labels, answers, zero_division=0)
    np.testing.assert_allclose(told, np.array(expected))


def test_interval_over_rows_and_over_blocks():
    values = np.repeat(np.random.default_rng(0).integers(0, 2, 50).astype(float), 6)
    rows = interval(values, [[row] for row in range(300)])
    blocks = interval(values, [list(range(n, n + 6)) for n in range(0, 300, 6)])
    spread = values.std() * 1.96
    assert rows[1] - rows[0] == pytest.approx(2 * spread / math.sqrt(300), rel=0.15)
    assert blocks[1] - blocks[0] == pytest.approx(2 * spread / math.sqrt(50), rel=0.15)
    assert interval(np.ones(5), [[n] for n in range(5)]) == (1, 1)


TEXTS = (
    "The box hums, it hums|my box is dark|a bill is wrong|wrong bill, wrong sum|"
    "the page does not open|no page opens|my page is dark|the sum of the bill"
).split("|")
LABELS = [0, 0, 1, 1, 2, 2, 2, 1]


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize("penalty", [1.0, 0.1])
def test_counted_words_are_scikit_learns(balanced, penalty):
    weights = class_weights(LABELS, 3) if balanced else torch.ones(3)
    ours = CountedWords(TEXTS, LABELS, weights, penalty)
    vectors = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+", binary=True)
    theirs = LogisticRegression(
        C=1 / penalty, tol=1e-10, max_iter=5000, class_weight="balanced" if balanced else None
    ).fit(vectors.fit_transform(TEXTS), LABELS)
    asked = ["a dark box and a bill", "nothing known", "", "the page"]
    expected = theirs.predict_proba(vectors.transform(asked))
    np.testing.assert_allclose(ours.probabilities(asked), expected, atol=1e-4)


def test_the_penalty_is_chosen_on_other_texts():
    asked, truth = ["box hums", "bill sum", "page open"], [0, 1, 2]
    best = best_counted_words((TEXTS, asked), (LABELS, truth), torch.ones(3))
    losses = {}
    for penalty in (1.0, 0.1, 0.01):
        probs = CountedWords(TEXTS, LABELS, torch.ones(3), penalty).probabilities(asked)
        losses[penalty] = metrics.log_loss(truth, probs)
    found = metrics.log_loss(truth, best.probabilities(asked))
    assert found == pytest.approx(min(losses.values()), rel=1e-6)
