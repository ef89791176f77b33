"""The contrastive loss: by numpy, by PyTorch, its gradient, and its edges."""

import math

import numpy as np
import pytest
import torch
from bert_pairs import draw
from torch.nn import functional

from minibert import reference
from minibert.losses import contrastive_loss


@pytest.mark.parametrize(("batch", "more"), [(1, 0), (2, 0), (3, 4)])
def test_numpy_and_pytorch_give_the_same(batch, more):
    queries, documents = draw(batch, 7), 9 * draw(batch + more, 7, seed=1)
    ours = contrastive_loss(queries, documents, temperature=0.3)
    cosines = functional.cosine_similarity(queries[:, None], documents[None], dim=-1)
    theirs = functional.cross_entropy(cosines / 0.3, torch.arange(batch))
    twin = reference.cross_entropy(cosines.numpy() / 0.3, np.arange(batch))
    usual = contrastive_loss(queries, documents, temperature=0.05)
    assert contrastive_loss(queries, documents) == usual
    assert ours.item() == pytest.approx(theirs.item(), rel=1e-12)
    assert ours.item() == pytest.approx(float(twin), rel=1e-12)


def test_the_gradient_is_that_of_small_differences():
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
