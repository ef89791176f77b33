"""The two encoders, and the small world's tellings cut into their pieces."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from bertbook.corpus import World, sample_tagged, small_world, untagged
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.wordpiece import WordPieceTokenizer


class Encoder(NamedTuple):
    """A model without its heads, and its tokenizer."""

    model: BertModel
    tokenizer: WordPieceTokenizer


class Telling(NamedTuple):
    """A story in words, the places of its words among the pieces, and what its words are."""

    story: int
    words: tuple[str, ...]
    senses: tuple[str, ...]
    sources: tuple[tuple[int, int], ...]
    pieces: tuple[range, ...]
    ids: tuple[int, ...]
    types: tuple[int, ...]


def rounded(values: object) -> float | list:
    """Keep four digits."""
    return np.round(np.asarray(values, dtype=float), 4).tolist()


def load(folder: Path, kind: type = BertModel) -> tuple:
    """Read a model and its tokenizer."""
    with override(fast_parts()):
        model = load_pretrained(kind, folder)
    return model.eval(), load_tokenizer(folder, do_lower_case=True)


def tell(encoder: Encoder, tellings: int, seed: int) -> list[Telling]:
    """Let every story of the small world be told a few times, and cut it into pieces."""
    rng, world, found = np.random.default_rng(seed), small_world(), []
    for number, story in enumerate(world.stories):
        places = list(chain.from_iterable(story.sentences))
        for told in sample_tagged(World(world.heroes, (story,)), tellings, rng=rng):
            tagged = list(chain.from_iterable(told))
            found.append(_cut(encoder.tokenizer, number, told, tagged, places))
    return found


def _cut(tokenizer, story, told, tagged, places) -> Telling:
    ids, types, pieces = [tokenizer.cls_token_id], [0], []
    for segment, sentence in enumerate(told):
        for word in sentence:
            own = tokenizer.encode(untagged(word))[1:-1]
            pieces.append(range(len(ids), len(ids) + len(own)))
            ids, types = [*ids, *own], [*types, *[segment] * len(own)]
        ids, types = [*ids, tokenizer.sep_token_id], [*types, segment]
    words = tuple(untagged(word) for word in tagged)
    sources = tuple((place.table, place.column) for place in places)
    meant = tuple(word.partition("/")[2] for word in tagged)
    return Telling(story, words, meant, sources, tuple(pieces), tuple(ids), tuple(types))


def pad(rows: Sequence[Telling], pad_token_id: int) -> dict[str, Tensor]:
    """Make one batch of all rows."""
    longest = max(len(row.ids) for row in rows)

    def fill(values: tuple[int, ...], filler: int) -> list[int]:
        return [*values, *[filler] * (longest - len(values))]

    return {
        "input_ids": torch.tensor([fill(row.ids, pad_token_id) for row in rows]),
        "token_type_ids": torch.tensor([fill(row.types, 0) for row in rows]),
        "attention_mask": torch.tensor([fill((1,) * len(row.ids), 0) for row in rows]),
    }


def batches(encoder: Encoder, rows: Sequence[Telling]) -> Iterator[tuple[list, dict]]:
    """Yield rows with their batch."""
    for start in range(0, len(rows), 32):
        part = list(rows[start : start + 32])
        yield part, pad(part, encoder.tokenizer.pad_token_id)
