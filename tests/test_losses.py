"""The losses of words and of pairs against numpy and PyTorch, and their edges."""

import math

import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert import reference
from minibert.losses import masked_lm_loss, next_sentence_loss


def pytorch_loss(logits, labels):
    return torch.nn.CrossEntropyLoss(ignore_index=-100)(logits.flatten(0, -2), labels.flatten())


SHAPES = [(masked_lm_loss, (*batch, 89)) for batch in [(1,), (7,), (2, 3, 4)]]
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
    ours, theirs = loss(logits, labels.int()), pytorch_loss(logits, labels)
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


ZEROS = torch.zeros(2, 3)
BAD = [
    (masked_lm_loss, ZEROS[:0], [], ValueError, r"labels of shape \(0,\) must not be empty"),
    (masked_lm_loss, ZEROS, [0, -1], ValueError, "labels run from 0 to 2, .*, not -1$"),
    (masked_lm_loss, ZEROS, [0.0, 1.0], TypeError, r"int64 or torch\.int32, not torch\.float32"),
    (masked_lm_loss, torch.zeros(2, 3, 5), [0] * 4, ValueError, r"\(2, 3\), not \(4,\)"),
    (masked_lm_loss, ZEROS, [-100, -100], ValueError, "no item is labeled"),
    (next_sentence_loss, ZEROS, [0, 1], ValueError, r"the shape \(batch, 2\), not \(2, 3\)"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("loss", "logits", "labels", "error", "words"), BAD)
def test_labels_that_cannot_be_judged_are_named(loss, logits, labels, error, words):
    dtype = torch.float32 if error is TypeError else torch.int64
    with pytest.raises(error, match=words):
        loss(logits, torch.tensor(labels, dtype=dtype))
