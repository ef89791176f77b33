"""Equality with transformers in all tasks: scores, losses, gradients, a step, names, labels."""

import pytest
import torch
from bert_pairs import build_pair, close, draw_batch, draw_config, same_names_and_shapes, same_start
from effort import mostly_slow
from tasks import TASKS, cast

from minibert.config import BertConfig
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)

SEEDS = mostly_slow(range(2))
KINDS = [BertForSequenceClassification, BertForTokenClassification, BertForQuestionAnswering]
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
every_kind = pytest.mark.parametrize("kind", KINDS)


def draw_task(task, seed, dtype=torch.float64, way="eager", **changes):
    """Draw two equal models, a batch of padded pairs, and labels."""
    seed += 10 * TASKS.index(task)  # another configuration for each
    config = draw_config(seed, **changes)
    batch = draw_batch(config, seed)
    labels = cast(task.labels(batch, seed), dtype)
    return *build_pair(config, seed, dtype, way, task.kind, **task.task), batch, labels


def scores(output):
    names = ("logits", "start_logits", "end_logits")
    return [getattr(output, name) for name in names if hasattr(output, name)]


@every_kind
@pytest.mark.parametrize(
    "config", mostly_slow([BertConfig.base(), BertConfig.large(vocab_size=21128)])
)
def test_names_order_and_shapes_of_all_parameters(kind, config):
    same_names_and_shapes(kind, config)


@every_task
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", mostly_slow(["eager", "sdpa"]))
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_scores_and_loss(task, seed, way, dtype, atol):
    ours, theirs, batch, labels = draw_task(task, seed, dtype, way)
    expected, output = theirs(**batch, **labels), ours(**batch, **labels)
    assert ours(**batch).loss is None
    for own, other, alone in zip(*map(scores, (output, expected, ours(**batch))), strict=True):
        close(own, other, 10 * atol)
        close(alone, other, 10 * atol)
    close(output.loss, expected.loss, atol)


@every_task
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_the_gradient_of_every_parameter_and_one_step(task, seed, dtype, atol):
    ours, theirs, batch, labels = draw_task(task, seed, dtype)
    for model in (ours, theirs):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-3, weight_decay=0.01)
        model(**batch, **labels).loss.backward()
        optimizer.step()
    named = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        other = named.pop(name)
        assert (parameter.grad is None) == (other.grad is None), name
        close(parameter.grad, other.grad, atol)
        close(parameter, other, atol)
    assert not named
    close(ours(**batch, **labels).loss, theirs(**batch, **labels).loss, 10 * atol)


@every_kind
@pytest.mark.parametrize("share", [None, 0.0, 0.4])
def test_the_dropout_before_the_classifier_is_as_strong_as_theirs(kind, share):
    config = draw_config(0, hidden_dropout_prob=0.3, classifier_dropout=share)
    ours, theirs = build_pair(config, kind=kind)
    assert hasattr(ours, "dropout") == hasattr(theirs, "dropout")
    if hasattr(ours, "dropout"):
        assert ours.dropout.p == theirs.dropout.p == (0.3 if share is None else share)


def test_a_single_row_is_no_exception():
    """Where they squeeze, a batch of one number becomes a number."""
    for task in TASKS:
        if task.kind is BertForSequenceClassification and "ignored" not in task.name:
            ours, theirs, batch, labels = draw_task(task, 1)
            batch = {name: values[:1] for name, values in batch.items()}
            labels = {name: values[:1] for name, values in labels.items()}
            close(ours(**batch, **labels).loss, theirs(**batch, **labels).loss, 1e-10)


@every_kind
def test_the_weights_start_as_theirs_do(kind):
    same_start(kind)
