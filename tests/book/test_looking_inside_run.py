"""The record of Chapters 20 and 21, measured again in part; MiniLM's if its weights are here."""

import json
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.looking_inside import (
    encoders,
    frames,
    heads,
    patching,
    people,
    taking_away,
    vectors,
    words,
)
from benchmarks.weights import SMALL_WORLD
from bertbook.corpus import service_requests
from minibert.model import BertModel
from minibert.pretraining import BertForPreTraining

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads(
    (ROOT / "bertbook" / "records" / "looking_inside.json").read_text(encoding="utf-8")
)
STREAM = RECORD["vectors"]["stream"]

pytestmark = pytest.mark.usefixtures("one_thread", "unchecked")


@pytest.fixture(scope="module")
def small():
    model, tokenizer = encoders.load(SMALL_WORLD, BertForPreTraining)
    return model, encoders.Encoder(model.bert, tokenizer)


@pytest.fixture(scope="module")
def real(minilm):
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
def test_links_of_the_small_world(small, kind):
    _, encoder = small
    rows = encoders.tell(encoder, 6, seed=6)
    links = heads.links_of(encoder, rows, kind)
    same(links, RECORD["small world"]["links"][kind], 2e-3)


def test_heads_of_the_real_encoder(real):
    texts = [r.text for r in heads.service_requests("validation")]
    for name, values in heads.head_measures(real, texts).items():
        stored = RECORD["heads"]["measures"][name]["mean"]
        np.testing.assert_allclose(values.mean(axis=0), stored, rtol=0, atol=1e-3)


def test_maps_of_the_real_encoder(real):
    for live, stored in zip(heads.maps_of(real), RECORD["maps"], strict=True):
        assert live["shape"] == stored["shape"]
        assert live["tokens"] == stored["tokens"]
        new, old = (np.frombuffer(b64decode(m["shares"]), np.uint8) for m in (live, stored))
        assert np.abs(new.astype(int) - old).max() <= 1


def test_senses_of_the_real_encoder(real):
    live, stored = words.senses_of(real), RECORD["senses"]
    assert live["words"] == stored["words"]
    np.testing.assert_allclose(live["right"], stored["right"], rtol=0, atol=0.015)
    np.testing.assert_allclose(live["gap"], stored["gap"], rtol=0, atol=1e-3)
    assert live["neighbors"] == pytest.approx(stored["neighbors"], abs=0.015)
    np.testing.assert_allclose(live["neighbors_by_word"], stored["neighbors_by_word"], atol=0.07)


@pytest.mark.thorough
def test_heads_silent_and_patched_of_the_small_world(small):
    (model, encoder), told = small, RECORD["small world"]
    live = taking_away.silent_heads_of(model, encoder.tokenizer)
    same(live, told["silent_heads"], 2e-3)
    live = patching.patches_of(model, encoder.tokenizer)
    for way, patched in told["patches"].items():
        same(live[way]["mean"], patched["mean"], 3e-3)
    live = patching.certainty_of(model, encoder.tokenizer)
    same(live, told["certainty"], 0.02)
    # No information, but not undecided.
    assert told["certainty"]["words in front"]["sure and wrong"][1] > 0.02


def test_people_of_the_small_world(small):
    _, encoder = small
    live, stored = people.people_of(encoder), RECORD["small world"]["people"]
    same(live["chosen"], stored["chosen"], 2e-3)
    same(live["rivals"], stored["rivals"], 1e-9)


def test_two_people_in_english(real):
    live = frames.frames_of(real, 2, 4)
    stored = dict(RECORD["MiniLM"]["frames"])
    for part in ("sentences", "people"):
        assert live.pop(part) == stored.pop(part)
    same(live, stored, 2e-3)


@pytest.mark.thorough
def test_other_people_in_english(real):
    """Between two of one sex the head takes the first name: the control that the claim lacked."""
    live = frames.other_people_of(real, 2, 4)
    stored = RECORD["MiniLM"]["other people"]
    for now, told in zip(live.pop("one sex"), stored["one sex"], strict=True):
        assert (now["text"], now["meant"]) == (told["text"], told["meant"])
        same(now["attention"], told["attention"], 2e-3)
        assert now["attention"][0] > now["attention"][1]
    for kind, told in live.items():
        assert told["sentences"] == stored[kind]["sentences"]
        same(told["right"], stored[kind]["right"], 0.01)


