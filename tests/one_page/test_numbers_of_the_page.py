"""BERT on one page computes what transformers computes, to a step of training, and loads it."""

import dataclasses
import json
import re

import bert
import pytest
import torch
import transformers
from bert_pairs import (
    SEEDS,
    close,
    draw_batch,
    draw_config,
    draw_labels,
    gradients,
    scatter_weights,
)
from safetensors.torch import load_file, save_file

from minibert.config import BertConfig
from minibert.model import initialize_weights
from minibert.training.config import learning_rate_factor

OLDER = {"weight": "gamma", "bias": "beta"}


def library(seed, kind=transformers.BertForPreTraining):
    """Build the library's model with all sizes different and weights that hide nothing."""
    fields = dataclasses.asdict(draw_config(seed))
    theirs = kind(transformers.BertConfig(**fields, attn_implementation="eager"))
    scatter_weights(theirs, seed)
    return theirs.eval()


def both(seed):
    """Build the library's model in double precision, and the page's from its weights."""
    theirs = library(seed).double()
    ours = bert.BertForPreTraining(bert.BertConfig(**theirs.config.to_dict())).double().eval()
    ours.load_state_dict(theirs.state_dict(), strict=True)
    return ours, theirs


def rows(seed):
    """Draw a batch with padding in it, and its labels."""
    config = draw_config(seed)
    batch = draw_batch(config, seed)
    assert not batch["attention_mask"].all()
    return batch, draw_labels(config, batch, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_number_is_that_of_transformers(seed):
    ours, theirs = both(seed)
    batch, labels = rows(seed)
    found, expected = ours(**batch, **labels), theirs(**batch, **labels)
    for name in ("prediction_logits", "seq_relationship_logits", "loss"):
        close(getattr(found, name), getattr(expected, name))
    close(found.loss, found.masked_lm_loss + found.next_sentence_loss)
    grads, their_grads = gradients(ours, found.loss), gradients(theirs, expected.loss)
    assert list(grads) == list(their_grads)
    for name, grad in grads.items():
        close(grad, their_grads[name])
    wishes = {"output_hidden_states": True, "output_attentions": True}
    found, expected = ours.bert(**batch, **wishes), theirs.bert(**batch, **wishes)
    close(found.pooler_output, expected.pooler_output)
    for name in ("hidden_states", "attentions"):
        for own, other in zip(getattr(found, name), getattr(expected, name), strict=True):
            close(own, other)
    assert ours.bert(**batch)[2:] == (None, None)


def test_vectors_and_positions_can_be_given():
    ours, theirs = both(1)
    batch, _ = rows(1)
    ids = batch.pop("input_ids")
    batch["inputs_embeds"] = ours.bert.embeddings.word_embeddings(ids).detach() + 1
    batch["position_ids"] = torch.arange(ids.shape[1]).flip(0)[None]
    close(ours(**batch).prediction_logits, theirs(**batch).prediction_logits)


@pytest.mark.parametrize("labels", ["labels", "next_sentence_label"])
def test_one_of_the_losses_alone(labels):
    ours, _ = both(3)
    batch, both_labels = rows(3)
    output = ours(**batch, **{labels: both_labels[labels]})
    assert [output.masked_lm_loss is None, output.next_sentence_loss is None].count(True) == 1
    assert output.loss == (output.masked_lm_loss or output.next_sentence_loss)
    assert ours(**batch).loss is None


def test_the_first_weights_are_those_of_the_package():
    models = []
    for initialize in (bert.initialize_weights, initialize_weights):
        torch.manual_seed(0)
        parts = [torch.nn.Linear(7, 5), torch.nn.Embedding(9, 7, 3), torch.nn.LayerNorm(7)]
        models.append(torch.nn.ModuleList(parts))
        initialize(models[-1], 0.02)
    for own, other in zip(*(model.parameters() for model in models), strict=True):
        assert torch.equal(own, other)


def test_a_real_encoder(minilm):
    ours = bert.load_pretrained(minilm)
    assert isinstance(ours, bert.BertModel) and not ours.training
    theirs = transformers.BertModel.from_pretrained(minilm).eval()
    ids, types = bert.load_tokenizer(minilm).encode("Is it new?", "It's brand-new.")
    ids, types = torch.tensor([ids]), torch.tensor([types])
    found, expected = ours(ids, token_type_ids=types), theirs(ids, token_type_ids=types)
    close(found.last_hidden_state, expected.last_hidden_state, atol=1e-5)
    close(found.pooler_output, expected.pooler_output, atol=1e-5)


def test_a_folder_without_the_head_of_pairs(tmp_path):
    theirs = library(1, transformers.BertForMaskedLM)
    theirs.save_pretrained(tmp_path)
    ours, (batch, _) = bert.load_pretrained(tmp_path), rows(1)
    table = ours.bert.embeddings.word_embeddings.weight
    assert ours.cls.predictions.decoder.weight is table
    close(ours(**batch).prediction_logits, theirs(**batch).logits, atol=2e-5)
    assert ours(**batch).seq_relationship_logits is None


def test_a_folder_of_transformers_with_older_names_and_others_refused_in_a_sentence(tmp_path):
    theirs = library(0)
    theirs.save_pretrained(tmp_path)
    path, (batch, _) = tmp_path / "model.safetensors", rows(0)
    weights = {
        re.sub("(?<=LayerNorm.)(weight|bias)$", lambda end: OLDER[end[0]], name): tensor
        for name, tensor in load_file(path).items()
    }
    assert "bert.embeddings.LayerNorm.beta" in weights
    weights["bert.embeddings.position_ids"] = torch.arange(13)[None]
    table = weights["bert.embeddings.word_embeddings.weight"]
    weights["cls.predictions.decoder.weight"] = table.clone()
    for renamed in (load_file(path), weights):
        save_file(renamed, path)
        found, expected = bert.load_pretrained(tmp_path)(**batch), theirs(**batch)
        for name in ("prediction_logits", "seq_relationship_logits"):
            close(getattr(found, name), getattr(expected, name), atol=2e-5)
    weights["classifier.bias"] = weights.pop("cls.predictions.bias")
    save_file(weights, path)
    with pytest.raises(ValueError, match=r"is no BERT of this page: \S+ is missing or unknown$"):
        bert.load_pretrained(tmp_path)


def test_a_configuration_is_bert_base_unless_told():
    fields = dataclasses.asdict(BertConfig())
    del fields["classifier_dropout"]  # for a head that is not on the page
    config = bert.BertConfig()
    assert {name: getattr(config, name) for name in fields} == fields
    assert bert.BertConfig(**json.loads('{"hidden_size": 6}')).hidden_size == 6


def test_the_learning_rate_is_that_of_the_package(monkeypatch):
    rates = []

    class Watched(torch.optim.AdamW):
        def step(self):
            rates.append(self.param_groups[0]["lr"])
            super().step()

    monkeypatch.setattr(torch.optim, "AdamW", Watched)
    documents = [["one cat", "one dog"], ["a cat", "a dog"]]
    tokenizer = bert.WordPieceTokenizer([*bert.SPECIAL_TOKENS, "one", "a", "cat", "dog"])
    config = bert.BertConfig(
        vocab_size=9, hidden_size=4, num_hidden_layers=1, num_attention_heads=1,
        intermediate_size=4, max_position_embeddings=16,
    )  # fmt: skip
    model = bert.BertForPreTraining(config)
    bert.train(model, tokenizer, documents, documents, steps=20, size=2, peak=0.5)
    expected = [0.5 * learning_rate_factor(n, warmup_steps=2, max_steps=20) for n in range(20)]
    assert rates == pytest.approx(expected)
