"""Weights, temperature, thresholds, scores and counted words: each against another witness."""

import math

import numpy as np
import pytest
import torch
from scipy import stats
from sklearn import metrics
from torch.nn import functional

from berttools.classify.baselines import PENALTIES, BagOfWords, Linear, fit_linear
from berttools.classify.calibration import (
    calibration_error,
    fit_temperature,
    is_at_end,
    reliability,
    with_temperature,
)
from berttools.classify.report import _calibration, _result
from berttools.classify.scores import interval
from berttools.classify.thresholds import choose_thresholds, decide, least_answers, share_threshold
from berttools.classify.weighting import (
    ClassWeightedModel,
    class_weighted_loss,
    class_weights,
    weightings,
)
from minibert.config import BertConfig
from minibert.tasks import BertForSequenceClassification, TaskBatches
from minibert.training import TrainingConfig
from minibert.training.evaluation import evaluate
from minibert.training.step import training_step

CLASSES = 4


def scored(seed, rows=300, sharper=2.0):
    """Scores that are too sure of themselves, and labels."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(rows, CLASSES)) * 2
    noise = rng.gumbel(size=logits.shape)
    return logits * sharper, (logits + noise).argmax(axis=-1)


@pytest.mark.parametrize("seed", range(3))
def test_weighted_loss_is_that_of_torch_divided_by_the_rows(seed):
    logits, labels = map(torch.tensor, scored(seed, 50))
    labels[::7] = -100
    weights = torch.rand(CLASSES, generator=torch.Generator().manual_seed(seed)).double()
    logits.requires_grad_()
    ours = class_weighted_loss(logits, labels, weights)
    (gradient,) = torch.autograd.grad(ours, logits)
    theirs = functional.cross_entropy(logits, labels, weight=weights, reduction="sum")
    theirs = theirs / (labels != -100).sum()
    (expected,) = torch.autograd.grad(theirs, logits)
    torch.testing.assert_close(ours, theirs)
    torch.testing.assert_close(gradient, expected)


def test_weights_give_each_class_the_same_share():
    labels = [0] * 90 + [1] * 9 + [3]
    weights = class_weights(labels, 4)
    assert weights.tolist() == pytest.approx([100 / 270, 100 / 27, 0, 100 / 3])
    assert weights[torch.tensor(labels)].mean().item() == pytest.approx(1)
    capped = class_weights(labels, 4, most=10.0)
    assert capped[torch.tensor(labels)].mean().item() == pytest.approx(1)
    assert (capped / capped[0]).tolist() == pytest.approx([1, 10, 0, 10])


def test_which_weights_are_tried():
    uneven = [0] * 90 + [1] * 9 + [3]
    assert [*weightings("best", uneven, 4)] == ["balanced", "none"]
    assert [*weightings("none", uneven, 4)] == ["none"]
    assert [*weightings("best", [0, 1, 2, 2], 3)] == ["balanced", "none"]
    assert [*weightings("best", [0] * 10 + [1] * 9, 2)] == ["none"]
    assert [*weightings("balanced", [0, 1], 2)] == ["balanced"]
    assert weightings("best", uneven, 4)["none"].tolist() == [1] * 4


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
    thresholds, shared = share_threshold(probs, labels, alone, promise)
    for c in range(5):
        assert thresholds[c] == (together if c in few else alone[c])
        assert shared[c] == (c in few and math.isfinite(together))
    assert math.isinf(thresholds[4]) and not shared[4]
    for row, choice in zip(probs, decide(probs, alone), strict=True):
        assert choice == (row.argmax() if row.max() >= alone[row.argmax()] else -1)


def test_equal_probabilities_are_one_level_whatever_their_order():
    probs = np.array([[0.9, 0.1]] * 45 + [[0.8, 0.2]] * 25)
    labels = np.array([0] * 50 + [1] * 20)  # the first five with 0.8 are right
    assert choose_thresholds(probs, labels, 0.9)[0] == 0.9


def test_least_answers():
    for promise in (0.5, 0.7, 0.9, 0.99):
        least = least_answers(promise)
        alike = [np.tile([[0.9, 0.1]], (n, 1)) for n in (least - 1, least)]
        limits = [choose_thresholds(p, np.zeros(len(p), int), promise)[0] for p in alike]
        assert limits == [math.inf, 0.9]


def tiny_weighted(rows=24):
    """A classifier of which one class counts more, and labeled rows of several lengths."""
    torch.manual_seed(0)
    config = BertConfig.tiny(
        vocab_size=40, hidden_size=16, num_attention_heads=2, intermediate_size=32,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, max_position_embeddings=16,
    )  # fmt: skip
    model = BertForSequenceClassification(config, num_labels=3).double()
    rng = np.random.default_rng(0)
    labels = rng.choice(3, rows, p=[0.7, 0.2, 0.1]).tolist()
    texts = [rng.integers(5, 40, int(rng.integers(3, 9))).tolist() for _ in labels]
    told = [
        {"input_ids": ids, "token_type_ids": [0] * len(ids), "labels": label}
        for ids, label in zip(texts, labels, strict=True)
    ]
    return ClassWeightedModel(model, class_weights(labels, 3).double()), told


def gradient(model, batches):
    config = TrainingConfig(max_steps=2, seed=0, max_grad_norm=1e9)
    optimizer = torch.optim.SGD(model.parameters())
    training_step(model, optimizer, batches, 0, config)
    return torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])


@pytest.mark.parametrize("size", [1, 5])
def test_a_weighted_step_and_evaluation_are_the_same_in_one_batch_and_in_many(size):
    model, rows = tiny_weighted()
    one, many = (TaskBatches(rows, batch_size=n, seed=0, pad_token_id=0) for n in (24, size))
    losses = [evaluate(model, batches)["loss"] for batches in (one, many)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-9)
    start = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    expected = gradient(model, [*one])
    model.load_state_dict(start)
    torch.testing.assert_close(gradient(model, [*many]), expected)
    model.load_state_dict(start)
    equal = ClassWeightedModel(model.model, torch.ones(3, dtype=torch.float64))
    assert (gradient(equal, [*many]) - expected).norm() > 0.1 * expected.norm()


@pytest.mark.parametrize("sharper", [0.2, 1.0, 3.0, 8.0])
def test_temperature_against_a_grid(sharper):
    logits, labels = scored(0, sharper=sharper)
    found = fit_temperature(logits, labels)
    scores, truth = torch.tensor(logits), torch.tensor(labels)
    grid = np.exp(np.linspace(math.log(0.05), math.log(20), 4001))
    losses = [functional.cross_entropy(scores / t, truth).item() for t in grid]
    assert found == pytest.approx(grid[np.argmin(losses)], rel=2e-3)
    assert found == pytest.approx(sharper, rel=0.2)
    assert not is_at_end(found)


@pytest.mark.parametrize(("labels", "end"), [([0, 1], 0.05), ([1, 0], 20)])
def test_a_temperature_at_an_end_is_told(labels, end):
    found = fit_temperature(np.eye(2), np.array(labels))
    assert found == pytest.approx(end) and is_at_end(found)
    facts = {"calibration_error": (0.1, 0.05), "sure": (0.9, 0.8)}
    for temperature in (found, 1.0):
        facts |= {"rivals": [{"right": 1.0}], "temperature": temperature}
        told = " ".join(_calibration(facts))
        assert ("at an end of what is looked through" in told) == (temperature == found)


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


CHANCES = {2: [0.7, 0.3], 3: [0.6, 0.3, 0.1]}


def softmax_loss(logits, labels, weights, linear, penalty):
    """Compute what a linear classifier minimizes, with torch."""
    scores, truth = torch.tensor(logits), torch.tensor(labels)
    losses = functional.cross_entropy(scores, truth, weights.double(), reduction="sum")
    return (losses + penalty / 2 * torch.tensor(linear.matrix).square().sum()) / len(labels)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("penalty", [1.0, 0.1])
def test_a_linear_classifier_is_the_minimum_of_its_loss(classes, penalty):
    """Also of two classes, of which scikit-learn keeps one vector; around it all is worse."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(80, 6)), rng.choice(classes, 80, p=CHANCES[classes])
    weights = class_weights(labels, classes)
    linear = fit_linear(rows, labels, weights, penalty)
    least = softmax_loss(linear.logits(rows), labels, weights, linear, penalty)
    for _ in range(20):
        step = 0.01 * rng.normal(size=linear.matrix.shape), 0.01 * rng.normal(size=classes)
        other = Linear(linear.matrix + step[0], linear.bias + step[1])
        assert softmax_loss(other.logits(rows), labels, weights, other, penalty) > least


