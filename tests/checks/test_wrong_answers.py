"""Wrong answers of Chapters 22 to 26 that would pass with a case too few, and what is said."""

import itertools

import numpy as np
import pytest
import torch
from torch.nn import functional

from bertbook.checks.bugs import check_smallest
from bertbook.checks.family import check_positions, check_rotate
from bertbook.checks.faster import check_distillation_loss
from bertbook.checks.search import check_contrastive_loss


def scores_of(queries, documents, temperature):
    return functional.normalize(queries) @ functional.normalize(documents).T / temperature


def plain_exp(queries, documents, temperature):
    powers = scores_of(queries, documents, temperature).exp()
    return -(powers.diagonal() / powers.sum(dim=1)).log().mean()


def log_of_sum(queries, documents, temperature):
    scores = scores_of(queries, documents, temperature)
    return (scores.exp().sum(dim=1).log() - scores.diagonal()).mean()


def log_of_softmax(queries, documents, temperature):
    probs = scores_of(queries, documents, temperature).softmax(dim=1)
    return -probs.diagonal().log().mean()


def distance_of_logs(logits, teacher_logits, temperature):
    q, p = ((x / temperature).softmax(-1) for x in (logits, teacher_logits))
    return temperature**2 * (p * (p.log() - q.log())).sum(-1).mean()


def distance_by_kl_div(logits, teacher_logits, temperature):
    q, p = ((x / temperature).softmax(-1) for x in (logits, teacher_logits))
    return temperature**2 * functional.kl_div(q.log(), p, reduction="batchmean")


def rotate(x, theta):
    half = x.shape[-1] // 2
    speed = theta ** (-torch.arange(half).to(x) / half)
    angles = torch.arange(x.shape[-2]).to(x)[:, None] * speed
    cosine, sine = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat([-second, first], dim=-1) * sine


def positions(ids, padding):
    is_token = (ids != padding).long()
    return is_token.cumsum(dim=1) * is_token + padding


def fewest(fails, ids):
    sizes = range(len(ids) + 1)
    parts = itertools.chain.from_iterable(itertools.combinations(ids, size) for size in sizes)
    return next(list(part) for part in parts if fails(list(part)))


def without_gradient(x, theta):
    with torch.no_grad():
        return rotate(x, theta)


@pytest.mark.parametrize(
    ("check", "answer", "hint"),
    [
        (check_contrastive_loss, plain_exp, "until the temperature is small"),
        (check_contrastive_loss, log_of_sum, "until the temperature is small"),
        (check_contrastive_loss, log_of_softmax, "until the temperature is small"),
        (check_distillation_loss, distance_of_logs, "until the temperature is small"),
        (check_distillation_loss, distance_by_kl_div, "until the temperature is small"),
        (check_rotate, lambda x, theta: rotate(x.detach(), theta), "no gradient flows back"),
        (check_rotate, lambda x, theta: rotate(x, theta).numpy(), "no gradient flows back"),
        (check_rotate, without_gradient, "no gradient flows back"),
        (check_positions, lambda *given: positions(*given).double(), "no whole numbers"),
        (check_positions, lambda *given: positions(*given) / 1, "no whole numbers"),
        (check_smallest, fewest, "You try all parts of the text"),
    ],
)
def test_a_wrong_answer_is_named(check, answer, hint):
    verdict = check(answer)
    assert not verdict.passed
    assert hint in verdict.message, verdict


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_rotate, rotate),
        (check_positions, positions),
        (check_positions, lambda *given: positions(*given).int()),
        (check_positions, lambda *given: positions(*given).tolist()),
        (check_positions, lambda *given: np.asarray(positions(*given))),
    ],
)
def test_a_right_answer_in_any_dress_passes(check, answer):
    assert check(answer).passed, check(answer)
