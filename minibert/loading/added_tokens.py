"""Tokens added to a vocabulary, from any file of a folder that lists them. Chapter 15."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from minibert.wordpiece import SPECIAL_TOKENS
from minibert.wordpiece.added_tokens import AddedToken

from .files import locate, read_json, require_value
from .tokenizer_json import require_bert

ADDED, SPECIAL_MAP = "added_tokens.json", "special_tokens_map.json"
LISTS = ("additional_special_tokens", "extra_special_tokens")
FLAGS = ("single_word", "lstrip", "rstrip")

# A token, and the id that its file gives it, if any.
Numbered = tuple[AddedToken, int | None]


def read_added_tokens(
    folder: Path, path: Path, config: Mapping[str, Any], pieces: Sequence[str], whole: object
) -> list[AddedToken]:
    """Collect the tokens that a folder adds to its pieces, in the order of their ids.

    ``added_tokens_decoder`` in the ``tokenizer_config.json`` lists them all; without it
    ``added_tokens.json``, ``special_tokens_map.json`` and ``tokenizer.json`` do.
    """
    tokens: dict[str, Numbered] = {}
    decoder = config.get("added_tokens_decoder")
    if decoder is not None:
        sources = [*_decoded(path, decoder), *_listed(path, config)]
    else:
        of_names = locate(folder, SPECIAL_MAP)
        names = read_json(of_names) if of_names.is_file() else {}
        require_bert(of_names, names)
        special = [*_listed(path, config), *_listed(of_names, names)]
        known = {token.content for token, _ in special}
        sources = [*_whole(folder, whole), *_plain(folder / ADDED, known), *special]
    for token, number in sources:
        tokens.setdefault(token.content, (token, number))
    return _in_order(path, [*tokens.values()], pieces)


def _decoded(path: Path, decoder: object) -> Iterator[Numbered]:
    """Yield the tokens of an object from ids to tokens with their properties."""
    if not isinstance(decoder, dict) or not all(str(key).isdecimal() for key in decoder):
        raise ValueError(f"{str(path)!r}: added_tokens_decoder is no object from ids to tokens")
    for key, fields in decoder.items():
        yield token_of(path, fields), int(key)


def _listed(path: Path, fields: Mapping[str, Any]) -> Iterator[Numbered]:
    """Yield the special tokens that stand in a list, without ids."""
    for key in LISTS:
        tokens = fields.get(key) or []
        if not isinstance(tokens, list):
            raise ValueError(f"{str(path)!r}: {key} {tokens!r:.60} is not supported; give a list")
        for token in tokens:
            fields_of_it = token if isinstance(token, dict) else {"content": token}
            yield token_of(path, {**fields_of_it, "special": True}), None


def _plain(path: Path, special: set[str]) -> Iterator[Numbered]:
    """Yield the tokens of an added_tokens.json: words, but for those that are special elsewhere."""
    for content, number in (read_json(path) if path.is_file() else {}).items():
        if type(number) is not int:
            raise ValueError(f"{str(path)!r}: the id of {content!r} is {number!r}, no number")
        is_special = content in special or content in SPECIAL_TOKENS
        yield AddedToken(content, is_special, normalized=not is_special), number


def _whole(folder: Path, tokens: object) -> Iterator[Numbered]:
    """Yield the added tokens of a tokenizer.json."""
    path = folder / "tokenizer.json"
    for fields in tokens if isinstance(tokens, list) else []:
        number = fields.get("id") if isinstance(fields, dict) else None
        yield token_of(path, fields), number if type(number) is int else None


def token_of(path: Path, fields: object) -> AddedToken:
    """Return a token with its properties; raise for those that are not supported."""
    fields = fields if isinstance(fields, dict) else {}
    content = fields.get("content")
    if not isinstance(content, str) or not content.strip():
        raise ValueError(f"{str(path)!r} has an added token without content ({fields!r:.60})")
    flags = FLAGS if content not in SPECIAL_TOKENS else (*FLAGS, "normalized")
    special = bool(fields.get("special", False))
    fields = {"normalized": not special, **fields}
    for flag in flags:
        require_value(path, f"{flag} of the added token {content}", fields.get(flag, False), False)
    return AddedToken(content, special, bool(fields["normalized"]))


def _in_order(path: Path, numbered: list[Numbered], pieces: Sequence[str]) -> list[AddedToken]:
    """Sort tokens by id; raise unless those that are no pieces follow the pieces without a gap."""
    ids = {piece: number for number, piece in enumerate(pieces)}
    tokens = sorted(numbered, key=lambda each: (each[1] is None, each[1] or 0))
    for token, number in tokens:
        expected = ids.setdefault(token.content, len(ids) if token.content not in ids else 0)
        if number not in (None, expected):
            raise ValueError(
                f"{str(path)!r}: the id of the added token {token.content!r} is {number}, but by "
                f"the {len(pieces)} pieces of the vocabulary it is {expected}; all files must come "
                "from one tokenizer"
            )
    return [token for token, _ in tokens if token.content not in SPECIAL_TOKENS]
