"""A model to try, texts to try it on, and what comes out. Chapter 23."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional

from minibert.losses import IGNORED_LABEL

ROWS, SEQ, MORE = 4, 9, 3  # texts, tokens in the longest, and columns of padding
_LENGTHS = (9, 6, 8, 4)
_LABELED = (4, 1, 2, 1)  # tokens of each text
_LONGEST = 512
_CLOSE = 1e-9  # of the largest number, in 64 bits
_STEP = 1e-6  # of each weight, to measure a slope
_SLOPE = 1e-4  # of the slope
_FIRST_SEGMENT = (2, 1, 3, 0)  # the last token of it, in each text
MOVED = 1e-13  # less is rounding

Batch: TypeAlias = dict[str, Any]  # what a model takes, by name


class Trial:
    """A copy of a model in 64 bits, without dropout, and a batch for it."""

    def __init__(self, given: nn.Module) -> None:
        self.config: Any = given.config
        self.takes = set(inspect.signature(given.forward).parameters)
        self.given = given
        self.model = self.copied()
        self.generator = torch.Generator().manual_seed(0)
        self.pad = getattr(self.config, "pad_token_id", None) or 0
        words = [word for word in range(self.config.vocab_size) if word != self.pad]
        self.words = torch.tensor(words)
        if len(words) < 2:
            raise ValueError(
                f"vocab_size ({self.config.vocab_size}) is too small; the check needs two words "
                "besides the padding"
            )
        places = torch.randint(len(words), (ROWS, SEQ), generator=self.generator)
        self.ids = self.words[places]  # (rows, seq)
        self.mask = (torch.arange(SEQ) < torch.tensor(_LENGTHS)[:, None]).long()  # (rows, seq)

    def copied(self, dtype: torch.dtype = torch.float64, dropout: bool = False) -> nn.Module:
        """Copy the model, for evaluation."""
        model = copy.deepcopy(self.given).cpu().to(dtype)
        if not dropout:
            for part in model.modules():
                if isinstance(getattr(part, "p", None), float):
                    part.p = 0.0  # pyright: ignore[reportArgumentType]
        return model.eval()

    def batch(self, rows: slice = slice(None)) -> Batch:
        """Return some of the texts, padded to one length."""
        ids = self.ids.where(self.mask.bool(), self.pad)
        given = self.inputs(ids[rows], self.mask[rows].clone())
        if self.segments:
            first = torch.tensor(_FIRST_SEGMENT)[rows, None]
            given["token_type_ids"] = (torch.arange(SEQ) > first).long()  # (rows, seq)
        return given

    def inputs(
        self, ids: Int[Tensor, "rows seq"], mask: Int[Tensor, "rows seq"] | None = None
    ) -> Batch:
        """Return what the model takes: ids, the mask, and two segments if it knows them."""
        given = {"input_ids": ids, "attention_mask": torch.ones_like(ids) if mask is None else mask}
        if self.segments:
            given["token_type_ids"] = (torch.arange(ids.shape[1]) > 2).long().expand(ids.shape)
        return given

    @property
    def drops(self) -> bool:
        """Whether a part of the model is there to drop numbers in training."""
        return any(isinstance(part, nn.Dropout) and part.p > 0 for part in self.given.modules())

    @property
    def segments(self) -> bool:
        """Whether the model has vectors for two segments."""
        tables = [p for name, p in self.given.named_parameters() if "token_type" in name]
        return "token_type_ids" in self.takes and any(len(table) > 1 for table in tables)

    def replaced(self, ids: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
        """Return the word after each word, which is another one."""
        return self.words[(torch.searchsorted(self.words, ids) + 1) % len(self.words)]

    def call(self, batch: Batch, model: nn.Module | None = None) -> list[Float[Tensor, "..."]]:
        """Return all tables of numbers that a model returns."""
        with torch.no_grad():
            return [table.clone() for table in tables_of((model or self.model)(**batch))]

    def at_tokens(self, batch: Batch, model: nn.Module | None = None) -> list[Float[Tensor, "..."]]:
        """Return the tables without what stands at padding."""
        mask = batch["attention_mask"].bool()
        tables = zip(self.call(batch, model), self.by_token)
        return [table[mask] if by_token else table for table, by_token in tables]

    @cached_property
    def by_token(self) -> list[bool]:
        """Whether each table has a row for each token: with the text, it grows."""
        model = self.copied()
        two, three = (self.call(self.inputs(self.ids[:, :seq]), model) for seq in (2, 3))
        return [a.shape != b.shape for a, b in zip(two, three)]

    def classes(self) -> tuple[str, int]:
        """Return what labels belong to, token or row, and how many there are; empty without."""
        if "labels" not in self.takes:
            return "", 0
        logits = self.call(self.batch())[0]  # (rows, seq, classes) or (rows, classes)
        return "token" if logits.dim() == 3 else "row", logits.shape[-1]

    def labels(self) -> Shaped[Tensor, "rows ..."] | None:
        """Return labels, 0 among them, more in some texts than in others; None without a loss."""
        kind, count = self.classes()
        if not kind:
            return None
        if kind == "row":
            labels = torch.arange(ROWS) % count
            return labels if count > 1 else labels.double()  # one class is a number to be guessed
        labels = torch.arange(ROWS * SEQ).view(ROWS, SEQ) % count
        labeled = torch.arange(SEQ) < torch.tensor(_LABELED)[:, None]
        return labels.where(labeled, IGNORED_LABEL)

    def drawn_like(self, table: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Draw a number for each of a table."""
        return torch.randn(table.shape, generator=self.generator, dtype=table.dtype)

    @torch.no_grad()
    def off_the_slope(
        self, total: Callable[[], Float[Tensor, ""]], weights: list[nn.Parameter]
    ) -> str:
        """Return how far gradients are from the slope of a small step; nothing if they agree.

        The weights stay a step aside, but for the rows of padding, which learn nothing.
        """
        ways = [self.drawn_like(weight) for weight in weights]
        for table in self.model.modules():
            if getattr(table, "padding_idx", None) is not None:
                rows = (way for way, weight in zip(ways, weights) if weight is table.weight)
                for way in rows:
                    way[table.padding_idx] = 0  # pyright: ignore[reportArgumentType]
        pairs = [(way, w.grad) for way, w in zip(ways, weights) if w.grad is not None]
        told, ends = sum(float((way * grad).sum()) for way, grad in pairs), []
        for step in (-_STEP, 2 * _STEP):
            for way, weight in zip(ways, weights):
                weight.add_(way, alpha=step)
            ends.append(total())
        measured = float((ends[1] - ends[0]) / (2 * _STEP))
        close = abs(told - measured) <= _SLOPE * (1 + abs(measured))
        return "" if close else f"the gradient says {told:.4g}, a small step {measured:.4g}"

    def loss(self, batch: Batch, labels: Shaped[Tensor, "rows ..."]) -> Float[Tensor, ""]:
        """Return the loss of these labels alone, without that of the next sentence."""
        pairs = torch.zeros(len(labels), dtype=torch.long)
        more = {"next_sentence_label": pairs} if "next_sentence_label" in self.takes else {}
        output = self.model(**batch, labels=labels, **more)
        if more:
            return output.loss - functional.cross_entropy(output.seq_relationship_logits, pairs)
        return output.loss

    def built_anew(self) -> nn.Module | None:
        """Build a model of the same class; None if its configuration does not say how."""
        kind = type(self.given)
        said: dict[str, Any] = {"id2label": getattr(self.given, "id2label", None)}
        if getattr(self.given, "pooler", said) is None:
            said["add_pooling_layer"] = False
        known = inspect.signature(kind).parameters
        named = {n: value for n, value in said.items() if value is not None and n in known}
        try:
            return kind(self.config, **named)
        except TypeError:
            return None

    def longest(self) -> int:
        """Return how many tokens fit; places that padding takes are not for tokens."""
        length = getattr(self.config, "max_position_embeddings", _LONGEST)
        for name, table in self.model.named_modules():
            padding = getattr(table, "padding_idx", None)
            if name.endswith("position_embeddings") and padding is not None:
                length -= padding + 1
        return min(length, _LONGEST)


