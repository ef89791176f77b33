"""One table, two uses: the embeddings and the decoder share it, and it collects both gradients."""

import copy
import pickle

import pytest
import torch
from bert_pairs import build, close, draw_batch, draw_config, draw_labels, equal, gradients

from minibert import reference
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

SMALL = draw_config(0, vocab_size=41, pad_token_id=0)
BATCH = draw_batch(SMALL, seed=0)
BOTH = draw_labels(SMALL, BATCH, seed=0)
WORDS = {"labels": BOTH["labels"]}
KINDS = [BertForMaskedLM, BertForPreTraining]
LABELS = {BertForMaskedLM: WORDS, BertForPreTraining: BOTH}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "clone", [lambda m: m.to(torch.float32), lambda m: pickle.loads(pickle.dumps(m))]
)
def test_table_and_decoder_are_one_parameter(kind, clone):
    model = clone(build(SMALL, kind=kind))
    table = model.bert.embeddings.word_embeddings.weight
    assert model.cls.predictions.decoder.weight is table
    assert model.cls.predictions.decoder.bias is model.cls.predictions.bias
    names = [name for name, parameter in model.named_parameters() if parameter is table]
    assert names == ["bert.embeddings.word_embeddings.weight"]


def untied(model):
    """Copy a model and give its decoder a table of its own, with the same numbers."""
    model = copy.deepcopy(model)
    decoder = model.cls.predictions.decoder
    decoder.weight = torch.nn.Parameter(decoder.weight.detach().clone())
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_the_tied_table_gets_the_sum_of_both_gradients(kind):
    model = build(SMALL, kind=kind)
    apart = untied(model)
    tied = gradients(model, model(**BATCH, **LABELS[kind]).loss)
    loose = gradients(apart, apart(**BATCH, **LABELS[kind]).loss)
    name = "bert.embeddings.word_embeddings.weight"
    read, predicted = loose[name], loose["cls.predictions.decoder.weight"]
    assert read.any() and predicted.any()
    close(tied[name], read + predicted)


def test_both_gradients_of_the_table_by_hand():
    model = build(SMALL, kind=BertForMaskedLM)
    seen = {}
    model.bert.embeddings.word_embeddings.register_forward_hook(
        lambda module, inputs, output: seen.update(words=output)
    )
    model.cls.predictions.decoder.register_forward_hook(
        lambda module, inputs, output: seen.update(refined=inputs[0])
    )
    loss = model(**BATCH, **WORDS).loss
    seen["words"].retain_grad()
    loss.backward()

    table = model.bert.embeddings.word_embeddings.weight
    twin_table, refined = table.detach().numpy(), seen["refined"].detach().numpy()
    labels = WORDS["labels"].numpy()
    logits = reference.tied_logits(refined, twin_table, model.cls.predictions.bias.detach().numpy())
    assert loss.item() == pytest.approx(reference.cross_entropy(logits, labels), abs=1e-12)
    predicted = reference.tied_logits_backward(
        reference.cross_entropy_backward(logits, labels), refined, twin_table
    )[1]
    not_padding = (BATCH["input_ids"] != 0).numpy()  # nn.Embedding lets no gradient to its row 0
    read = reference.embedding_lookup_backward(
        seen["words"].grad.numpy()[not_padding], BATCH["input_ids"].numpy()[not_padding], 41
    )
    equal(table.grad, read + predicted)
    assert predicted[0].any(), "the padding row still learns not to be predicted"


def test_a_table_assigned_anew_can_be_tied_again():
    source, model = (build(SMALL, seed, kind=BertForMaskedLM) for seed in (0, 1))
    state = {name: value.clone() for name, value in source.state_dict().items()}
    model.load_state_dict(state, strict=True, assign=True)
    model.cls.predictions.tie(model.bert.embeddings.word_embeddings)
    assert len(list(model.parameters())) == len(list(source.parameters()))
    close(model(**BATCH).logits, source(**BATCH).logits)
