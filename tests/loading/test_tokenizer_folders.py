"""A tokenizer of a folder, in whichever files, cuts as transformers' does, or is refused."""

import json
import random
import re
from pathlib import Path

import pytest
import transformers
from bert_pairs import build, draw_config
from odd_texts import odd_texts, odd_vocabulary
from saved_folders import change_json, in_our_words

from minibert.loading import load_tokenizer, save_pretrained
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.added_tokens import AddedToken
from minibert.wordpiece.offsets import locate_pieces

PIECES = [
    *(*SPECIAL_TOKENS, *"aceimnorstuxADÉé中", *(f"##{c}" for c in "aceimnorstuxé")),
    *("the", "The", "##ing", "cat"),
]
END = len(PIECES)
CONFIG, WHOLE = "tokenizer_config.json", "tokenizer.json"
TABLES = json.loads(Path(__file__).with_name("tokenizers.json").read_text("utf-8"))
FORMS, IDLE, REFUSED, OTHERS = TABLES.values()
# transformers 4 wrote such folders and read [ENT] as special; 5 does not, and finds [ent] as well.
BY_ITS_WRITER = "old and special"


def write_folder(folder, files, lower=True):
    """Write vocab.txt, the configuration, and what else is given, by its name."""
    WordPieceTokenizer(PIECES).save(folder / "vocab.txt")
    plain = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}
    files = (
        {"config.json": {"model_type": "bert"}} | files | {CONFIG: plain | files.get(CONFIG, {})}
    )
    for name, fields in files.items():
        (folder / name).write_text(json.dumps(fields), encoding="utf-8")


def write_whole(folder, pieces, lower):
    """Let transformers save a tokenizer: tokenizer.json and its configuration, no vocab.txt."""
    WordPieceTokenizer(pieces).save(folder / "vocab.txt")
    theirs = transformers.BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=lower)
    theirs.save_pretrained(folder)
    (folder / "vocab.txt").unlink()
    return theirs


@pytest.fixture
def whole(tmp_path):
    """A folder with tokenizer.json and nothing else."""
    write_whole(tmp_path, PIECES, lower=True)
    (tmp_path / CONFIG).unlink()
    return tmp_path


@pytest.fixture(params=[True, False])
def folder(request, tmp_path):
    """A folder as we save it."""
    tokenizer = WordPieceTokenizer(PIECES, do_lower_case=request.param)
    save_pretrained(build(draw_config(3, vocab_size=60)), tmp_path, tokenizer)
    return tmp_path


def same_ids_and_places(ours, theirs, text):
    """Fail unless two tokenizers cut a text alike, and find the pieces at the same places."""
    found = theirs(text, return_offsets_mapping=True)
    assert ours.encode(text) == found["input_ids"], text
    located = locate_pieces(ours, text)
    assert [piece.token_id for piece in located] == found["input_ids"][1:-1], text
    assert [(p.start, p.end) for p in located] == found["offset_mapping"][1:-1], text


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("config", [True, False])
def test_a_whole_tokenizer_of_transformers_is_read(tmp_path, lower, config):
    theirs = write_whole(tmp_path, odd_vocabulary(), lower)
    if not config:
        (tmp_path / CONFIG).unlink()
    ours = load_tokenizer(tmp_path)
    assert ours.do_lower_case == lower
    texts = odd_texts(600, seed=2)
    for text, other in zip(texts, reversed(texts), strict=True):
        assert ours.encode(text) == theirs(text)["input_ids"], text
        expected, pair = theirs(text, other), ours([text], [other])
        assert pair["input_ids"].tolist() == [expected["input_ids"]]
        assert pair["token_type_ids"].tolist() == [expected["token_type_ids"]]


@pytest.mark.parametrize("strip", [True, False, None])
@pytest.mark.parametrize("one_file", [True, False])
def test_what_we_save_transformers_opens_whether_or_not_accents_go(folder, strip, one_file):
    change_json(folder / CONFIG, strip_accents=strip)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    assert type(theirs).__name__.startswith("BertTokenizer")
    assert theirs.model_max_length == draw_config(3).max_position_embeddings
    ours = load_tokenizer(folder)
    assert ours.do_lower_case == json.loads((folder / CONFIG).read_text("utf-8"))["do_lower_case"]
    if one_file:
        theirs.save_pretrained(folder)
        (folder / "vocab.txt").unlink()
        assert load_tokenizer(folder).strip_accents == ours.strip_accents
    for text in ["The CAFÉ ü É e\u0301", "İstanbul ΟΔΟΣ ǅ", *odd_texts(300, seed=1)]:
        same_ids_and_places(ours, theirs, text)
    save_pretrained(build(draw_config(3, vocab_size=60)), folder / "again", ours)
    again = load_tokenizer(folder / "again")
    assert (again.do_lower_case, again.strip_accents) == (ours.do_lower_case, ours.strip_accents)


@pytest.mark.parametrize("changes", IDLE)
def test_what_changes_nothing_may_be_said(folder, changes):
    change_json(folder / CONFIG, **changes)
    assert load_tokenizer(folder).pieces == tuple(PIECES)


