"""The record of Chapters 20 and 21, measured again in part; MiniLM's if its weights are here."""

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
    parts = ("encoders", "frames", "heads", "words", "taking_away", "people", "patching", "retold")
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


@pytest.mark.parametrize("kind", ["pronoun", "mention"])
def test_links_of_the_small_world(benchmark, small, kind):
    _, encoder = small
    rows = benchmark["encoders"].tell(encoder, 6, seed=6)
    links = benchmark["heads"].links_of(encoder, rows, kind)
    same(links, RECORD["small world"]["links"][kind], 2e-3)


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


@pytest.mark.thorough
def test_heads_silent_and_patched_of_the_small_world(benchmark, small):
    (model, encoder), told = small, RECORD["small world"]
    live = benchmark["taking_away"].silent_heads_of(model, encoder.tokenizer)
    same(live, told["silent_heads"], 2e-3)
    live = benchmark["patching"].patches_of(model, encoder.tokenizer)
    for way, patched in told["patches"].items():
        same(live[way]["mean"], patched["mean"], 3e-3)
    live = benchmark["patching"].certainty_of(model, encoder.tokenizer)
    same(live, told["certainty"], 0.02)
    # No information, but not undecided.
    assert told["certainty"]["words in front"]["sure and wrong"][1] > 0.02


def test_people_of_the_small_world(benchmark, small):
    _, encoder = small
    live, stored = benchmark["people"].people_of(encoder), RECORD["small world"]["people"]
    same(live["chosen"], stored["chosen"], 2e-3)
    same(live["rivals"], stored["rivals"], 1e-9)


def test_two_people_in_english(benchmark, real):
    live = benchmark["frames"].frames_of(real, 2, 4)
    stored = dict(RECORD["MiniLM"]["frames"])
    for words in ("sentences", "people"):
        assert live.pop(words) == stored.pop(words)
    same(live, stored, 2e-3)


def test_other_people_in_english(benchmark, real):
    """Between two of one sex the head takes the first name: the control that the claim lacked."""
    live = benchmark["frames"].other_people_of(real, 2, 4)
    stored = RECORD["MiniLM"]["other people"]
    for now, told in zip(live.pop("one sex"), stored["one sex"], strict=True):
        assert (now["text"], now["meant"]) == (told["text"], told["meant"])
        same(now["attention"], told["attention"], 2e-3)
        assert now["attention"][0] > now["attention"][1]
    for kind, told in live.items():
        assert told["sentences"] == stored[kind]["sentences"]
        same(told["right"], stored[kind]["right"], 0.01)


def test_new_stories_are_asked_as_in_chapter_14(benchmark, small):
    _, encoder = small
    live = benchmark["words"].world_senses_of(encoder)
    stored = RECORD["small world"]["world_senses"]
    assert live["words"] == stored["words"]
    np.testing.assert_allclose(live["right_of_all"][1:], stored["right_of_all"][1:], atol=5e-3)
    chapter = (ROOT / "book" / "chapters" / "14-pre-train-a-small-world.ipynb").read_text("utf-8")
    for layer in (1, 2):
        assert f"after layer {layer}               {stored['right_of_all'][layer]:.0%}" in chapter
