"""The losses against numpy, PyTorch and hand computations, and their edges."""

import math

import numpy as np
import pytest
import torch
from bert_pairs import draw
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from minibert import reference
from minibert.losses import (
    classification_loss,
    contrastive_loss,
    masked_lm_loss,
    multi_label_loss,
    next_sentence_loss,
    regression_loss,
    span_loss,
)

SHAPES = [(masked_lm_loss, (*batch, 89)) for batch in [(1,), (7,), (2, 3, 4)]]
SHAPES += [(classification_loss, (*batch, 3)) for batch in [(6,), (2, 5)]]
SHAPES += [(next_sentence_loss, (batch, 2)) for batch in (1, 9)]


@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from(SHAPES))
@examples(50)
def test_numpy_pytorch_and_ours_are_one_number_with_one_gradient(seed, case):
    loss, shape = case
    generator = torch.Generator().manual_seed(seed)
    logits = 10 * torch.randn(*shape, generator=generator, dtype=torch.float64)
    logits.requires_grad_()
    labels = torch.randint(shape[-1], shape[:-1], generator=generator)
    labels[torch.rand(labels.shape, generator=generator) < 0.5] = -100
    labels.view(-1)[0] = shape[-1] - 1
    ours = loss(logits, labels.int())
    theirs = functional.cross_entropy(logits.flatten(0, -2), labels.flatten())
    assert ours.item() == pytest.approx(theirs.item(), abs=1e-8)
    twin = reference.cross_entropy(logits.detach().numpy(), labels.numpy())
    assert ours.item() == pytest.approx(twin, abs=1e-8)
    (own,), (other,) = (torch.autograd.grad(value, logits) for value in (ours, theirs))
    torch.testing.assert_close(own, other, rtol=0, atol=1e-12)
    assert (own[labels == -100] == 0).all()


def test_a_certain_and_right_prediction_counts_as_a_zero():
    logits = torch.tensor([[1000.0, 0.0], [0.0, 0.0], [5.0, 7.0]], dtype=torch.float64)
    labels = torch.tensor([0, 1, -100])  # the first is labeled, and its loss is exactly 0
    assert masked_lm_loss(logits, labels).item() == pytest.approx(math.log(2) / 2, abs=1e-12)


def test_a_hopeless_prediction_stays_finite_and_keeps_its_gradient():
    logits = torch.tensor([[0.0, 1000.0]], requires_grad=True)
    loss = masked_lm_loss(logits, torch.tensor([0]))
    loss.backward()
    assert loss.item() == 1000
    assert logits.grad.tolist() == [[-1.0, 1.0]]


def test_both_answers_count():
    """With `ignore_index=0` for both tasks, one of the two would never be learned."""
    logits = torch.tensor([[3.0, 1.0], [3.0, 1.0]], dtype=torch.float64)
    costs = {label: next_sentence_loss(logits, torch.full((2,), label)).item() for label in (0, 1)}
    assert costs[0] == pytest.approx(math.log1p(math.exp(-2)))
    assert costs[1] == pytest.approx(math.log1p(math.exp(2)))


ZEROS, NONE = torch.zeros(2, 3), torch.zeros(0).long()
BAD = [
    (masked_lm_loss, ZEROS[:0], NONE, r"labels of shape \(0,\) must not be empty"),
    (masked_lm_loss, ZEROS, [0, -1], "labels run from 0 to 2, .*, not -1$"),
    (masked_lm_loss, ZEROS, [0.0, 1.0], r"int64 or torch\.int32, not torch\.float32"),
    (masked_lm_loss, torch.zeros(2, 3, 5), [0] * 4, r"\(2, 3\), not \(4,\)"),
    (masked_lm_loss, ZEROS, [-100, -100], "no item is labeled"),
    (next_sentence_loss, ZEROS, [0, 1], r"the shape \(batch, 2\), not \(2, 3\)"),
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
def test_labels_that_cannot_be_judged_are_named(loss, logits, labels, words):
    with pytest.raises(TypeError if "int64" in words else ValueError, match=words):
        loss(logits, torch.as_tensor(labels))


@pytest.mark.parametrize(("batch", "more"), [(1, 0), (2, 0), (3, 4)])
def test_the_contrastive_loss_by_numpy_and_pytorch(batch, more):
    queries, documents = draw(batch, 7), 9 * draw(batch + more, 7, seed=1)
    ours = contrastive_loss(queries, documents, temperature=0.3)
    cosines = functional.cosine_similarity(queries[:, None], documents[None], dim=-1)
    theirs = functional.cross_entropy(cosines / 0.3, torch.arange(batch))
    twin = reference.cross_entropy(cosines.numpy() / 0.3, np.arange(batch))
    usual = contrastive_loss(queries, documents, temperature=0.05)
    assert contrastive_loss(queries, documents) == usual
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-12)
    assert ours.item() == pytest.approx(float(twin), rel=1e-12)


def test_the_contrastive_gradient_is_that_of_small_differences():
    given = draw(3, 4, seed=2).requires_grad_(), draw(5, 4, seed=3).requires_grad_()
    assert torch.autograd.gradcheck(lambda q, d: contrastive_loss(q, d, temperature=0.2), given)


@pytest.mark.parametrize(
    ("batch", "temperature", "words"),
    [
        (2, 0.0, r"temperature \(0.0\) must be at least 1e-30"),
        (2, math.nan, r"temperature \(nan\)"),
        (3, 0.1, r"documents \(2\) must be at least 3, one for each query"),
    ],
)
def test_a_temperature_or_documents_that_will_not_do(batch, temperature, words):
    with pytest.raises(ValueError, match=words):
        contrastive_loss(draw(batch, 3), draw(2, 3, seed=1), temperature=temperature)


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
@given(seed=st.integers(0, 2**32 - 1), batch=st.integers(1, 5), seq=st.integers(1, 6))
def test_spans(seed, batch, seq):
    start_logits, end_logits = 5 * draw(2, batch, seq, seed=seed)
    generator = torch.Generator().manual_seed(seed)
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
