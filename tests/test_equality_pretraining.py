"""Equality with transformers in pre-training: scores, losses, gradients, a step, names."""

import pytest
import torch
import transformers
from bert_pairs import (
    SEEDS,
    build_pair,
    close,
    draw_batch,
    draw_config,
    draw_labels,
    same_names_and_shapes,
    same_start,
)

from minibert.config import BertConfig
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

each_seed = pytest.mark.parametrize("seed", SEEDS)
each_kind = pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])


def draw_task(kind, seed):
    """Draw two equal models, a batch, and the labels that this kind of model takes."""
    config = draw_config(seed)
    batch = draw_batch(config, seed)
    labels = draw_labels(config, batch, seed)
    if kind is BertForMaskedLM:
        del labels["next_sentence_label"]
    return *build_pair(config, seed, kind=kind), batch, labels


@each_kind
def test_names_order_and_shapes_of_all_parameters_and_their_start(kind):
    same_names_and_shapes(kind, BertConfig.base())
    same_start(kind)


@each_kind
@each_seed
def test_scores_loss_every_gradient_and_one_step(kind, seed):
    ours, theirs, batch, labels = draw_task(kind, seed)
    asked, expected = ours(**batch, **labels), theirs(**batch, **labels)
    close(asked.loss, expected.loss, 1e-10)
    for output in (asked, ours(**batch)):
        for name in ("logits", "prediction_logits", "seq_relationship_logits"):
            if hasattr(expected, name):
                close(getattr(output, name), getattr(expected, name), 1e-9)
    for model in (ours, theirs):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-3, weight_decay=0.01)
        model(**batch, **labels).loss.backward()
        optimizer.step()
    named = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None, name
        close(parameter.grad, named[name].grad, 1e-10)
        close(parameter, named.pop(name), 1e-10)
    assert not named


@each_seed
def test_the_loss_is_the_sum_of_what_is_asked(seed):
    """Transformers has a class of its own for each question, and no loss for one of the two."""
    ours, theirs, batch, labels = draw_task(BertForPreTraining, seed)
    both = ours(**batch, **labels)
    close(both.loss, both.masked_lm_loss + both.next_sentence_loss)
    for name, kind, part, other in (
        ("labels", "BertForMaskedLM", "masked_lm_loss", "next_sentence_loss"),
        ("next_sentence_label", "BertForNextSentencePrediction", "next_sentence_loss",
         "masked_lm_loss"),
    ):  # fmt: skip
        witness = getattr(transformers, kind)(theirs.config).double().eval()
        known = {n: x for n, x in theirs.state_dict().items() if n in witness.state_dict()}
        witness.load_state_dict(known)
        output = ours(**batch, **{name: labels[name]})
        assert theirs(**batch, **{name: labels[name]}).loss is None
        assert getattr(output, other) is None
        close(output.loss, witness(**batch, labels=labels[name]).loss, 1e-10)
        close(output.loss, getattr(output, part))
        close(output.loss, getattr(both, part))


def test_a_pair_that_is_not_labeled_does_not_count():
    ours, theirs, batch, labels = draw_task(BertForPreTraining, 2)
    labels["next_sentence_label"][2] = -100
    close(ours(**batch, **labels).loss, theirs(**batch, **labels).loss, 1e-10)
