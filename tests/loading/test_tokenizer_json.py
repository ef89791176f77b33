"""A folder with tokenizer.json alone, as transformers saves it: opened, or refused in words."""

import copy
import json

import pytest
import tokenizers
import transformers
from odd_texts import odd_texts, odd_vocabulary
from saved_folders import change_json, in_our_words

from minibert.loading import load_tokenizer
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

PIECES = [*SPECIAL_TOKENS, *"aeinrstADÉ", *(f"##{c}" for c in "aeinrst"), "the", "The", "中"]


def save_theirs(folder, pieces=PIECES, **options):
    """Let transformers save a tokenizer; without vocab.txt."""
    WordPieceTokenizer(pieces).save(folder / "vocab.txt")
    theirs = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"), **options)
    theirs.save_pretrained(folder)
    (folder / "vocab.txt").unlink()
    return theirs


@pytest.fixture
def folder(tmp_path):
    """A folder with tokenizer.json and nothing else."""
    save_theirs(tmp_path, do_lower_case=True)
    (tmp_path / "tokenizer_config.json").unlink()
    return tmp_path


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("config", [True, False])
def test_ids_equal_theirs_on_odd_texts(tmp_path, lower, config):
    theirs = save_theirs(tmp_path, odd_vocabulary(), do_lower_case=lower)
    if not config:
        (tmp_path / "tokenizer_config.json").unlink()
    ours = load_tokenizer(tmp_path)
    assert ours.do_lower_case == lower
    texts = odd_texts(600, seed=2)
    for text, other in zip(texts, reversed(texts), strict=True):
        assert ours.encode(text) == theirs(text)["input_ids"], text
        expected = theirs(text, other)
        pair = ours([text], [other])
        assert pair["input_ids"].tolist() == [expected["input_ids"]]
        assert pair["token_type_ids"].tolist() == [expected["token_type_ids"]]


def test_the_older_post_processor_is_the_same(folder):
    ids = {"sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}
    change_json(folder / "tokenizer.json", post_processor={"type": "BertProcessing", **ids})
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert load_tokenizer(folder).encode("the 中") == theirs.encode("the 中").ids
    ids["sep"] = ["[SEP]", 4]
    change_json(folder / "tokenizer.json", post_processor={"type": "BertProcessing", **ids})
    with pytest.raises(ValueError, match=r"post_processor\.type 'BertProcessing'"):
        load_tokenizer(folder)


def test_pieces_may_stand_in_any_order(folder):
    path = folder / "tokenizer.json"
    whole = json.loads(path.read_text("utf-8"))
    ids = whole["model"]["vocab"]
    change_json(path, model=whole["model"] | {"vocab": dict(reversed(ids.items()))})
    assert list(load_tokenizer(folder).pieces) == PIECES


def test_vocab_txt_comes_first_and_neither_file_is_an_error(folder):
    (folder / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"neither vocab\.txt nor tokenizer\.json") as e:
        load_tokenizer(folder / "empty")
    in_our_words(e.value)
    WordPieceTokenizer([*SPECIAL_TOKENS, "other"]).save(folder / "vocab.txt")
    assert load_tokenizer(folder, do_lower_case=True).pieces[-1] == "other"


def test_everyone_must_agree_on_capitals(folder):
    assert load_tokenizer(folder, do_lower_case=True).do_lower_case
    with pytest.raises(ValueError, match=r"json' gives do_lower_case as True, the caller as False"):
        load_tokenizer(folder, do_lower_case=False)
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    with pytest.raises(ValueError, match=r"do_lower_case as False, tokenizer\.json as True"):
        load_tokenizer(folder)


REFUSED = {  # what stands where
    "model.type": ["BPE"],
    "model": ["WordPiece"],
    "model.max_input_chars_per_word": [200],
    "model.vocab": [[], {}],
    "model.vocab.the": [1, True, 99],
    "model.vocab.[MASK]": [...],
    "normalizer": [None],
    "normalizer.clean_text": [False],
    "normalizer.lowercase": [None],
    "normalizer.handle_chinese_chars": [False],
    "normalizer.strip_accents": ["no"],
    "pre_tokenizer.type": ["ByteLevel"],
    "post_processor.type": ["RobertaProcessing"],
    "post_processor.single": [[]],
    "post_processor.pair": [None],
    "post_processor.special_tokens.[CLS].ids": [[4]],
    "post_processor.special_tokens.[SEP]": [None],
    "added_tokens": [3],
    "added_tokens.4.content": ["<new>"],
    "added_tokens.4.id": [99],
    "added_tokens.0.normalized": [True],
    "added_tokens.4.lstrip": [True],
}


def change_inside(path, place, value):
    """Set a value deep inside a JSON file; an ellipsis takes it away."""
    fields = json.loads(path.read_text(encoding="utf-8"))
    *way, last = (int(key) if key.isdigit() else key for key in place.split("."))
    owner = fields
    for key in way:
        owner = owner[key]
    before = copy.deepcopy(owner[last])
    owner[last] = value
    if value is ...:
        del owner[last]
    path.write_text(json.dumps(fields), encoding="utf-8")
    assert value is ... or value != before


@pytest.mark.parametrize(
    ("place", "value"), [(place, value) for place, values in REFUSED.items() for value in values]
)
def test_another_tokenizer_is_refused(folder, place, value):
    change_inside(folder / "tokenizer.json", place, value)
    with pytest.raises(ValueError, match=r"tokenizer\.json'") as caught:
        load_tokenizer(folder)
    in_our_words(caught.value)
