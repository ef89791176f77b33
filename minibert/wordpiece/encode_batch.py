"""From rows of ids to a batch: truncate, pad, and check the arguments. Chapter 6."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from minibert.inputs import require_number

Batch = dict[str, Int[Tensor, "batch seq"]]


def truncate_pair(
    first: Sequence[int], second: Sequence[int], room: int
) -> tuple[Sequence[int], Sequence[int]]:
    """Cut the ends of two rows so that both fit in `room`: the longer row first.

    The shorter row keeps at most half of the room, rounded down; the longer one takes the rest.

    >>> truncate_pair([1, 2, 3, 4, 5], [6, 7], 5)
    ([1, 2, 3], [6, 7])
    """
    if len(first) + len(second) <= room:
        return first, second
    kept = min(len(first), len(second), room // 2)
    rest = room - kept
    if len(first) > len(second):
        return first[:rest], second[:kept]
    return first[:kept], second[:rest]


def pad_rows(rows: Sequence[tuple[list[int], list[int]]], pad_token_id: int) -> Batch:
    """Pad rows of ids to the longest of them and make them tensors."""
    length = max(len(ids) for ids, _ in rows)
    missing = [length - len(ids) for ids, _ in rows]
    columns = {
        "input_ids": [ids + [pad_token_id] * n for (ids, _), n in zip(rows, missing, strict=True)],
        "token_type_ids": [types + [0] * n for (_, types), n in zip(rows, missing, strict=True)],
        "attention_mask": [[1] * (length - n) + [0] * n for n in missing],
    }
    return {name: torch.tensor(column) for name, column in columns.items()}


def check_texts(
    texts: str | Sequence, pairs: str | Sequence | None
) -> tuple[list[str], Sequence[str | None]]:
    """Return lists of texts and of second texts, with one entry for each row."""
    texts, pairs = _listed(texts, "text"), None if pairs is None else _listed(pairs, "pair")
    if not texts:
        raise ValueError("there is no text; give at least one, '' for an empty one")
    if pairs is not None and len(pairs) != len(texts):
        raise ValueError(
            f"{len(texts)} texts and {len(pairs)} pairs do not fit; each text needs one pair"
        )
    return texts, [None] * len(texts) if pairs is None else pairs


def _listed(texts: Any, name: str) -> list[str]:
    """Return a list of one text or several; raise for what is no text."""
    alone = isinstance(texts, str | bytes) or not isinstance(texts, Iterable)
    listed: list[Any] = [texts] if alone else list(texts)
    for number, text in enumerate(listed):
        require_text(text, name if alone else f"{name} {number}")
    return listed


def require_text(text: object, name: str) -> None:
    """Raise unless something is a string."""
    if isinstance(text, str):
        return
    hint = "use '' for no text"
    if isinstance(text, bytes):
        hint = "decode it: .decode('utf-8')"
    elif isinstance(text, tuple):
        hint = "the texts of pairs go in two lists: tokenizer(first_texts, second_texts)"
    elif isinstance(text, Iterable):
        hint = "give one string; several go as a list to the tokenizer itself: tokenizer([…])"
    kind = type(text).__name__
    raise TypeError(f"{name} is {kind} ({text!r:.30}), not a string; {hint}")


def check_padding_options(
    padding: bool, truncation: bool, max_length: int | None, has_pairs: bool
) -> None:
    """Raise if the options of a batch contradict each other."""
    if padding not in (True, False):
        raise ValueError(f"padding is {padding!r}; it can be True, the longest row, or False")
    if max_length is None and truncation:
        raise ValueError("truncation needs a max_length; BERT takes at most 512 tokens")
    if max_length is not None:
        special, what = (3, "a pair") if has_pairs else (2, "a text")
        reason = f"; less has no room for the {special} special tokens that {what} has"
        require_number("max_length", max_length, special, why=reason)


def check_lengths(lengths: Sequence[int], padding: bool, max_length: int | None) -> None:
    """Raise if rows are too long, or cannot become one tensor."""
    longest = max(lengths)
    if max_length is not None and longest > max_length:
        raise ValueError(
            f"row {lengths.index(longest)} has {longest} tokens, more than max_length "
            f"({max_length}); cut it with truncation=True"
        )
    if not padding and min(lengths) < longest:
        raise ValueError(
            f"the rows have {min(lengths)} to {longest} tokens; without padding they must be "
            "equally long, so give padding=True or one text at a time"
        )
