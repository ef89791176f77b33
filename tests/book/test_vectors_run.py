"""The record of Chapter 21 on the vectors of the real encoder, measured again in part."""

import importlib
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from bertbook.corpus import service_requests
from minibert.model import BertModel

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "looking_inside.json").read_text(encoding="utf-8"))
STREAM = RECORD["vectors"]["stream"]

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def vectors():
    """Import the part of the benchmark by name, as its command does."""
    return importlib.import_module("benchmarks.looking_inside.vectors")


@pytest.fixture(scope="module")
def real(minilm):
    encoders = importlib.import_module("benchmarks.looking_inside.encoders")
    return encoders.Encoder(*encoders.load(minilm))


def test_the_way_of_words_that_are_shown(vectors, real):
    for text, stored in zip(vectors.SHOWN, STREAM["shown"], strict=True):
        states, ids = vectors.states_of(real, text)
        assert [real.tokenizer.pieces[i] for i in ids[1:-1]] == stored["words"]
        np.testing.assert_allclose(vectors.way_of(states)[:, :7], stored["way"], atol=2e-3)


def test_an_encoder_that_never_trained_keeps_its_words(vectors, real):
    """The control without which nine of ten words found would look like an achievement."""
    torch.manual_seed(18)
    untrained = real._replace(model=BertModel(real.model.config).eval())
    texts = [request.text for request in service_requests("validation")][:12]
    kept = [
        np.mean([vectors.way_of(vectors.states_of(own, text)[0])[-1, 3].mean() for text in texts])
        for own in (real, untrained)
    ]
    stored = [STREAM[name]["mean"][-1][3] for name in ("trained", "untrained")]
    np.testing.assert_allclose(kept, stored, rtol=0, atol=0.06)


def test_senses_have_the_margins_that_are_drawn(vectors, real):
    live, stored = vectors.margins_of(real), RECORD["senses"]["margins"]
    assert live.keys() == stored.keys()
    for word, margins in stored.items():
        np.testing.assert_allclose(live[word], margins, rtol=0, atol=0.003)
    right = np.mean([(np.array(own) > 0).mean(axis=(1, 2)) for own in stored.values()], axis=0)
    np.testing.assert_allclose(right[1:], RECORD["senses"]["right"][1:], rtol=0, atol=0.011)


@pytest.mark.thorough
def test_vectors_of_whole_texts(vectors, real):
    live, stored = vectors.whole_texts_of(real), RECORD["vectors"]["whole texts"]
    for name, own in stored.items():
        if isinstance(own, dict) and "cosine" in own:
            np.testing.assert_allclose(live[name]["cosine"], own["cosine"], atol=2e-3)
            np.testing.assert_allclose(live[name]["right"], own["right"], atol=0.011)
