"""Tokens added to a vocabulary, in whichever file they stand: the ids are those of transformers."""

import json
import random

import pytest
import transformers
from bert_pairs import build, draw_config
from odd_texts import odd_texts
from saved_folders import change_json, in_our_words

from minibert.loading import load_tokenizer, save_pretrained
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.added_tokens import AddedToken
from minibert.wordpiece.offsets import locate_pieces

PIECES = [*SPECIAL_TOKENS, *"aceimnorstuxADÉ", *(f"##{c}" for c in "aceimnorstux"), "the", "cat"]
END = len(PIECES)


def flags(content, special=True, **more):
    plain = dict.fromkeys(("lstrip", "rstrip", "single_word"), False)
    return {"content": content, **plain, "normalized": not special, "special": special} | more


def decoder(*tokens, five=True):
    its = {str(END + number): token for number, token in enumerate(tokens)}
    return {"added_tokens_decoder": (five_of_every_bert() if five else {}) | its}


def five_of_every_bert():
    return {str(n): flags(c) for n, c in enumerate(SPECIAL_TOKENS)}


CONFIG, ADDED, MAP = "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json"
FORMS = {
    "special": {CONFIG: decoder(flags("<user>"), flags("<end>"))},
    "only the new ones": {CONFIG: decoder(flags("<user>"), five=False)},
    "a word": {CONFIG: decoder(flags("moom", special=False))},
    "capitals and accents": {CONFIG: decoder(flags("Moñ", special=False), flags("É!"))},
    "one in another": {CONFIG: decoder(flags("<a>"), flags("<a>x"), flags("a>", special=False))},
    "a piece": {CONFIG: {"added_tokens_decoder": {str(END - 1): flags("cat")}}},
    "Chinese": {CONFIG: decoder(flags("中国", special=False), flags("学"))},
    "words that are not normalized": {CONFIG: decoder(flags("Sat", False, normalized=False))},
    "special and normalized": {CONFIG: decoder(flags("[ENT]", normalized=True))},
    "old": {ADDED: {"[ENT]": END, "moom": END + 1}},
    "old and special": {
        ADDED: {"[ENT]": END, "moom": END + 1},
        MAP: {"additional_special_tokens": ["[ENT]"], "mask_token": "[MASK]"},
    },
    "a list alone": {CONFIG: {"additional_special_tokens": ["<user>", "<end>"]}},
    "a list of today": {CONFIG: {"extra_special_tokens": ["<user>"]}},
    "a map alone": {MAP: {"additional_special_tokens": ["<user>"]}},
}


# transformers 4 wrote such folders and read [ENT] as special; 5 does not, and finds [ent] as well.
BY_ITS_WRITER = "old and special"


