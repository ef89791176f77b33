"""The tokenizer of a folder: its pieces, and whether it drops capitals and accents. Chapter 15."""

from pathlib import Path
from typing import Any

from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.added_tokens import AddedToken
from minibert.wordpiece.vocabulary import read_pieces

from .added_tokens import FLAGS, read_added_tokens
from .files import CONFIG, find_folder, locate, read_json, require_length
from .tokenizer_json import REQUIRED_VALUES, WHOLE, read_tokenizer_json, require_bert

VOCABULARY, TOKENIZER = "vocab.txt", "tokenizer_config.json"


def load_tokenizer(
    directory: str | Path, *, do_lower_case: bool | None = None
) -> WordPieceTokenizer:
    """Return the tokenizer of a folder in Hugging Face's layout.

    The pieces are in ``vocab.txt``, or else in ``tokenizer.json``. This file, or
    ``tokenizer_config.json``, says whether the model knows capitals and accents; if neither does,
    the caller must. Tokens that were added later are read from wherever they stand.

    Args:
        directory: A folder, or a name on the Hugging Face Hub, as for `load_pretrained`.
        do_lower_case: True for an uncased model, False for a cased one; must agree with the files.

    >>> import tempfile
    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> folder = Path(tempfile.mkdtemp())
    >>> WordPieceTokenizer([*SPECIAL_TOKENS, "cat"]).save(folder / "vocab.txt")
    >>> load_tokenizer(folder, do_lower_case=True).encode("Cat")
    [2, 5, 3]
    """
    folder = find_folder(directory)
    path, vocabulary = locate(folder, TOKENIZER), locate(folder, VOCABULARY)
    fields = read_json(path) if path.is_file() else {}
    require_bert(path, fields)
    if vocabulary.is_file():
        require_length(vocabulary)
        pieces, whole = read_pieces(vocabulary), {}
        lower, strip = _drops_capitals(path, fields, do_lower_case)
    elif (folder / WHOLE).is_file():
        pieces, whole = read_tokenizer_json(folder / WHOLE)
        require_bert(folder / WHOLE, whole)
        lower, strip = _drops_capitals(folder / WHOLE, whole, do_lower_case)
        _drops_capitals(path, fields, lower, WHOLE)
    else:
        raise FileNotFoundError(
            f"{str(folder)!r} has neither {VOCABULARY} nor {WHOLE}; get one of them from where the "
            "model comes from"
        )
    added = read_added_tokens(folder, path, fields, pieces, whole.get("added_tokens"))
    tokenizer = WordPieceTokenizer(pieces, lower, strip, added)
    if (config := locate(folder, CONFIG)).is_file():
        vocab_size = read_json(config).get("vocab_size")
        if isinstance(vocab_size, int) and tokenizer.vocab_size > vocab_size:
            raise ValueError(
                f"the tokenizer of {str(folder)!r} has {tokenizer.vocab_size} pieces, but the "
                f"model knows only {vocab_size}; they must come from one model"
            )
    return tokenizer


def _drops_capitals(
    path: Path, fields: dict[str, Any], do_lower_case: bool | None, owner: str = "the caller"
) -> tuple[bool, bool]:
    """Return whether capitals and accents go; raise if the files do not say, or disagree."""
    lower = fields.get("do_lower_case", do_lower_case)
    if not isinstance(lower, bool) or do_lower_case not in (lower, None):
        raise ValueError(
            f"{str(path)!r} gives do_lower_case as {fields.get('do_lower_case')}, {owner} as "
            f"{do_lower_case}; say do_lower_case=True for an uncased model, False for a cased one"
        )
    strip = fields.get("strip_accents")
    if strip is not None and not isinstance(strip, bool):
        raise ValueError(
            f"{str(path)!r} gives strip_accents as {strip!r}; it must be true, false or null"
        )
    return lower, lower if strip is None else strip


def describe_tokenizer(tokenizer: WordPieceTokenizer, model_max_length: int) -> dict[str, Any]:
    """Return the fields of Hugging Face's tokenizer_config.json for a tokenizer."""
    tokens = {key: values[0] for key, values in REQUIRED_VALUES.items() if key.endswith("_token")}
    same = tokenizer.strip_accents == tokenizer.do_lower_case
    fields: dict[str, Any] = {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": tokenizer.do_lower_case,
        "model_max_length": model_max_length,
        "strip_accents": None if same else tokenizer.strip_accents,
        "tokenize_chinese_chars": True,
        **tokens,
    }
    if tokenizer.added_tokens:
        each_token = [*map(AddedToken, SPECIAL_TOKENS), *tokenizer.added_tokens]
        flags = dict.fromkeys(FLAGS, False)
        fields["added_tokens_decoder"] = {
            str(tokenizer.vocab[token.content]): token._asdict() | flags for token in each_token
        }
    return fields
