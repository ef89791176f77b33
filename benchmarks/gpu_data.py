"""What ``benchmarks.gpu`` trains: rows of random words, as batches of each kind, and models."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor, nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import (
    FAST_PARTS,
    LowPrecisionLayerNorm,
    PackedMaskedLM,
    PackedShape,
    UnpaddedSelfAttention,
    pack,
)
from minibert.fast.packed import plain_word_loss
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, score_words

from .gpu_candidates import OneProductSelfAttention, aligned_word_loss, chunked_word_loss

Row = dict[str, Tensor]
FAST = {kind: FAST_PARTS[kind] for kind in (BertSelfAttention, nn.Dropout, score_words)}
LOW = {nn.LayerNorm: LowPrecisionLayerNorm}
PACKED = {BertSelfAttention: UnpaddedSelfAttention}
ONE_PRODUCT = {BertSelfAttention: OneProductSelfAttention}
SHARE, SPECIAL = 0.15, 5  # labels; ids that are no words


class Way(NamedTuple):
    """One way to train; what is not named is as in the plain one."""

    parts: Mapping[Callable, Callable] = {}
    batch: str = "padded"  # or "placed": full rows, places of labels named; or "packed"
    compiled: str = ""  # a mode of torch.compile
    attention_dropout: float = 0.1
    word_loss: Callable[..., Tensor] = plain_word_loss  # of packed and placed batches
    theirs: bool = False


QUIET = {"batch": "packed", "attention_dropout": 0.0}  # the recipe of MosaicBERT
FULL_ROWS = {
    "transformers, SDPA": Way(theirs=True),
    "transformers, compiled": Way(theirs=True, compiled="default"),
    "plain parts": Way(),
    "fast parts": Way(FAST),
    "fast, LayerNorm in bfloat16": Way(FAST | LOW),
    "fast, compiled": Way(FAST, "placed", "default"),
    "fast, LayerNorm in bfloat16, compiled": Way(FAST | LOW, "placed", "default"),
    "packed, no attention dropout": Way(FAST | LOW | PACKED, **QUIET),
    "packed, compiled": Way(FAST | LOW | PACKED, compiled="default", **QUIET),
    "packed, one product, compiled": Way(
        FAST | LOW | ONE_PRODUCT, compiled="default", **QUIET
    ),
    "packed, one product, vocabulary padded, compiled": Way(
        FAST | LOW | ONE_PRODUCT, compiled="default", word_loss=aligned_word_loss, **QUIET
    ),
    "packed, loss in chunks": Way(
        FAST | LOW | PACKED, word_loss=chunked_word_loss, **QUIET
    ),
}  # fmt: skip
RAGGED = {
    name: FULL_ROWS[name]
    for name in (
        "transformers, SDPA", "fast parts", "packed, no attention dropout", "packed, compiled",
    )
}  # fmt: skip
FEW_ROWS = {
    "transformers, SDPA": FULL_ROWS["transformers, SDPA"],
    "fast, LayerNorm in bfloat16": FULL_ROWS["fast, LayerNorm in bfloat16"],
    "fast, compiled": FULL_ROWS["fast, LayerNorm in bfloat16, compiled"],
    "fast, compiled, CUDA graphs": Way(FAST | LOW, "placed", "reduce-overhead"),
}


class Size(NamedTuple):
    """A model, and the batch that it is trained on."""

    config: BertConfig
    rows: int
    longest: int
    ragged: bool
    ways: Mapping[str, Way]


SIZES = {
    "256 × 128": Size(BertConfig.base(), 256, 128, ragged=False, ways=FULL_ROWS),
    "64 × 512, ragged": Size(BertConfig.base(), 64, 512, ragged=True, ways=RAGGED),
    "8 × 128, 4 layers of 256": Size(BertConfig.mini(), 8, 128, ragged=False, ways=FEW_ROWS),
}


def draw_rows(size: Size) -> list[Row]:
    """Draw rows of random words, of which about 15 % have a label, the second in any case."""
    generator = torch.Generator().manual_seed(0)
    lengths = torch.full((size.rows,), size.longest)
    if size.ragged:
        lengths = torch.randint(2, size.longest + 1, (size.rows,), generator=generator)
    rows = []
    for length in lengths.tolist():
        ids = torch.randint(SPECIAL, size.config.vocab_size, (length,), generator=generator)
        asked = torch.rand(length, generator=generator) < SHARE
        asked[1] = True
        rows.append({"input_ids": ids, "labels": torch.where(asked, ids, -100)})
    return rows


def pad(rows: Sequence[Row], longest: int) -> Row:
    """Pad rows to a batch, with a mask if there is something to hide."""
    fillers = {"input_ids": 0, "labels": -100, "attention_mask": 0}
    batch = {name: torch.full((len(rows), longest), x) for name, x in fillers.items()}
    for place, row in enumerate(rows):
        for name, values in (row | {"attention_mask": torch.ones_like(row["labels"])}).items():
            batch[name][place, : len(values)] = values
    if batch["attention_mask"].all():
        del batch["attention_mask"]
    return batch


def packed_shape(rows: Sequence[Row], longest: int) -> PackedShape:
    """Choose sizes that hold some rows, in multiples that kernels like."""
    tokens = -(-sum(len(row["labels"]) for row in rows) // 128) * 128
    labels = sum(int((row["labels"] != -100).sum()) for row in rows)
    return PackedShape(tokens, len(rows) + 128 // longest + 1, -(-labels // 64) * 64, longest)


def make_batch(rows: Sequence[Row], longest: int, kind: str) -> Row:
    """Make a batch of one of the three kinds."""
    if kind == "padded":
        return pad(rows, longest)
    batch = pack(rows, packed_shape(rows, longest))
    if kind == "placed":
        width = len(rows[0]["labels"])
        full = batch["input_ids"][:, : width * len(rows)].view(len(rows), width)
        batch = {"input_ids": full, "places": batch["places"], "labels": batch["labels"]}
    return batch


def build(config: BertConfig, way: Way, device: str) -> nn.Module:
    """Build a model of one way, always with the same weights."""
    config = dataclasses.replace(config, attention_probs_dropout_prob=way.attention_dropout)
    torch.manual_seed(0)
    start = BertForMaskedLM(config).state_dict()
    if way.theirs:
        fields: dict[str, Any] = dataclasses.asdict(config)
        theirs = transformers.BertConfig(**fields, attn_implementation="sdpa")
        model = transformers.BertForMaskedLM(theirs)
    else:
        with override(way.parts):
            model = BertForMaskedLM(config)
    model.load_state_dict(start, strict=False)
    model = model.to(device)
    return model if way.batch == "padded" else PackedMaskedLM(model, way.word_loss)
