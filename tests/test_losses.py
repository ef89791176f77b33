"""The losses of words and of pairs against hand computations and PyTorch, and their edges."""

import math

import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert import reference
from minibert.losses import masked_lm_loss, next_sentence_loss


def loss_by_hand(logits, labels):
    """Walk over the positions with plain Python numbers."""
    losses, rows = [], logits.flatten(0, -2).tolist()
    for scores, label in zip(rows, labels.flatten().tolist(), strict=True):
        if label != -100:
            top = max(scores)
            log_total = top + math.log(math.fsum(math.exp(score - top) for score in scores))
            losses.append(log_total - scores[label])
    return math.fsum(losses) / len(losses)


def pytorch_loss(logits, labels):
    return torch.nn.CrossEntropyLoss(ignore_index=-100)(logits.flatten(0, -2), labels.flatten())


@given(seed=st.integers(0, 2**32 - 1), shape=st.sampled_from([(1,), (7,), (2, 5), (2, 3, 4)]))
@examples(50)
def test_hand_loss_pytorch_and_ours_are_one_number(seed, shape):
    generator = torch.Generator().manual_seed(seed)
    logits = 10 * torch.randn(*shape, 89, generator=generator, dtype=torch.float64)
    labels = torch.randint(89, shape, generator=generator)
    labels[torch.rand(shape, generator=generator) < 0.5] = -100
    labels.view(-1)[0] = 3
    ours = masked_lm_loss(logits, labels)
    assert ours.item() == pytest.approx(loss_by_hand(logits, labels), abs=1e-8)
    assert ours.item() == pytest.approx(pytorch_loss(logits, labels).item(), abs=1e-8)


def test_ours_equals_the_numpy_twin():
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(2, 4, 6, generator=generator, dtype=torch.float64)
    labels = torch.tensor([[5, -100, 0, -100], [-100, 2, -100, -100]])
    twin = reference.cross_entropy(logits.numpy(), labels.numpy())
    assert masked_lm_loss(logits, labels).item() == pytest.approx(twin, abs=1e-8)


def test_the_gradient_is_pytorchs_and_zero_where_nothing_is_asked():
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(3, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([2, -100, 0])
    (ours,) = torch.autograd.grad(masked_lm_loss(logits, labels), logits)
    (theirs,) = torch.autograd.grad(pytorch_loss(logits, labels), logits)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    assert (ours[1] == 0).all()


def test_a_certain_and_right_prediction_counts_as_a_zero():
    logits = torch.tensor([[1000.0, 0.0], [0.0, 0.0], [5.0, 7.0]], dtype=torch.float64)
    labels = torch.tensor([0, 1, -100])
    each = torch.nn.CrossEntropyLoss(ignore_index=-100, reduction="none")(logits, labels)
    assert each[0] == 0  # labeled, and its loss is exactly 0
    assert masked_lm_loss(logits, labels).item() == pytest.approx(math.log(2) / 2, abs=1e-12)
    assert masked_lm_loss(logits, labels) == pytorch_loss(logits, labels)
    assert each[each != 0].mean().item() == pytest.approx(math.log(2))  # the wrong mean


def test_a_hopeless_prediction_stays_finite_and_keeps_its_gradient():
    logits = torch.tensor([[0.0, 1000.0]], requires_grad=True)
    loss = masked_lm_loss(logits, torch.tensor([0]))
    loss.backward()
    assert loss.item() == 1000
    assert logits.grad.tolist() == [[-1.0, 1.0]]


def test_no_labeled_position_is_an_error_where_pytorch_answers_nan():
    logits, labels = torch.zeros(2, 3), torch.full((2,), -100)
    assert pytorch_loss(logits, labels).isnan()
    with pytest.raises(ValueError, match=r"no item is labeled .*-100"):
        masked_lm_loss(logits, labels)


def test_labels_may_be_32_bit_integers():
    labels = torch.tensor([1, -100], dtype=torch.int32)
    assert masked_lm_loss(torch.zeros(2, 4), labels).item() == pytest.approx(math.log(4))


# --- The next sentence ---------------------------------------------------------------------------


@given(seed=st.integers(0, 2**32 - 1), batch=st.integers(1, 9))
def test_the_loss_of_pairs_by_hand_pytorch_and_ours_are_one_number(seed, batch):
    generator = torch.Generator().manual_seed(seed)
    logits = 5 * torch.randn(batch, 2, generator=generator, dtype=torch.float64)
    labels = torch.randint(2, (batch,), generator=generator)
    ours = next_sentence_loss(logits, labels).item()
    by_hand = [
        math.log1p(math.exp(scores[1 - label] - scores[label]))
        for scores, label in zip(logits.tolist(), labels.tolist(), strict=True)
    ]
    assert ours == pytest.approx(math.fsum(by_hand) / batch, abs=1e-12)
    assert ours == pytest.approx(pytorch_loss(logits, labels).item(), abs=1e-12)


def test_both_answers_count():
    """With `ignore_index=0` for both tasks, one of the two would never be learned."""
    logits = torch.tensor([[3.0, 1.0], [3.0, 1.0]], dtype=torch.float64)
    costs = {label: next_sentence_loss(logits, torch.full((2,), label)).item() for label in (0, 1)}
    assert costs[0] == pytest.approx(math.log1p(math.exp(-2)))
    assert costs[1] == pytest.approx(math.log1p(math.exp(2)))
    mixed = next_sentence_loss(logits, torch.tensor([0, 1])).item()
    assert mixed == pytest.approx((costs[0] + costs[1]) / 2)


def test_the_loss_of_pairs_equals_the_numpy_twin():
    logits = torch.randn(5, 2, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    labels = torch.tensor([0, 1, -100, 1, 0])
    twin = reference.cross_entropy(logits.numpy(), labels.numpy())
    assert next_sentence_loss(logits, labels).item() == pytest.approx(twin, abs=1e-12)


ZEROS = torch.zeros(2, 3)
BAD = [
    (masked_lm_loss, ZEROS[:0], [], r"labels of shape \(0,\) must not be empty"),
    *((masked_lm_loss, ZEROS, [0, x], rf"labels run from 0 to 2, .*, not {x}$")
      for x in (-1, 3, -101)),
    (masked_lm_loss, torch.zeros(2, 3, 5), [0] * 4, r"labels .* shape \(2, 3\), not \(4,\)"),
    (next_sentence_loss, ZEROS, [0, 1], r"logits must have the shape \(batch, 2\), not \(2, 3\)"),
    (next_sentence_loss, ZEROS[:, 1:], [0], r"labels must have the shape \(2,\), not \(1,\)"),
    *((next_sentence_loss, ZEROS[:, 1:], [x, 0], f"labels run from 0 to 1, .* not {x}$")
      for x in (2, -1)),
    (next_sentence_loss, ZEROS[:, 1:], [-100, -100], "no item is labeled .*-100.* one its label"),
]  # fmt: skip


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("loss", "logits", "labels", "words"), BAD)
def test_labels_that_cannot_be_judged_are_named(loss, logits, labels, words):
    with pytest.raises(ValueError, match=words):
        loss(logits, torch.tensor(labels, dtype=torch.int64))
    with pytest.raises(TypeError, match=r"torch\.int64 or torch\.int32, not torch\.float32"):
        masked_lm_loss(torch.zeros(2, 4), torch.tensor([1.0, -100.0]))