def test_someone_must_say_whether_capitals_count(folder):
    lower = load_tokenizer(folder).do_lower_case
    assert load_tokenizer(folder, do_lower_case=lower).do_lower_case == lower
    with pytest.raises(ValueError, match=f"do_lower_case as {lower}, the caller as {not lower}"):
        load_tokenizer(folder, do_lower_case=not lower)
    (folder / CONFIG).unlink()
    with pytest.raises(ValueError, match="gives do_lower_case as None, the caller as None; say"):
        load_tokenizer(folder)
    for lower in (True, False):
        assert load_tokenizer(folder, do_lower_case=lower).do_lower_case == lower


def test_everyone_must_agree_on_capitals(whole):
    assert load_tokenizer(whole, do_lower_case=True).do_lower_case
    with pytest.raises(ValueError, match=r"json' gives do_lower_case as True, the caller as False"):
        load_tokenizer(whole, do_lower_case=False)
    (whole / CONFIG).write_text('{"do_lower_case": false}')
    with pytest.raises(ValueError, match=r"do_lower_case as False, tokenizer\.json as True"):
        load_tokenizer(whole)


def test_pieces_may_stand_in_any_order_and_vocab_txt_comes_first(whole):
    model = json.loads((whole / WHOLE).read_text("utf-8"))["model"]
    change_json(whole / WHOLE, model=model | {"vocab": dict(reversed(model["vocab"].items()))})
    assert list(load_tokenizer(whole).pieces) == PIECES
    WordPieceTokenizer([*SPECIAL_TOKENS, "other"]).save(whole / "vocab.txt")
    assert load_tokenizer(whole, do_lower_case=True).pieces[-1] == "other"
    (whole / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"neither vocab\.txt nor tokenizer\.json") as e:
        load_tokenizer(whole / "empty")
    in_our_words(e.value)


def texts_with(tokens, ways):
    """Mix odd texts with the tokens, in all capitals, with and without spaces."""
    rng = random.Random(0)
    for text in odd_texts(150, seed=4):
        words = [text[: rng.randint(0, len(text))]]
        for _ in range(rng.randint(1, 4)):
            words += [rng.choice(ways)(rng.choice(tokens)), rng.choice(["", "a", "cat", "!", "É"])]
        yield rng.choice(["", " "]).join(words)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_added_tokens_are_those_of_transformers_and_survive_saving(tmp_path, form, lower):
    write_folder(tmp_path, FORMS[form], lower)
    ours, theirs = load_tokenizer(tmp_path), transformers.AutoTokenizer.from_pretrained(tmp_path)
    added = [token.content for token in ours.added_tokens]
    assert added and set(added) <= theirs.get_vocab().keys()
    assert ours.vocab_size == len(theirs)
    if form == BY_ITS_WRITER:
        assert [token.special for token in ours.added_tokens] == [True, False]
    theirs.save_pretrained(tmp_path / "whole")
    assert not (tmp_path / "whole" / "vocab.txt").exists()
    save_pretrained(build(draw_config(3, vocab_size=END + 3)), tmp_path / "ours", ours)
    for other in ("ours",) if form == BY_ITS_WRITER else ("ours", "whole"):
        again = load_tokenizer(tmp_path / other)
        assert (again.pieces, again.added_tokens) == (ours.pieces, ours.added_tokens)
    reopened = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    ways = (str,) if form == BY_ITS_WRITER else (str, str.upper, str.lower, str.title)
    for text in texts_with(added, ways):
        same_ids_and_places(ours, theirs, text)
        assert reopened(text)["input_ids"] == ours.encode(text), text


@pytest.mark.usefixtures("unchecked")
def test_decoding_skips_added_tokens_that_are_special():
    tokens = [AddedToken("<user>"), AddedToken("moom", special=False)]
    tokenizer = WordPieceTokenizer(PIECES, added_tokens=tokens)
    ids = tokenizer.encode("the <user> cat moom")
    assert tokenizer.decode(ids, skip_special_tokens=True) == "the cat moom"
    with pytest.raises(TypeError, match=r"an added token is '<user>'; give AddedToken\('<user>'\)"):
        WordPieceTokenizer(PIECES, added_tokens=["<user>"])


@pytest.mark.parametrize(("files", "words"), REFUSED)
def test_what_is_not_supported_is_refused(tmp_path, files, words):
    write_folder(tmp_path, files)
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        load_tokenizer(tmp_path)
    in_our_words(caught.value)


@pytest.mark.parametrize(("place", "value"), OTHERS)
def test_another_whole_tokenizer_is_refused(whole, place, value):
    owner = fields = json.loads((whole / WHOLE).read_text(encoding="utf-8"))
    *way, last = (int(key) if key.isdigit() else key for key in place.split("."))
    for key in way:
        owner = owner[key]
    assert owner[last] != value
    owner[last] = value
    (whole / WHOLE).write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(ValueError, match=r"tokenizer\.json'") as caught:
        load_tokenizer(whole)
    in_our_words(caught.value)
