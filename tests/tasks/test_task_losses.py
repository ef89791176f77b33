"""The losses of tasks against hand computations and PyTorch, and their edges."""

import math

import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from minibert import reference
from minibert.losses import (
    classification_loss,
    masked_lm_loss,
    multi_label_loss,
    regression_loss,
    span_loss,
)

SEEDS = st.integers(0, 2**32 - 1)


def draw(seed, *shape, scale=5):
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=generator, dtype=torch.float64), generator


@examples(40)
@given(seed=SEEDS, shape=st.sampled_from([(1,), (6,), (2, 5)]), classes=st.integers(2, 7))
def test_one_class_of_several(seed, shape, classes):
    logits, generator = draw(seed, *shape, classes)
    labels = torch.randint(classes, shape, generator=generator)
    labels[torch.rand(shape, generator=generator) < 0.4] = -100
    labels.view(-1)[0] = classes - 1
    ours = classification_loss(logits, labels).item()
    theirs = functional.cross_entropy(logits.flatten(0, -2), labels.flatten()).item()
    assert ours == pytest.approx(theirs, abs=1e-12)
    assert ours == pytest.approx(reference.cross_entropy(logits.numpy(), labels.numpy()), abs=1e-12)
    assert ours == masked_lm_loss(logits, labels).item()


def test_a_hopeless_answer_stays_finite_and_a_doubtful_label_is_a_probability():
    logits = torch.tensor([[-1000.0, 1000.0]], requires_grad=True)
    loss = multi_label_loss(logits, torch.tensor([[1.0, 1.0]]))
    loss.backward()
    assert loss.item() == 500
    assert logits.grad.tolist() == [[-0.5, 0.0]]
    doubtful = multi_label_loss(torch.zeros(1, 1), torch.tensor([[0.25]]))
    assert doubtful.item() == pytest.approx(math.log(2))


def test_numbers_in_a_row_do_not_spread_over_a_column():
    logits, labels = torch.tensor([[0.0], [10.0]]), torch.tensor([0.0, 10.0])
    assert (logits - labels).square().mean() == 50  # what broadcasting would answer
    assert regression_loss(logits, labels) == 0
    assert regression_loss(logits, labels.long()) == 0
    with pytest.raises(ValueError, match=r"labels must have the shape \(2, 1\), not \(1,\)"):
        regression_loss(logits, labels[:1])


def test_a_whole_minus_hundred_is_no_label_and_a_fraction_is_a_number():
    logits = torch.tensor([[1.0], [2.0]])
    assert regression_loss(logits, torch.tensor([-100, 5])) == 9
    assert regression_loss(logits, torch.tensor([-100.0, 5.0])) == (101**2 + 9) / 2
    some = multi_label_loss(torch.zeros(2, 1), torch.tensor([[1], [-100]]))
    assert some.item() == pytest.approx(math.log(2))


@examples(60)
@given(seed=SEEDS, batch=st.integers(1, 5), seq=st.integers(1, 6))
def test_spans(seed, batch, seq):
    start_logits, generator = draw(seed, batch, seq)
    end_logits, _ = draw(seed + 1, batch, seq)
    start, end = torch.randint(seq + 3, (2, batch), generator=generator)
    start[0], end[0] = seq - 1, 0
    ours = span_loss(start_logits, end_logits, start, end)
    outside = (start >= seq) | (end >= seq)  # a part of the answer is enough
    start, end = (places.masked_fill(outside, -100) for places in (start, end))
    halves = (
        functional.cross_entropy(start_logits, start),
        functional.cross_entropy(end_logits, end),
    )
    assert ours.item() == pytest.approx(sum(halves).item() / 2, abs=1e-9)
    assert span_loss(start_logits, end_logits, start, end) == ours


ZEROS = torch.zeros(2, 3)
BAD = [
    (classification_loss, ZEROS, [0, 3], "from 0 to 2, or are -100 for no label, not 3$"),
    (classification_loss, ZEROS, [0], r"labels must have the shape \(2,\), not \(1,\)"),
    (classification_loss, ZEROS, [-100, -100], "no item is labeled .* one its label"),
    (classification_loss, ZEROS[:, :1], [0, 0], r"classes \(1\) must be at least 2, .* regression"),
    (multi_label_loss, ZEROS, [[0.0, 1, 1.5]] * 2, r"labels are 1 for yes, 0 for .*, not 1\.5"),
    (multi_label_loss, ZEROS, [[0.0, 1, math.nan]] * 2, "labels are 1 for yes, .*, not nan"),
    (multi_label_loss, ZEROS, [0.0, 1.0], r"labels must have the shape \(2, 3\), not \(2,\)"),
    (multi_label_loss, ZEROS[:0], torch.zeros(0, 3), r"labels of shape \(0, 3\) must not be empty"),
    (multi_label_loss, ZEROS, [[-100] * 3] * 2, "no item is labeled .labels are 1 for yes, .*"),
    (regression_loss, ZEROS[:, :1], [-100, -100], "no item is labeled .labels are finite numbers"),
    (regression_loss, ZEROS, [0.0, 1.0], r"labels must have the shape \(2, 3\), not \(2,\)"),
    (regression_loss, ZEROS[:, :1], [0.0, math.inf], "labels are finite numbers, not inf"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("loss", "logits", "labels", "words"), BAD)
def test_labels_that_make_no_sense_are_named(loss, logits, labels, words):
    with pytest.raises(ValueError, match=words):
        loss(logits, torch.as_tensor(labels))


BAD_SPANS = [
    ([0, -2], [0, 0], ValueError, "start_positions run from 0 to 2, or are -100 .*, not -2"),
    ([0, 1], [-1, 9], ValueError, "end_positions run from 0 to 2, or are -100 .*, not -1"),
    ([3, -100], [0, 0], ValueError, "no item .* .start_positions run from 0 to 2, .* its label"),
    ([0, 1], [3, -100], ValueError, "no item .* .start_positions run from 0 to 2, .* its label"),
    ([[0], [0]], [0, 0], ValueError, r"start_positions must have the shape \(2,\), not \(2, 1\)"),
    ([0.0, 1.0], [0, 0], TypeError, r"start_positions must be torch\.int64 .*float32"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("start", "end", "error", "words"), BAD_SPANS)
def test_positions_that_make_no_sense_are_named(start, end, error, words):
    with pytest.raises(error, match=words):
        span_loss(ZEROS, ZEROS, torch.tensor(start), torch.tensor(end))