def write_folder(folder, form, lower=True):
    WordPieceTokenizer(PIECES).save(folder / "vocab.txt")
    (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    plain = {"tokenizer_class": "BertTokenizer", "do_lower_case": lower}
    for name, fields in ({CONFIG: {}} | form).items():
        fields = plain | fields if name == CONFIG else fields
        (folder / name).write_text(json.dumps(fields), encoding="utf-8")


def texts_with(tokens, number=150, ways=(str, str.upper, str.lower, str.title)):
    """Mix odd texts with the tokens, in all capitals, with and without spaces."""
    rng = random.Random(0)
    for text in odd_texts(number, seed=4):
        words = [text[: rng.randint(0, len(text))]]
        for _ in range(rng.randint(1, 4)):
            words += [rng.choice(ways)(rng.choice(tokens)), rng.choice(["", "a", "cat", "!", "É"])]
        yield rng.choice(["", " "]).join(words)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_ids_are_those_of_transformers(tmp_path, form, lower):
    write_folder(tmp_path, FORMS[form], lower)
    ours = load_tokenizer(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    added = [token.content for token in ours.added_tokens]
    assert added and set(added) <= theirs.get_vocab().keys()
    assert ours.vocab_size == len(theirs)
    ways = {"ways": (str,)} if form == BY_ITS_WRITER else {}
    for text in texts_with(added, **ways):
        assert ours.encode(text) == theirs(text)["input_ids"], text
        ids = ours.encode(text)
        offsets = theirs(text, return_offsets_mapping=True)["offset_mapping"][1:-1]
        located = locate_pieces(ours, text)
        assert [piece.token_id for piece in located] == ids[1:-1], text
        assert [(piece.start, piece.end) for piece in located] == offsets, text


@pytest.mark.parametrize("form", FORMS)
def test_the_answer_is_the_same_from_either_file_and_after_saving(tmp_path, form):
    write_folder(tmp_path, FORMS[form])
    before = load_tokenizer(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    theirs.save_pretrained(tmp_path / "whole")
    assert not (tmp_path / "whole" / "vocab.txt").exists()
    (tmp_path / "whole" / "tokenizer_config.json").unlink()
    config = draw_config(3, vocab_size=before.vocab_size + 3)
    save_pretrained(build(config), tmp_path / "ours", before)
    for folder in ("ours",) if form == BY_ITS_WRITER else ("ours", "whole"):
        again = load_tokenizer(tmp_path / folder)
        assert again.pieces == before.pieces
        assert again.added_tokens == before.added_tokens
    reopened = transformers.AutoTokenizer.from_pretrained(tmp_path / "ours")
    for text in texts_with([token.content for token in before.added_tokens], 50):
        assert reopened(text)["input_ids"] == before.encode(text), text


REFUSED = {
    "single_word of the added token <user>": {CONFIG: decoder(flags("<user>", single_word=True))},
    "lstrip of the added token <user>": {CONFIG: decoder(flags("<user>", lstrip=True))},
    "added_tokens_decoder is no object": {CONFIG: {"added_tokens_decoder": ["<user>"]}},
    "added token without content": {CONFIG: {"added_tokens_decoder": {"5": {"special": True}}}},
    f"'<b>' is {END + 3}, but by the {END} pieces of the vocabulary it is {END}": {
        ADDED: {"<b>": END + 3}
    },
    "'the' is 99, but by": {ADDED: {"the": 99}},
    "mask_token '<mask>' is not supported": {MAP: {"mask_token": "<mask>"}},
    "the id of '<b>' is 'x', no number": {ADDED: {"<b>": "x"}},
    "give a list": {CONFIG: {"additional_special_tokens": "<b>"}},
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_not_supported_is_refused(tmp_path, words):
    write_folder(tmp_path, REFUSED[words])
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        load_tokenizer(tmp_path)
    assert words in in_our_words(caught.value)


def test_a_model_without_a_row_for_an_added_token(tmp_path):
    write_folder(tmp_path, FORMS["special"])
    change_json(tmp_path / "config.json", vocab_size=END)
    with pytest.raises(ValueError, match=f"has {END + 2} pieces, but the model knows only {END}"):
        load_tokenizer(tmp_path)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("tokens", "error", "words"),
    [
        (["<user>"], TypeError, r"an added token is '<user>'; give AddedToken\('<user>'\)"),
        ([AddedToken(" ")], ValueError, "' ' is empty"),
        ([AddedToken("<a>")] * 2, ValueError, "'<a>' is given twice"),
    ],
)
def test_tokens_that_cannot_be_added(tokens, error, words):
    with pytest.raises(error, match=words):
        WordPieceTokenizer(PIECES, added_tokens=tokens)


def test_decoding_skips_added_tokens_that_are_special():
    tokens = [AddedToken("<user>"), AddedToken("moom", special=False)]
    tokenizer = WordPieceTokenizer(PIECES, added_tokens=tokens)
    ids = tokenizer.encode("the <user> cat moom")
    assert tokenizer.decode(ids, skip_special_tokens=True) == "the cat moom"