def test_a_class_that_is_never_learned_is_hardly_probable_and_any_text_has_scores():
    words = BagOfWords(TEXTS, LABELS, torch.ones(4))
    assert words.probabilities(["the page", "§"])[:, 3].max() < 1e-5
    words = BagOfWords(["…", "!", "?!", "::"], [0, 1, 0, 1], torch.ones(2))
    assert words.probabilities(["…", "a"]) == pytest.approx(0.5)


def test_the_penalty_is_chosen_on_other_texts():
    texts = {"train": TEXTS, "validation": ["box hums", "bill sum", "page open"]}
    labels = {"train": LABELS, "validation": [0, 1, 2]}
    best = BagOfWords.best(texts, labels, torch.ones(3))
    losses = [
        metrics.log_loss([0, 1, 2], each.probabilities(texts["validation"]))
        for each in (*(BagOfWords(TEXTS, LABELS, torch.ones(3), p) for p in PENALTIES), best)
    ]
    assert losses[-1] == pytest.approx(min(losses[:-1]), rel=1e-6)


def test_one_block_has_no_interval_and_decides_nothing():
    rival = {"name": "words", "right": 0.5, "macro_f1": 0.4, "interval": (0.5, 0.5)}
    facts = {"rows": {"test": 10}, "blocks": 1, "rivals": [rival], "used": "fine-tuned"}
    facts |= {"leads": {"words": (0.1, 0.1, 0.1)}}
    told = " ".join("\n".join(_result(facts)).split())
    assert "| words | 0.500 | – | 0.400 |" in told
    assert "no clear difference" in told and "with 95 % from -1.000 to +1.000" in told
    facts |= {"blocks": 2, "rivals": [rival | {"right": 1.0, "interval": (1.0, 1.0)}]}
    assert f"| {0.05**0.5:.3f} to 1.000 |" in "\n".join(_result(facts))
