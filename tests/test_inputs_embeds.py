"""Vectors instead of ids: the same as looking them up, and the same as in transformers."""

import pytest
import torch
from bert_pairs import (
    KINDS,
    SMALL,
    build,
    build_pair,
    close,
    draw,
    draw_batch,
    draw_config,
    draw_labels,
)

from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)

BATCH = draw_batch(SMALL, seed=0)
LABELS = {
    BertForMaskedLM: {"labels": draw_labels(SMALL, BATCH, 0)["labels"]},
    BertForPreTraining: draw_labels(SMALL, BATCH, 0),
    BertForSequenceClassification: {"labels": torch.tensor([0, 1, 1, 0])},
    BertForTokenClassification: {"labels": BATCH["token_type_ids"]},
    BertForQuestionAnswering: dict.fromkeys(
        ("start_positions", "end_positions"), torch.tensor([1, 2, 0, 1])
    ),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def tensors(output):
    """Collect what an output holds, in order."""
    return [value for value in output if isinstance(value, torch.Tensor)]


def with_vectors(model, batch):
    """Look the words up beforehand."""
    rest = {name: values for name, values in batch.items() if name != "input_ids"}
    table = getattr(model, "bert", model).embeddings.word_embeddings
    return rest | {"inputs_embeds": table(batch["input_ids"])}


@every_kind
def test_vectors_of_the_table_give_what_the_ids_give(kind):
    model = build(SMALL, kind=kind)
    for labels in ({}, LABELS.get(kind, {})):
        ours = tensors(model(**with_vectors(model, BATCH), **labels))
        expected = tensors(model(**BATCH, **labels))
        assert ours
        for own, other in zip(ours, expected, strict=True):
            assert torch.equal(own, other)


@every_kind
@pytest.mark.parametrize("seed", range(2))
def test_any_vectors_give_what_transformers_gives(kind, seed):
    config = draw_config(seed)
    ours, theirs = build_pair(config, seed, kind=kind)
    batch = draw_batch(config, seed)
    vectors = draw(*batch.pop("input_ids").shape, config.hidden_size, seed=seed)
    expected = theirs(**batch, inputs_embeds=vectors)
    output = ours(**batch, inputs_embeds=vectors)._asdict()
    given = {name: value for name, value in output.items() if value is not None}
    assert given
    for name, value in given.items():
        close(value, expected[name], 1e-10)


@every_kind
def test_the_vectors_come_where_transformers_takes_them(kind):
    model = build(SMALL, kind=kind)
    vectors = with_vectors(model, BATCH)["inputs_embeds"]
    ids, mask, types = BATCH.values()
    (first, *_), (other, *_) = (
        tensors(model(None, mask, types, None, vectors)),
        tensors(model(ids, mask, types)),
    )
    assert torch.equal(first, other)


def test_the_vectors_get_a_gradient():
    model = build(SMALL)
    vectors = draw(2, 5, 12).requires_grad_()
    model(inputs_embeds=vectors).pooler_output.sum().backward()
    assert (vectors.grad.abs().amax(dim=-1) > 0).all()


def test_positions_may_be_given_beside_the_vectors():
    model, vectors = build(SMALL), draw(2, 13, 12)
    places = torch.arange(13).flip(0)[None]
    output = model(inputs_embeds=vectors, position_ids=places).last_hidden_state
    assert (output - model(inputs_embeds=vectors).last_hidden_state).abs().max() > 0.1


VECTORS = draw(4, 6, 12)
BOTH_OR_NONE = "give either input_ids or inputs_embeds; neither is given, or both are"
OTHERS = {"attention_mask": torch.ones(4, 5), "token_type_ids": torch.ones(4, 5).long()}
BAD = [
    ({}, ValueError, BOTH_OR_NONE),
    ({"input_ids": BATCH["input_ids"], "inputs_embeds": VECTORS}, ValueError, BOTH_OR_NONE),
    ({"inputs_embeds": VECTORS.tolist()}, TypeError, "inputs_embeds must be a tensor, not a list"),
    ({"inputs_embeds": VECTORS.long()}, TypeError, r"be torch\.float32 .*, not torch\.int64"),
    ({"inputs_embeds": VECTORS[0]}, ValueError, r"\(batch, seq, 12\), not \(6, 12\)"),
    ({"inputs_embeds": VECTORS[..., 1:]}, ValueError, r"\(batch, seq, 12\), not \(4, 6, 11\)"),
    ({"inputs_embeds": VECTORS[:, :0]}, ValueError, r"shape \(4, 0, 12\) must not be empty"),
    ({"inputs_embeds": draw(1, 14, 12)}, ValueError, r"14 tokens .* \(13\); truncate"),
    *(
        ({"inputs_embeds": VECTORS, name: other}, ValueError, rf"{name} .* \(4, 6\), not \(4, 5\)")
        for name, other in OTHERS.items()
    ),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_vectors_that_make_no_sense_are_told_so(given, error, words):
    with pytest.raises(error, match=words):
        build(SMALL)(**given)
