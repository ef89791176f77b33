"""The steps of ``benchmarks.ladder``: texts, batches and models as each of them has it."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.data import bucket_by_length
from minibert.fast import (
    FAST_PARTS,
    CheckpointedLayer,
    UnpaddedEncoder,
    UnpaddedSelfAttention,
    fast_parts,
)
from minibert.layer import BertLayer
from minibert.masking import corrupt_tokens
from minibert.model import BertEncoder
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, score_words
from minibert.training.devices import to_device
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

from .tokenizer import prose

NO_PADDING = {BertEncoder: UnpaddedEncoder, BertSelfAttention: UnpaddedSelfAttention}
Row = dict[str, Tensor]


class Rung(NamedTuple):
    """One way to train; the next one on the ladder changes one thing."""

    whole_width: bool = True
    fused: bool = False
    parts: dict[str, Callable] = {}  # noqa: RUF012 (never changed)
    buckets: bool = False
    bf16: bool = False
    compiled: bool = False


LADDER = {  # what is added to the step before
    "plain parts": {},
    "padded to the longest of the batch": {"whole_width": False},
    "scores at labels only": {"parts": {score_words: FAST_PARTS[score_words]}},
    "fused AdamW": {"fused": True},
    "fast dropout": {"parts": {nn.Dropout: FAST_PARTS[nn.Dropout]}},
    "fast attention": {"parts": {BertSelfAttention: FAST_PARTS[BertSelfAttention]}},
    "length buckets": {"buckets": True},
    "no padding": {"parts": NO_PADDING},
    "bfloat16": {"bf16": True},
    "compiled": {"compiled": True},
}
ASIDE = {  # beside the ladder: from which step, and what is changed
    "no padding, no buckets": ("no padding", {"buckets": False}),
    "block mask, no buckets": (
        "no padding",
        {"buckets": False, "parts": {BertSelfAttention: FAST_PARTS[BertSelfAttention]}},
    ),
    "compiled, in float32": ("no padding", {"compiled": True}),
    "gradient checkpointing": ("no padding", {"parts": {BertLayer: CheckpointedLayer}}),
}


def rungs() -> dict[str, Rung]:
    """Add up the steps of the ladder, and place the others beside it."""
    found, last = {}, Rung()
    for name, change in LADDER.items():
        last = found[name] = change_one(last, change)
    return found | {name: change_one(found[at], change) for name, (at, change) in ASIDE.items()}


def change_one(rung: Rung, change: dict) -> Rung:
    """Change what is named; parts join those that are there."""
    parts = rung.parts | change.get("parts", {})
    return rung._replace(**{**change, "parts": parts})


def ragged_texts(most: int, rng: np.random.Generator) -> list[str]:
    """Join from 1 to so many neighboring paragraphs of English prose to a text, and shuffle."""
    texts, joined = prose(), []
    while texts:
        count = int(rng.integers(1, most + 1))
        joined.append(" ".join(texts[:count]))
        texts = texts[count:]
    return [joined[i] for i in rng.permutation(len(joined))]


def ragged_rows(count: int, longest: int, most: int) -> tuple[list[Row], int]:
    """Make rows of tokens with labels out of texts; return the vocabulary's size, too."""
    with override(fast_parts()):
        tokenizer = WordPieceTokenizer.train(prose(), vocab_size=8192)
    generator = torch.Generator().manual_seed(20)
    special_ids, rows = [tokenizer.vocab[token] for token in SPECIAL_TOKENS], []
    for text in ragged_texts(most, np.random.default_rng(20)):
        ids = tokenizer.encode(text)[:longest]
        if len(ids) < 8 or len(rows) == count:
            continue
        corrupted = corrupt_tokens(
            torch.tensor([ids]),
            vocab_size=tokenizer.vocab_size,
            mask_token_id=tokenizer.mask_token_id,
            special_ids=special_ids,
            generator=generator,
        )
        row = {"input_ids": corrupted.input_ids[0], "labels": corrupted.labels[0]}
        rows.append({**row, "attention_mask": torch.ones(len(ids), dtype=torch.long)})
    return rows, tokenizer.vocab_size


