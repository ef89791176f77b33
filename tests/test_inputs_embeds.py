"""Vectors instead of ids: the same as in transformers, and the words where they do not fit."""

import pytest
import torch
from bert_pairs import KINDS, SMALL, build, build_pair, close, draw, draw_batch, draw_config

BATCH = draw_batch(SMALL, seed=0)


@pytest.mark.parametrize("kind", KINDS)
def test_any_vectors_give_what_transformers_gives(kind):
    config = draw_config(0)
    ours, theirs = build_pair(config, kind=kind)
    batch = draw_batch(config, 0)
    vectors = draw(*batch.pop("input_ids").shape, config.hidden_size)
    batch["position_ids"] = torch.arange(vectors.shape[1]).flip(0)[None]
    expected = theirs(**batch, inputs_embeds=vectors)
    output = ours(**batch, inputs_embeds=vectors)._asdict()
    given = {name: value for name, value in output.items() if value is not None}
    assert given
    for name, value in given.items():
        close(value, expected[name], 1e-10)


VECTORS = draw(4, 6, 12)
BAD = [
    ({}, ValueError, "give either input_ids or inputs_embeds"),
    ({"input_ids": BATCH["input_ids"], "inputs_embeds": VECTORS}, ValueError, "give either"),
    ({"inputs_embeds": VECTORS.long()}, TypeError, r"be torch\.float32 .*, not torch\.int64"),
    ({"inputs_embeds": VECTORS[..., 1:]}, ValueError, r"\(batch, seq, 12\), not \(4, 6, 11\)"),
    ({"inputs_embeds": draw(1, 14, 12)}, ValueError, r"14 tokens .* \(13\); truncate"),
    (
        {"inputs_embeds": VECTORS, "attention_mask": torch.ones(4, 5)},
        ValueError, r"attention_mask .* \(4, 6\), not \(4, 5\)",
    ),
]  # fmt: skip


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("given", "error", "words"), BAD)
def test_vectors_that_make_no_sense_are_told_so(given, error, words):
    with pytest.raises(error, match=words):
        build(SMALL)(**given)
