"""Temperature, thresholds, intervals and counted words: each against another witness."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn import metrics
from torch.nn import functional

from berttools.classify import baselines, calibration
from berttools.classify.calibration import with_temperature
from berttools.classify.comparing import interval
from berttools.classify.thresholds import choose_thresholds, decide, thresholds_and_shared


def scored(seed, rows=300, sharper=2.0):
    """Scores that are too sure of themselves, and labels."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(rows, 4)) * 2
    noise = rng.gumbel(size=logits.shape)
    return logits * sharper, (logits + noise).argmax(axis=-1)


def lowest_level(sure, is_right, promise):
    """Search all levels for the lowest from which the answers are right often enough."""
    found = math.inf
    for level in np.unique(sure):
        kept = sure >= level
        tail = stats.binom.sf(int(is_right[kept].sum()) - 1, int(kept.sum()), promise)
        found = min(found, level if tail <= 0.1 else math.inf)
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("promise", [0.5, 0.7, 0.8, 0.9])
def test_thresholds_against_brute_force(seed, promise):
    """Five classes: of two there are few, one is often wrong, and one is never there; with ties."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(5, 300, p=[0.5, 0.38, 0.03, 0.09, 0])
    logits = rng.normal(size=(300, 5)) + 6 * np.eye(5)[labels]
    wrong = rng.random(300) < np.array([0.02, 0.6, 0.02, 0.02, 0])[labels]
    logits[wrong, 1] += 9
    probs = with_temperature(logits, 2.0).round(2)
    answers, sure = probs.argmax(-1), probs.max(-1)
    alone = choose_thresholds(probs, labels, promise)
    assert alone.tolist() == [
        lowest_level(sure[answers == c], labels[answers == c] == c, promise) for c in range(5)
    ]
    few = [
        c for c in range(5)
        if math.isinf(alone[c]) and (labels == c).any()
        and promise ** int((answers == c).sum()) > 0.1
    ]  # fmt: skip
    own = np.isin(answers, few)
    together = lowest_level(sure[own], (answers == labels)[own], promise)
    thresholds, shared = thresholds_and_shared(probs, labels, promise)
    for c in range(5):
        assert thresholds[c] == (together if c in few else alone[c])
        assert shared[c] == (c in few and math.isfinite(together))
    assert math.isinf(thresholds[4]) and not shared[4]  # never asked
    for row, choice in zip(probs, decide(probs, alone), strict=True):
        assert choice == (row.argmax() if row.max() >= alone[row.argmax()] else -1)


@pytest.mark.parametrize("sharper", [0.2, 1.0, 3.0, 8.0])
def test_temperature_against_a_grid(sharper):
    logits, labels = scored(0, sharper=sharper)
    found = calibration.fit_temperature(logits, labels)
    scores, truth = torch.tensor(logits), torch.tensor(labels)
    grid = np.exp(np.linspace(math.log(0.05), math.log(20), 4001))
    losses = [functional.cross_entropy(scores / t, truth).item() for t in grid]
    assert found == pytest.approx(grid[np.argmin(losses)], rel=2e-3)
    assert found == pytest.approx(sharper, rel=0.2)


def test_bins_against_a_loop():
    logits, labels = scored(2)
    probs = with_temperature(logits, 1.0)
    told, error = calibration.reliability(probs, labels), 0.0
    for bin_ in told:
        own = [(p.max(), p.argmax() == y) for p, y in zip(probs, labels, strict=True)
               if bin_.low < p.max() <= bin_.high]  # fmt: skip
        assert len(own) == bin_.count
        sure, right = np.mean(own, axis=0)
        assert (bin_.confidence, bin_.right) == pytest.approx((sure, right))
        error += len(own) / 300 * abs(sure - right)
    assert sum(bin_.count for bin_ in told) == 300
    assert calibration.calibration_error(probs, labels) == pytest.approx(error)


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


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", [1.0, 0.1])
def test_a_linear_classifier_is_the_minimum_of_its_loss(classes, penalty):
    """With weights; also of two classes, of which scikit-learn keeps one vector."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(80, 6)), rng.choice(3, 80, p=[0.6, 0.3, 0.1]) % classes
    weights, truth = torch.tensor([0.5, 2.0, 3.0][:classes]), torch.tensor(labels)

    def loss(linear):
        scores = torch.tensor(linear.logits(rows))
        whole = functional.cross_entropy(scores, truth, weights.double(), reduction="sum")
        return (whole + penalty / 2 * np.square(linear.matrix).sum()) / len(labels)

    linear = baselines.fit_linear(rows, labels, weights, penalty)
    for _ in range(20):
        step = 0.01 * rng.normal(size=linear.matrix.shape), 0.01 * rng.normal(size=classes)
        assert loss(baselines.Linear(linear.matrix + step[0], linear.bias + step[1])) > loss(linear)


def test_the_penalty_is_chosen_on_other_texts_and_what_is_never_learned_is_improbable():
    vectors, asked = baselines.vectorizer().fit(TEXTS), ["box hums", "bill sum", "page open"]
    rows = {"train": vectors.transform(TEXTS), "validation": vectors.transform(asked)}
    best = baselines.best_linear(rows, {"train": LABELS, "validation": [0, 1, 2]}, torch.ones(4))
    each = [
        baselines.BagOfWords(TEXTS, LABELS, torch.ones(4), p).probabilities(asked)
        for p in baselines.PENALTIES
    ]
    each.append(with_temperature(best.logits(rows["validation"]), 1.0))
    *losses, found = (metrics.log_loss([0, 1, 2], p, labels=range(4)) for p in each)
    assert each[-1][:, 3].max() < 1e-5
    assert found == pytest.approx(min(losses), rel=1e-6)
