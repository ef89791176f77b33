"""Folders that chance has damaged: a model comes out, or a sentence of ours."""

import json

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

from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.model import BertModel
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

pytestmark = pytest.mark.usefixtures("unchecked")  # what readers meet, without checks of types
REFUSALS = (ValueError, TypeError, OSError)


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
@pytest.mark.parametrize("name", [CONFIG, INDEX, "tokenizer_config.json"])
def test_odd_values_in_good_json(tmp_path, name):
    if name == INDEX:
        sharded_folder(tmp_path)
    else:
        tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "the"])
        save_pretrained(small_folder(tmp_path), tmp_path, tokenizer)
    fields = json.loads((tmp_path / name).read_text("utf-8"))
    extra = {"id2label": {"0": "a"}, "num_labels": 2} if name == CONFIG else {}
    for changed in odd_changes(fields | extra):
        (tmp_path / name).write_text(json.dumps(changed), encoding="utf-8")
        if name == "tokenizer_config.json":
            survives(lambda: load_tokenizer(tmp_path))
        else:
            survives(lambda: load_pretrained(BertModel, tmp_path))


@pytest.mark.slow
def test_odd_values_in_the_header_of_the_weights(tmp_path):
    small_folder(tmp_path)
    header, numbers = split(tmp_path / WEIGHTS)
    for changed in odd_changes(dict(list(header.items())[:3])):
        with_header(tmp_path / WEIGHTS, header | changed, numbers)
        survives(lambda: load_pretrained(BertModel, tmp_path))
