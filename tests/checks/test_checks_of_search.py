"""Losses that readers train with, in Chapters 22 and 23: by torch, without ours, with gradients."""

import numpy as np
import pytest
import torch
from kinds_of_answers import forbidden_ways
from torch.nn import functional

from bertbook.checks.faster import check_distillation_loss, check_quantize, check_speedup
from bertbook.checks.search import check_contrastive_loss
from bertbook.distillation import distillation_loss
from minibert.losses import contrastive_loss


def contrast(queries, documents, temperature):
    """Right, and by PyTorch."""
    queries, documents = functional.normalize(queries), functional.normalize(documents)
    scores = queries @ documents.T / temperature
    return functional.cross_entropy(scores, torch.arange(len(queries)))


def with_loops(queries, documents, temperature):
    cosine = functional.cosine_similarity
    rows = [[cosine(q, d, dim=0) / temperature for d in documents] for q in queries]
    scores = torch.stack([torch.stack(row) for row in rows])
    return functional.cross_entropy(scores, torch.arange(len(queries)))


def distance(logits, teacher_logits, temperature):
    """Right, and by PyTorch; the teacher needs no gradient."""
    with torch.no_grad():
        believed = (teacher_logits / temperature).softmax(-1)
    told = (logits / temperature).log_softmax(-1)
    return temperature**2 * functional.kl_div(told, believed, reduction="batchmean")


LOSSES = [(check_contrastive_loss, contrast), (check_distillation_loss, distance)]


@pytest.mark.parametrize(("check", "loss"), LOSSES)
def test_a_loss_by_torch_passes(check, loss):
    assert check(loss).passed


@pytest.mark.parametrize(("check", "loss"), LOSSES)
@pytest.mark.parametrize("cut", ["item", "detach", "numpy"])
def test_a_loss_without_gradients_is_noticed(check, loss, cut):
    verdict = check(lambda *given: getattr(loss(*given), cut)())
    assert not verdict.passed
    assert "The numbers are right, but no gradient flows back" in verdict.message


def test_a_student_that_cannot_learn_is_noticed():
    verdict = check_distillation_loss(lambda x, y, t: distance(x.detach(), y.clone(), t))
    assert "no gradient flows back" in verdict.message


test_a_right_answer_by_a_forbidden_way_is_noticed = forbidden_ways(
    (check_contrastive_loss, with_loops, "a loop"),
    (
        check_contrastive_loss,
        lambda q, d, t: contrastive_loss(q, d, temperature=t),
        "contrastive_loss",
    ),
    (
        check_distillation_loss,
        lambda s, t, temperature: distillation_loss(s, t, temperature=temperature),
        "distillation_loss",
    ),
)


@pytest.mark.parametrize("of_zeros", [0.0, 1.0, 1e-9])
def test_a_row_of_zeros_may_have_any_scale(of_zeros):
    def quantize(x):
        scale = x.abs().amax(dim=1, keepdim=True) / 127
        scale[scale == 0] = of_zeros
        return (x / scale).nan_to_num().round(), scale

    assert check_quantize(quantize).passed


@pytest.mark.parametrize(
    "method", ["linear", "weibull", "median_unbiased", "nearest", "hazen", "lower", "higher"]
)
def test_quartiles_may_be_counted_in_any_way(method):
    def speedup(before, after, warm):
        ratios = np.array(before[warm:]) / np.array(after[warm:])
        return [np.quantile(ratios, q, method=method) for q in (0.5, 0.25, 0.75)]

    assert check_speedup(speedup).passed
