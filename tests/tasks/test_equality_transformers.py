"""Equality with transformers: every number, loss, gradient and step, names, and first weights."""

import bert_pairs
import pytest
import torch
import transformers
from bert_pairs import KINDS, SEEDS, build_pair, close, draw, draw_batch, draw_config
from effort import mostly_slow
from tasks import ALL, S, cast

from minibert.config import BertConfig

each_seed = pytest.mark.parametrize("seed", SEEDS)
each_kind = pytest.mark.parametrize("kind", KINDS)
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]


@each_kind
def test_names_order_shapes_and_first_weights_are_theirs(kind):
    bert_pairs.same_names_and_shapes(kind, BertConfig.large(vocab_size=21128))
    bert_pairs.same_start(kind)


@each_seed
def test_every_hidden_state_every_attention_map_and_every_gradient_of_the_encoder(seed):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed)
    batch = draw_batch(config, seed)
    places = torch.arange(batch["input_ids"].shape[1]).flip(0)[None]
    asked = {"output_attentions": True, "output_hidden_states": True}
    for changes in ({"attention_mask": None}, {"position_ids": places}, {}):
        a, b = ours(**batch | changes, **asked), theirs(**batch | changes, **asked)
        assert len(a.hidden_states) == config.num_hidden_layers + 1
        assert len(a.attentions) == config.num_hidden_layers
        for own, other in zip(
            (*a.hidden_states, *a.attentions, a.last_hidden_state, a.pooler_output),
            (*b.hidden_states, *b.attentions, b.last_hidden_state, b.pooler_output),
            strict=True,
        ):
            close(own, other, 1e-10)
    for output in (a, b):
        # Every number weighs differently, so that no gradient can hide behind another.
        parts = output.last_hidden_state, output.pooler_output
        sum((part * draw(*part.shape)).mean() for part in parts).backward()
    named = dict(theirs.named_parameters())
    for name, parameter in ours.named_parameters():
        assert parameter.grad is not None, name
        close(parameter.grad, named[name].grad, 1e-10)


@each_kind
@pytest.mark.parametrize("share", [None, 0.0, 0.4])
def test_any_vectors_in_the_place_of_ids_and_as_strong_a_dropout_before_the_classifier(kind, share):
    config = draw_config(0, hidden_dropout_prob=0.3, classifier_dropout=share)
    ours, theirs = build_pair(config, kind=kind)
    assert hasattr(ours, "dropout") == hasattr(theirs, "dropout")
    if hasattr(ours, "dropout"):
        assert ours.dropout.p == theirs.dropout.p == (0.3 if share is None else share)
    batch = draw_batch(config, 0)
    vectors = draw(*batch.pop("input_ids").shape, config.hidden_size)
    batch["position_ids"] = torch.arange(vectors.shape[1]).flip(0)[None]
    expected = theirs(**batch, inputs_embeds=vectors)
    output = ours(**batch, inputs_embeds=vectors)._asdict()
    given = {name: value for name, value in output.items() if value is not None}
    assert given
    for name, value in given.items():
        close(value, expected[name], 1e-10)


def draw_task(task, seed, dtype=torch.float64, way="eager", **changes):
    """Draw two equal models, a batch of padded pairs, and labels."""
    seed += 10 * ALL.index(task)  # another configuration for each
    config = draw_config(seed, **changes)
    batch = draw_batch(config, seed)
    labels = cast(task.labels(batch, seed), dtype)
    return *build_pair(config, seed, dtype, way, task.kind, **task.task), batch, labels


def scores(output):
    names = ("logits", "start_logits", "end_logits", "prediction_logits", "seq_relationship_logits")
    return [getattr(output, name) for name in names if hasattr(output, name)]


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
@pytest.mark.parametrize("seed", mostly_slow(range(2)))
@pytest.mark.parametrize("way", mostly_slow(["eager", "sdpa"]))
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_scores_loss_every_gradient_and_one_step(task, seed, way, dtype, atol):
    ours, theirs, batch, labels = draw_task(task, seed, dtype, way)
    if task.kind is S and task.name != "single label, one ignored":
        # Where they squeeze, a batch of one number becomes a number.
        row = {name: values[:1] for name, values in (batch | labels).items()}
        close(ours(**row).loss, theirs(**row).loss, atol)
    expected, output, alone = theirs(**batch, **labels), ours(**batch, **labels), ours(**batch)
    assert alone.loss is None
    close(output.loss, expected.loss, atol)
    for own, other, plain in zip(*map(scores, (output, expected, alone)), strict=True):
        close(own, other, 10 * atol)
        close(plain, other, 10 * atol)
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


@each_seed
def test_the_loss_of_pre_training_is_the_sum_of_what_is_asked(seed):
    """Transformers has a class of its own for each question, and no loss for one of the two."""
    ours, theirs, batch, labels = draw_task(ALL[1], seed)
    labels["next_sentence_label"][2] = -100  # does not count
    both = ours(**batch, **labels)
    close(both.loss, both.masked_lm_loss + both.next_sentence_loss)
    pairs = labels.pop("next_sentence_label")
    witness = transformers.BertForNextSentencePrediction(theirs.config).double().eval()
    witness.load_state_dict(
        {n: x for n, x in theirs.state_dict().items() if "predictions" not in n}
    )
    close(both.next_sentence_loss, witness(**batch, labels=pairs).loss, 1e-10)
    parts = {"masked_lm_loss": labels, "next_sentence_loss": {"next_sentence_label": pairs}}
    for name, asked in parts.items():
        output = ours(**batch, **asked)
        assert (output.masked_lm_loss is None) != (output.next_sentence_loss is None)
        close(output.loss, getattr(both, name))
