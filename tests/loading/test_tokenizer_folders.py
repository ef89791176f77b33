"""A tokenizer of a folder cuts as transformers' does, and says what it cannot do."""

import json

import pytest
import transformers
from bert_pairs import build, draw_config
from odd_texts import odd_texts
from saved_folders import change_json

from minibert.loading import load_tokenizer, save_pretrained
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.offsets import locate_pieces

PIECES = [*SPECIAL_TOKENS, *"aeionrstADÉé", *(f"##{c}" for c in "aeionrsté"), "the", "The", "##ing"]


@pytest.fixture(params=[True, False])
def folder(request, tmp_path):
    tokenizer = WordPieceTokenizer(PIECES, do_lower_case=request.param)
    save_pretrained(build(draw_config(3)), tmp_path, tokenizer)
    return tmp_path


def test_what_we_save_transformers_opens(folder):
    ours, theirs = load_tokenizer(folder), transformers.AutoTokenizer.from_pretrained(folder)
    lower = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))["do_lower_case"]
    assert ours.do_lower_case == lower
    assert type(theirs).__name__.startswith("BertTokenizer")
    assert theirs.model_max_length == draw_config(3).max_position_embeddings
    for text in ["The ÉTÉ resting", "A D é e\u0301", *odd_texts(200, seed=0)]:
        assert ours.encode(text) == theirs(text)["input_ids"], text


def test_someone_must_say_whether_capitals_count(folder):
    lower = load_tokenizer(folder).do_lower_case
    assert load_tokenizer(folder, do_lower_case=lower).do_lower_case == lower
    with pytest.raises(ValueError, match=f"do_lower_case as {lower}, the caller as {not lower}"):
        load_tokenizer(folder, do_lower_case=not lower)
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(ValueError, match="gives do_lower_case as None, the caller as None; say"):
        load_tokenizer(folder)
    for lower in (True, False):
        assert load_tokenizer(folder, do_lower_case=lower).do_lower_case == lower


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tokenizer_class", "RobertaTokenizer"), ("tokenizer_class", []),
        ("tokenize_chinese_chars", False), ("do_basic_tokenize", False), ("never_split", ["<s>"]),
        ("unk_token", "<unk>"), ("mask_token", {"content": "<mask>", "lstrip": True}),
        ("do_lower_case", "yes"), ("do_lower_case", 1), ("strip_accents", "some"),
    ],
)  # fmt: skip
def test_another_way_of_cutting_is_refused(folder, key, value):
    change_json(folder / "tokenizer_config.json", **{key: value})
    with pytest.raises(ValueError, match=key):
        load_tokenizer(folder)


@pytest.mark.parametrize("strip", [True, False, None])
@pytest.mark.parametrize("whole", [True, False])
def test_accents_may_stay_where_capitals_go_and_the_other_way_round(folder, strip, whole):
    change_json(folder / "tokenizer_config.json", strip_accents=strip)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = load_tokenizer(folder)
    if whole:
        theirs.save_pretrained(folder)
        (folder / "vocab.txt").unlink()
        assert load_tokenizer(folder).strip_accents == ours.strip_accents
    for text in ["CAFÉ ü É e\u0301", "İstanbul ΟΔΟΣ ǅ", *odd_texts(300, seed=1)]:
        assert ours.encode(text) == theirs(text)["input_ids"], text
        offsets = theirs(text, return_offsets_mapping=True)["offset_mapping"][1:-1]
        assert [(p.start, p.end) for p in locate_pieces(ours, text)] == offsets, text
    save_pretrained(build(draw_config(3)), folder / "again", ours)
    again = load_tokenizer(folder / "again")
    assert (again.do_lower_case, again.strip_accents) == (ours.do_lower_case, ours.strip_accents)


@pytest.mark.parametrize("name", ["DistilBertTokenizer", "ElectraTokenizerFast"])
def test_a_member_of_the_family_with_the_same_tokenizer(folder, name):
    change_json(folder / "tokenizer_config.json", tokenizer_class=name)
    assert load_tokenizer(folder).pieces == tuple(PIECES)


def test_a_special_token_may_have_properties_and_the_vocabulary_must_fit_the_model(folder):
    mask = {"content": "[MASK]", "lstrip": False, "__type": "AddedToken"}
    change_json(folder / "tokenizer_config.json", mask_token=mask, never_split=[])
    assert load_tokenizer(folder).pieces == tuple(PIECES)
    change_json(folder / "config.json", vocab_size=len(PIECES) - 1)
    message = f"has {len(PIECES)} pieces, but the model knows only {len(PIECES) - 1}"
    with pytest.raises(ValueError, match=message):
        load_tokenizer(folder)
    change_json(folder / "config.json", vocab_size=len(PIECES))
    assert load_tokenizer(folder).vocab_size == len(PIECES)
