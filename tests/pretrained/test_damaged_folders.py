"""Folders that chance has damaged: a model comes out, or a sentence of ours."""

import json
import random
import struct

import pytest
import torch
from saved_folders import (
    CONFIG,
    INDEX,
    WEIGHTS,
    in_our_words,
    sharded_folder,
    small_folder,
    split,
    with_header,
)

from minibert.model import BertModel
from minibert.pretrained import load_pretrained, load_tokenizer, save_pretrained
from minibert.pretraining import BertForMaskedLM
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

pytestmark = pytest.mark.usefixtures("unchecked")  # what readers meet, without checks of types
REFUSALS = (ValueError, TypeError, OSError)


def mutate(text: bytes, rng: random.Random) -> bytes:
    """Change, drop, double or insert a few bytes, or exchange a number or a word for another."""
    changed = bytearray(text)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place, end = sorted(rng.randrange(len(changed) + 1) for _ in range(2))
        end = min(end, place + rng.choice([1, 1, 2, 8, 40]))
        changed[place:end] = rng.choice(
            [
                bytes([rng.randrange(256)]),
                bytes(rng.randrange(256) for _ in range(end - place)),
                b"",
                bytes(changed[place:end]) * 2,
                rng.choice([b'"', b"{", b"[", b"}", b",", b":", b"-", b"0", b"9", b"e9", b"\\u"]),
                rng.choice([b"null", b"true", b"[]", b"{}", b'"F16"', b"1e999", b"9" * 30]),
                rng.choice([b"../", b"/", b"\0", b"\xff", b"\\ud800", b"NaN"]),
            ]
        )
    return bytes(changed)


def survives(load) -> bool:
    """Load a folder that may be damaged: a model comes out, or a sentence of ours."""
    try:
        found = load()
    except REFUSALS as error:
        in_our_words(error)
        return False
    if isinstance(found, torch.nn.Module):
        assert not any(parameter.is_meta for parameter in found.parameters())
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("name", "times"), [(CONFIG, 600), (INDEX, 400)])
def test_mutated_descriptions(tmp_path, name, times):
    rng = random.Random(name)
    sharded_folder(tmp_path)
    good = (tmp_path / name).read_bytes()
    opened = 0
    for _ in range(times):
        (tmp_path / name).write_bytes(mutate(good, rng))
        opened += survives(lambda: load_pretrained(BertModel, tmp_path))
    assert opened < times / 2


@pytest.mark.slow
def test_mutated_weights(tmp_path):
    rng = random.Random(0)
    small_folder(tmp_path, BertForMaskedLM)
    good = (tmp_path / WEIGHTS).read_bytes()
    end = 8 + struct.unpack("<Q", good[:8])[0]
    opened = 0
    for number in range(900):
        if number % 4:  # the length is right, the header is not
            header = mutate(good[8:end], rng)
            with_header(tmp_path / WEIGHTS, header, good[end:])
        else:
            (tmp_path / WEIGHTS).write_bytes(mutate(good[:end], rng) + good[end:])
        opened += survives(lambda: load_pretrained(BertForMaskedLM, tmp_path))
    assert opened < 450


@pytest.mark.slow
def test_mutated_tokenizers(tmp_path):
    rng = random.Random(1)
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the", "man", "##s"])
    save_pretrained(small_folder(tmp_path), tmp_path, tokenizer)
    for name in ("tokenizer_config.json", "vocab.txt"):
        good = (tmp_path / name).read_bytes()
        for _ in range(200):
            (tmp_path / name).write_bytes(mutate(good, rng))
            survives(lambda: load_tokenizer(tmp_path))
        (tmp_path / name).write_bytes(good)
    assert load_tokenizer(tmp_path).pieces == tokenizer.pieces


ODD = [
    None, True, -1, 0, 1, 2.5, 1e308, float("nan"), 10**30, "", "x", "gelu", [], [8], {}, {"a": 1},
]  # fmt: skip


def odd_changes(fields):
    """Put each odd value in the place of each value of a JSON object, and of those inside it."""
    for key, value in fields.items():
        for odd in ODD:
            yield fields | {key: odd}
        if isinstance(value, dict):
            yield from (fields | {key: inner} for inner in odd_changes(value))


@pytest.mark.slow
def test_odd_values_in_good_json(tmp_path):
    folder = tmp_path / "folder"
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the"])
    save_pretrained(small_folder(folder), folder, tokenizer)
    loads = {CONFIG: lambda: load_pretrained(BertModel, folder)}
    loads["tokenizer_config.json"] = lambda: load_tokenizer(folder)
    for name, load in loads.items():
        good = (folder / name).read_text("utf-8")
        extra = {"id2label": {"0": "a"}, "num_labels": 2} if name == CONFIG else {}
        for fields in odd_changes(json.loads(good) | extra):
            (folder / name).write_text(json.dumps(fields), encoding="utf-8")
            survives(load)
        (folder / name).write_text(good, encoding="utf-8")
    header, numbers = split(folder / WEIGHTS)
    first = dict(list(header.items())[:3])
    for changed in odd_changes(first):
        with_header(folder / WEIGHTS, header | changed, numbers)
        survives(loads[CONFIG])
