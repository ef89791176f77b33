"""The record of Chapter 18, measured again in part; MiniLM's part if its weights are here."""

import importlib
import json
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from benchmarks.weights import SMALL_WORLD
from minibert.pretraining import BertForPreTraining

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "looking_inside.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def benchmark():
    """Import the parts of the benchmark by name, as its command does."""
    parts = ("encoders", "heads", "words", "taking_away")
    return {part: importlib.import_module(f"benchmarks.looking_inside.{part}") for part in parts}


@pytest.fixture(scope="module")
def small(benchmark):
    encoders = benchmark["encoders"]
    model, tokenizer = encoders.load(SMALL_WORLD, BertForPreTraining)
    return model, encoders.Encoder(model.bert, tokenizer)


@pytest.fixture(scope="module")
def real(benchmark, minilm):
    encoders = benchmark["encoders"]
    return encoders.Encoder(*encoders.load(minilm))


def same(live, stored, tolerance):
    """Compare two nested reports, number by number."""
    if isinstance(stored, dict):
        assert live.keys() == stored.keys()
        for name, value in stored.items():
            same(live[name], value, tolerance)
    elif isinstance(stored, list):
        assert len(live) == len(stored)
        for one, other in zip(live, stored):
            same(one, other, tolerance)
    else:
        np.testing.assert_allclose(live, stored, rtol=0, atol=tolerance)


def test_the_command_that_made_it():
    assert RECORD["command"] == "python -m benchmarks.looking_inside --record"
    assert RECORD["origin"]["threads"] == 1


@pytest.mark.parametrize("kind", ["pronoun", "mention"])
def test_links_of_the_small_world(benchmark, small, kind):
    _, encoder = small
    rows = benchmark["encoders"].tell(encoder, 6, seed=6)
    links = benchmark["heads"].links_of(encoder, rows, kind)
    same(links, RECORD["small world"]["links"][kind], 2e-3)


def test_links_are_those_of_the_grammar(benchmark, small):
    _, encoder = small
    heads, rows = benchmark["heads"], benchmark["encoders"].tell(encoder, 2, seed=1)
    seen = set()
    for kind, row in ((kind, row) for kind in ("pronoun", "mention") for row in rows):
        targets = heads.link_targets([row], len(row.ids), kind)[0]
        for query, key in targets.nonzero().tolist():
            seat = {pieces.start: word for pieces, word in zip(row.pieces, row.words)}
            asker, wanted = seat[query], seat[key]
            seen.add(kind)
            if kind == "pronoun":
                assert asker in {"he", "she", "his", "her", "him"}
                assert wanted in {"anna", "ben", "clara", "david", "emma", "felix", "greta", "hugo"}
            else:
                assert asker == wanted
                assert key < query
    assert seen == {"pronoun", "mention"}


def test_silent_heads_of_the_small_world(benchmark, small):
    model, encoder = small
    live = benchmark["taking_away"].silent_heads_of(model, encoder.tokenizer)
    same(live, RECORD["small world"]["silent_heads"], 2e-3)


def test_heads_of_the_real_encoder(benchmark, real):
    heads = benchmark["heads"]
    texts = [r.text for r in heads.service_requests("validation")]
    for name, values in heads.head_measures(real, texts).items():
        stored = RECORD["heads"]["measures"][name]["mean"]
        np.testing.assert_allclose(values.mean(axis=0), stored, rtol=0, atol=1e-3)


def test_maps_of_the_real_encoder(benchmark, real):
    for live, stored in zip(benchmark["heads"].maps_of(real), RECORD["maps"], strict=True):
        assert live["shape"] == stored["shape"]
        assert live["tokens"] == stored["tokens"]
        new, old = (np.frombuffer(b64decode(m["shares"]), np.uint8) for m in (live, stored))
        assert np.abs(new.astype(int) - old).max() <= 1


def test_senses_of_the_real_encoder(benchmark, real):
    live, stored = benchmark["words"].senses_of(real), RECORD["senses"]
    assert live["words"] == stored["words"]
    np.testing.assert_allclose(live["right"], stored["right"], rtol=0, atol=0.015)
    np.testing.assert_allclose(live["gap"], stored["gap"], rtol=0, atol=1e-3)
    assert live["neighbors"] == pytest.approx(stored["neighbors"], abs=0.015)
    np.testing.assert_allclose(live["neighbors_by_word"], stored["neighbors_by_word"], atol=0.07)


def test_the_hero_is_the_first_word_of_every_telling(benchmark, small):
    _, encoder = small
    heads, rows = benchmark["heads"], benchmark["encoders"].tell(encoder, 6, seed=6)
    targets = heads.link_targets(rows, max(len(row.ids) for row in rows), "pronoun")
    places = targets.any(dim=1).nonzero()[:, 1]
    assert len(places) > 100
    assert set(places.tolist()) == {1}


def test_other_shares_with_the_same_result(benchmark):
    rng = np.random.default_rng(0)
    values, shares = rng.standard_normal((40, 8)), rng.dirichlet(np.ones(40))
    other = benchmark["taking_away"].least_for_the_first(shares, values)
    np.testing.assert_allclose(other @ values, shares @ values, rtol=0, atol=1e-7)
    assert other.sum() == pytest.approx(1)
    assert other.min() >= -1e-9
    assert other[shares.argmax()] < shares.max() / 2