def asking_for_attention(encoder: nn.Module) -> dict[str, bool]:
    """Return the argument that asks for attention weights, if an encoder gives them."""
    if "output_attentions" in inspect.signature(encoder.forward).parameters:
        return {"output_attentions": True}
    eager = getattr(encoder.config, "_attn_implementation", "") == "eager"
    return {"output_attentions": True} if eager else {}


def tables_of(output: Any) -> list[Float[Tensor, "..."]]:
    """List the tensors of a model's output, but for a loss."""
    values = output.values() if hasattr(output, "values") else output
    return [v for v in values if isinstance(v, Tensor) and v.is_floating_point() and v.dim()]


def how_far_apart(some: list[Float[Tensor, "..."]], others: list[Float[Tensor, "..."]]) -> str:
    """Return how far two lists of tables are apart; nothing if they agree."""
    for a, b in zip(some, others, strict=True):
        if a.shape != b.shape:
            return f"shapes {tuple(a.shape)} and {tuple(b.shape)}"
        difference = (a - b).abs().max().item()
        if not difference <= _CLOSE * (1 + b.abs().max().item()):  # NaN is not
            return f"numbers differ by {difference:.2g}"
    return ""


def still(change: Float[Tensor, "..."]) -> bool:
    """Return whether nothing has moved but by rounding."""
    return bool((change.abs() <= MOVED).all())


def lacks_gradient(parameter: Float[Tensor, "..."]) -> bool:
    """Return whether no gradient came; that of a vector may be zero, as of the keys' bias."""
    grad = parameter.grad
    return grad is None or (grad.dim() > 1 and not bool(grad.any()))
