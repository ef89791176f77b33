"""What Chapters 1 and 15 show of a trained encoder without its weights is what these say."""

import json

import numpy as np
import pytest
import torch
from test_claims import cells as chapter_prose

from benchmarks import one_word, similarities
from benchmarks.one_word import SENSE, SENSES


@pytest.fixture(scope="module")
def record():
    return json.loads(one_word.RECORD.read_text(encoding="utf-8"))


def test_the_similarities_of_chapter_15_are_what_the_weights_say(minilm):
    record = json.loads(similarities.RECORD.read_text(encoding="utf-8"))
    assert record["sentences"] == list(similarities.SENTENCES)
    found = similarities.similarities(minilm)
    assert list(found) == list(record["similarities"])
    for way, matrix in found.items():
        np.testing.assert_allclose(matrix, record["similarities"][way], rtol=0, atol=1e-4)


def test_the_senses_of_light_are_what_the_weights_say(record, minilm):
    assert record["sentences"] == {sense: [*group] for sense, group in SENSES.items()}
    found = one_word.summary(one_word.similarities(minilm))
    np.testing.assert_allclose(found["by sense"], record["by sense"], rtol=0, atol=2e-4)
    assert found["nearest of the same sense"] == record["nearest of the same sense"]


def test_no_verdict_hangs_on_a_near_tie(record, minilm):
    for matrix in one_word.similarities(minilm).values():
        same = torch.tensor([[a == b for b in SENSE] for a in SENSE])
        inside = matrix.where(same & ~torch.eye(20, dtype=torch.bool), -1).max(dim=1).values
        outside = matrix.where(~same, -1).max(dim=1).values
        assert (inside - outside).abs().min() > 1e-3
    for row in record["by sense"]:
        highest, next_one = sorted(row)[:1:-1]
        assert highest - next_one > 0.02


def test_the_opening_sentences_are_those_of_the_table():
    table = next(cell for cell in chapter_prose(1) if "| Sentence | *light* here |" in cell)
    for sense, (opening, *_) in SENSES.items():
        assert f"| {opening} | {sense} |" in table
    assert any(SENSES["lamp"][1].rstrip(".") in cell for cell in chapter_prose(1))
