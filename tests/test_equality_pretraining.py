"""Equality with transformers in pre-training: scores, losses, gradients, a step, names."""

import pytest
import torch
import transformers
from bert_pairs import (
    build_pair,
    close,
    draw_batch,
    draw_config,
    draw_labels,
    same_names_and_shapes,
    same_start,
)
from effort import mostly_slow

from minibert.config import BertConfig
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

SEEDS = mostly_slow(range(6))
KINDS = [BertForMaskedLM, BertForPreTraining]
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]
ALL_MATCHED = "<All keys matched successfully>"


def draw_task(kind, seed, dtype=torch.float64, way="eager", **changes):
    """Draw two equal models, a batch, and the labels that this kind of model takes."""
    config = draw_config(seed, **changes)
    batch = draw_batch(config, seed)
    labels = draw_labels(config, batch, seed)
    if kind is BertForMaskedLM:
        del labels["next_sentence_label"]
    return *build_pair(config, seed, dtype, way, kind), batch, labels


def word_scores(output):
    return output.logits if hasattr(output, "logits") else output.prediction_logits


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "config", mostly_slow([BertConfig.base(), BertConfig.large(vocab_size=21128)])
)
def test_names_order_and_shapes_of_all_parameters(kind, config):
    same_names_and_shapes(kind, config)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_their_weights_go_into_ours_and_back(kind, seed):
    ours, theirs, batch, _ = draw_task(kind, seed)
    assert str(theirs.load_state_dict(ours.state_dict(), strict=True)) == ALL_MATCHED
    assert str(ours.load_state_dict(theirs.state_dict(), strict=True)) == ALL_MATCHED
    assert ours.state_dict().keys() == theirs.state_dict().keys()
    close(word_scores(ours(**batch)), word_scores(theirs(**batch)), 1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("way", mostly_slow(["eager", "sdpa"]))
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_scores_and_loss(kind, seed, way, dtype, atol):
    ours, theirs, batch, labels = draw_task(kind, seed, dtype, way)
    expected = theirs(**batch, **labels)
    scored, asked = ours(**batch), ours(**batch, **labels)
    assert scored.loss is None
    close(asked.loss, expected.loss, atol)
    for output in (scored, asked):
        close(word_scores(output), word_scores(expected), 10 * atol)
        if kind is BertForPreTraining:
            close(output.seq_relationship_logits, expected.seq_relationship_logits, atol)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_the_gradient_of_every_parameter_and_one_step(kind, seed, dtype, atol):
    ours, theirs, batch, labels = draw_task(kind, seed, dtype)
    for model in (ours, theirs):
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, eps=1e-3, weight_decay=0.01)
        model(**batch, **labels).loss.backward()
        optimizer.step()
    named = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None, name
        close(parameter.grad, named[name].grad, atol)
        close(parameter, named.pop(name), atol)
    assert not named
    close(ours(**batch, **labels).loss, theirs(**batch, **labels).loss, 10 * atol)


@pytest.mark.parametrize("kind", KINDS)
def test_training_without_dropout_is_the_same_too(kind):
    none = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    ours, theirs, batch, labels = draw_task(kind, 3, **none)
    close(ours.train()(**batch, **labels).loss, theirs.train()(**batch, **labels).loss, 1e-10)


@pytest.mark.parametrize("seed", SEEDS)
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


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_labeled_is_an_error_where_theirs_is_not_a_number(kind):
    ours, theirs, batch, labels = draw_task(kind, 0)
    labels["labels"].fill_(-100)
    assert theirs(**batch, **labels).loss.isnan()
    with pytest.raises(ValueError, match=r"no item is labeled .*-100"):
        ours(**batch, **labels)


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_start_as_theirs_do(kind):
    same_start(kind)
