"""The contrastive loss: by hand, by numpy, by PyTorch, its gradient, and its edges."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from minibert import reference
from minibert.losses import contrastive_loss


def vectors(seed, *shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_two_pairs_by_hand():
    queries = torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
    documents = torch.tensor([[0.8, 0.6], [0.6, 0.8]], dtype=torch.float64)
    expected = math.log(1 + math.exp(-0.2 / 0.5))
    assert contrastive_loss(queries, documents, temperature=0.5).item() == pytest.approx(expected)


@pytest.mark.parametrize(("batch", "more"), [(1, 0), (2, 0), (3, 4), (5, 1)])
def test_numpy_and_pytorch_give_the_same(batch, more):
    queries, documents = vectors(0, batch, 7), vectors(1, batch + more, 7)
    ours = contrastive_loss(queries, documents, temperature=0.3)
    cosines = functional.cosine_similarity(queries[:, None], documents[None], dim=-1)
    theirs = functional.cross_entropy(cosines / 0.3, torch.arange(batch))
    twin = reference.cross_entropy(cosines.numpy() / 0.3, np.arange(batch))
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-12)
    assert ours.item() == pytest.approx(float(twin), rel=1e-12)


def test_the_gradient_is_that_of_small_differences():
    given = vectors(2, 3, 4).requires_grad_(), vectors(3, 5, 4).requires_grad_()
    assert torch.autograd.gradcheck(lambda q, d: contrastive_loss(q, d, temperature=0.2), given)


def test_lengths_change_nothing():
    queries, documents = vectors(4, 3, 4), vectors(5, 3, 4)
    lengths = torch.tensor([[0.5], [2.0], [9.0]], dtype=torch.float64)
    torch.testing.assert_close(
        contrastive_loss(queries, documents),
        contrastive_loss(lengths * queries, documents / lengths),
    )


def test_equal_documents_leave_a_guess():
    queries, documents = vectors(6, 3, 4), vectors(7, 1, 4).expand(5, 4)
    assert contrastive_loss(queries, documents).item() == pytest.approx(math.log(5))


@pytest.mark.parametrize(
    ("batch", "temperature", "words"),
    [
        *((2, t, rf"temperature \({t}\) must be at least 1e-30") for t in (0.0, -1.0, math.nan)),
        (3, 0.1, r"documents \(2\) must be at least 3, one for each query"),
    ],
)
def test_a_temperature_or_documents_that_will_not_do(batch, temperature, words):
    with pytest.raises(ValueError, match=words):
        contrastive_loss(vectors(0, batch, 3), vectors(1, 2, 3), temperature=temperature)