def some_buckets(rows: list[Row], size: int, count: int) -> list[list[Row]]:
    """Sort a whole pool into buckets, and take some of them."""
    lengths = [len(row["labels"]) for row in rows]
    buckets = bucket_by_length(lengths, size, rng=np.random.default_rng(20))
    return [[rows[i] for i in bucket] for bucket in buckets[:count]]


def batches(buckets: list[list[Row]], width: int, rung: Rung) -> list[Row]:
    """Pad rows to batches: to one width or to the longest, in buckets or in random order."""
    size, groups = len(buckets[0]), buckets
    if not rung.buckets:
        rows = list(chain.from_iterable(buckets))
        order = np.random.default_rng(0).permutation(len(rows))
        groups = [[rows[i] for i in order[at : at + size]] for at in range(0, len(rows), size)]
    fillers, made = {"input_ids": 0, "labels": -100, "attention_mask": 0}, []
    for group in groups:
        longest = max(len(row["labels"]) for row in group)
        shape = (len(group), width if rung.whole_width else longest)
        batch = {name: torch.full(shape, filler) for name, filler in fillers.items()}
        for place, row in enumerate(group):
            for name, column in batch.items():
                column[place, : len(row[name])] = row[name]
        made.append(batch)
    return made


def build(config: BertConfig, rung: Rung, device: str) -> nn.Module:
    """Build our model with the parts of a step."""
    torch.manual_seed(20)
    start = BertForMaskedLM(config).state_dict()
    with override(rung.parts):
        model = BertForMaskedLM(config)
    model.load_state_dict(start)
    model.to(device)
    if rung.compiled:
        compile_parts(model)
    return model


def compile_parts(model: nn.Module) -> None:
    """Compile whatever looks at one token at a time, for rows of any number of tokens."""
    for layer in model.bert.encoder.layer:
        for part in (layer.attention.output, layer.intermediate, layer.output):
            part.compile(dynamic=True)


def losses(model: nn.Module, made: list[Row], rung: Rung) -> Iterator[tuple[Tensor, int]]:
    """Compute the loss of each batch, and say how many labels it has."""
    device = next(model.parameters()).device
    for batch in made:
        precision = torch.autocast(device.type, torch.bfloat16) if rung.bf16 else nullcontext()
        with precision:
            loss = model(**to_device(batch, device)).loss
        yield loss, int((batch["labels"] != -100).sum())


def trainer(model: nn.Module, made: list[Row], rung: Rung) -> Callable[[], None]:
    """Return a function that trains on all batches once, and waits until all is done."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=rung.fused or None)
    wait = torch.cuda.synchronize if next(model.parameters()).is_cuda else int

    def train() -> None:
        model.train()
        for loss, _ in losses(model, made, rung):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        wait()

    return train


def loss_and_gradient(model: nn.Module, made: list[Row], rung: Rung) -> tuple[float, Tensor]:
    """Compute the mean loss over all labels, and its gradient, without dropout."""
    model.eval()
    model.zero_grad()
    labels, total = sum(int((b["labels"] != -100).sum()) for b in made), 0.0
    for loss, count in losses(model, made, rung):
        part = loss * (count / labels)
        part.backward()
        total += part.item()
    return total, torch.cat([p.grad.flatten() for p in model.parameters()])


def useful_products(config: BertConfig, rows: list[Row]) -> int:
    """Count the multiply-adds that a step needs: real tokens, scores at labels, and back."""
    hidden, wide = config.hidden_size, config.intermediate_size
    lengths = [len(row["labels"]) for row in rows]
    labels = sum(int((row["labels"] != -100).sum()) for row in rows)
    layer = sum(lengths) * (4 * hidden**2 + 2 * hidden * wide)
    layer += 2 * hidden * sum(length**2 for length in lengths)
    head = labels * (hidden**2 + hidden * config.vocab_size)
    return 3 * (config.num_hidden_layers * layer + head)