def test_new_stories_are_asked_as_in_chapter_14(small):
    _, encoder = small
    live = words.world_senses_of(encoder)
    stored = RECORD["small world"]["world_senses"]
    assert live["words"] == stored["words"]
    np.testing.assert_allclose(live["right_of_all"][1:], stored["right_of_all"][1:], atol=5e-3)
    chapter = (ROOT / "book" / "chapters" / "14-pre-train-a-small-world.ipynb").read_text("utf-8")
    for layer in (1, 2):
        assert f"after layer {layer}               {stored['right_of_all'][layer]:.0%}" in chapter


def test_the_way_of_words_that_are_shown(real):
    for text, stored in zip(vectors.SHOWN, STREAM["shown"], strict=True):
        states, ids = vectors.states_of(real, text)
        assert [real.tokenizer.pieces[i] for i in ids[1:-1]] == stored["words"]
        np.testing.assert_allclose(vectors.way_of(states)[:, :7], stored["way"], atol=2e-3)


@pytest.mark.usefixtures("unchecked")
def test_what_is_left_of_words_in_encoders_that_learned_nothing(real):
    """Fresh layers do little and keep all; layers of the trained sizes keep nothing."""
    torch.manual_seed(18)
    untrained = real._replace(model=BertModel(real.model.config).eval())
    texts = [request.text for request in service_requests("validation")][:12]
    for name, own in (
        ("trained", real), ("untrained", untrained), ("shuffled", vectors.shuffled(real, 0)),
    ):  # fmt: skip
        kept = vectors.mean_ways([own], texts).mean(axis=0)[-1]
        stored = STREAM[name]["mean"][-1]
        for column in map(vectors.STREAM.index, ("first", "own_row")):
            assert kept[column] == pytest.approx(stored[column], abs=0.06), name


@pytest.mark.thorough
@pytest.mark.usefixtures("unchecked")
def test_shuffled_layers_that_add_as_little_keep_words(real):
    texts = [request.text for request in service_requests("validation")][:6]
    ways = [vectors.mean_ways([own], texts).mean(axis=0)
            for own in (real, vectors.shrunk(real, 0, texts))]  # fmt: skip
    before, first, own_row = map(vectors.STREAM.index, ("before", "first", "own_row"))
    np.testing.assert_allclose(ways[1][1:, before], ways[0][1:, before], rtol=0, atol=0.03)
    stored = STREAM["shrunk"]["mean"][-1]
    assert ways[1][-1, first] == pytest.approx(stored[first], abs=0.06)
    assert ways[1][-1, own_row] > 0.9 < stored[own_row]


def test_shuffling_keeps_what_layers_consist_of(real):
    before, after = (own.model.state_dict() for own in (real, vectors.shuffled(real, 3)))
    for name, tensor in before.items():
        moved = tensor.dim() == 2 and name.startswith("encoder.")
        assert torch.equal(tensor, after[name]) != moved, name
        assert torch.equal(tensor.flatten().sort().values, after[name].flatten().sort().values)


def test_senses_have_the_margins_that_are_drawn(real):
    live, stored = vectors.margins_of(real), RECORD["senses"]["margins"]
    assert live.keys() == stored.keys()
    for word, margins in stored.items():
        np.testing.assert_allclose(live[word], margins, rtol=0, atol=0.003)
    right = np.mean([(np.array(own) > 0).mean(axis=(1, 2)) for own in stored.values()], axis=0)
    np.testing.assert_allclose(right[1:], RECORD["senses"]["right"][1:], rtol=0, atol=0.011)


@pytest.mark.thorough
def test_vectors_of_whole_texts(real):
    live, stored = vectors.whole_texts_of(real), RECORD["vectors"]["whole texts"]
    for name, own in stored.items():
        if isinstance(own, dict) and "cosine" in own:
            np.testing.assert_allclose(live[name]["cosine"], own["cosine"], atol=2e-3)
            np.testing.assert_allclose(live[name]["right"], own["right"], atol=0.011)
