"""A model to try, texts to try it on, and what comes out. Chapter 26."""

import copy
import inspect
import math
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import Any, TypeAlias

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn
from torch.nn import functional

from minibert.losses import IGNORED_LABEL

from .exact import Exact
from .tensors import tensors_of

ROWS, SEQ, MORE = 4, 9, 3  # texts, tokens in the longest, and columns of padding
_LENGTHS = (9, 6, 8, 4)
_LABELED = ((0, 2, 5, 8), (3,), (1, 7), (0,))  # places in each text
_LONGEST = 512
_WORDS, _ALL = 32, 1024  # that are compared, or all if there are so few
_PAIRS = {  # labels of pairs, and the scores that they are about
    "next_sentence_label": "seq_relationship_logits",
    "sentence_order_label": "sop_logits",
}
_FIRST_SEGMENT = (2, 1, 3, 0)  # the last token of it, in each text
_NUMBERS = ("regression", "multi_label_classification")  # labels are numbers, one for each class

_USUAL = {  # what an encoder takes that this check gives, or that says the same in another way
    *("input_ids", "attention_mask", "token_type_ids", "position_ids", "inputs_embeds", "labels"),
    *("next_sentence_label", "sentence_order_label", "start_positions", "end_positions"),
    "head_mask",
}

Batch: TypeAlias = dict[str, Any]  # what a model takes, by name


class NotApplicable(str):
    """Why there is nothing to ask."""


class ModelError(Exception):
    """An error that came out of the model, and not out of the check."""


@contextmanager
def errors_of_the_model() -> Iterator[None]:
    """Mark what a block raises as the model's."""
    try:
        yield
    except ModelError:
        raise
    except Exception as error:  # a model may stop with any
        raise ModelError(f"{type(error).__name__}, {error}") from error


class Harness:
    """A copy of a model in 64 bits, without dropout, and a batch for it."""

    def __init__(self, given: nn.Module, exact: nn.Module | None = None) -> None:
        self.config: Any = given.config
        taken = inspect.signature(given.forward).parameters.items()
        self.takes = {name for name, argument in taken if argument.kind.name[:3] != "VAR"}
        self.given = given
        self.exact = exact or copy.deepcopy(given).cpu().double()
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

    def copied(
        self, dtype: torch.dtype = torch.float64, dropout: bool = False, own: bool = False
    ) -> nn.Module:
        """Copy the model, for evaluation; copies in 64 bits share parameters unless they own."""
        if dtype == torch.float64:
            shared = {} if own else {id(p): p for p in self.exact.parameters()}
            model = copy.deepcopy(self.exact, shared)
        else:
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
    def drops(self) -> list[str]:
        """The names of the parts that are there to drop numbers in training."""
        parts = self.given.named_modules()
        return [name for name, part in parts if isinstance(part, nn.Dropout) and part.p > 0]

    @property
    def segments(self) -> bool:
        """Whether the model has vectors for two segments."""
        tables = [p for name, p in self.given.named_parameters() if "token_type" in name]
        return "token_type_ids" in self.takes and any(len(table) > 1 for table in tables)

    def is_idle_by_design(self, name: str) -> bool:
        """Whether a part sits in code of the library's own, which drops in another way or not."""
        parent = self.given.get_submodule(name.rpartition(".")[0])
        return parent.forward.__module__.startswith(("transformers.", "minibert."))

    @property
    def unasked(self) -> set[str]:
        """What else the model takes, and is not given here."""
        more = self.takes - _USUAL
        return {name for name in more if not name.startswith(("output_", "return_"))}

    @property
    def chooses(self) -> bool:
        """Whether the model takes several texts for each label, to choose from."""
        return type(self.given).__name__.endswith("ForMultipleChoice")

    @property
    def encoder(self) -> nn.Module:
        """The encoder under a head, or the model itself."""
        for part in self.model.children():
            takes = {*inspect.signature(part.forward).parameters}
            reads = "input_ids" in takes and takes & {"attention_mask", "kwargs"}
            if reads and hasattr(part, "config"):
                return part
        return self.model

    def replaced(self, ids: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
        """Return the word after each word, which is another one."""
        return self.words[(torch.searchsorted(self.words, ids) + 1) % len(self.words)]

    def run(
        self, batch: Batch, model: nn.Module | None = None, plain: bool = False, **more: Any
    ) -> Any:
        """Run a model exactly, or plainly as it is; texts to choose from come one by one."""
        if self.chooses:
            batch = {name: table[:, None] for name, table in batch.items()}
        with errors_of_the_model(), nullcontext() if plain else Exact():
            return (model or self.model)(**batch, **more)

    def encode(self, batch: Batch, **more: Any) -> Any:
        """Run the encoder under a head exactly."""
        encoder = self.encoder
        if encoder is self.model:
            return self.run(batch, **more)
        with errors_of_the_model(), Exact():
            return encoder(**batch, **more)

    def call(
        self, batch: Batch, model: nn.Module | None = None, plain: bool = False
    ) -> list[Float[Tensor, "..."]]:
        """Return all tables of numbers that a model returns."""
        with torch.no_grad():
            return [table.clone() for table in tensors_of(self.run(batch, model, plain))]

    def at_tokens(self, batch: Batch, model: nn.Module | None = None) -> list[Float[Tensor, "..."]]:
        """Return the tables without what stands at padding."""
        mask = batch["attention_mask"].bool()
        tables = [*zip(self.call(batch, model), self.by_token)]
        for table, by_token in tables:
            if by_token and table.shape[:2] != mask.shape:
                raise ModelError(f"ids {tuple(mask.shape)} became {tuple(table.shape)}")
        return [table[mask] if by_token else table for table, by_token in tables]

    @cached_property
    def by_token(self) -> list[bool]:
        """Whether each table has a row for each token: with the text, it grows."""
        model = self.copied()
        two, three = (self.call(self.inputs(self.ids[:, :seq]), model) for seq in (2, 3))
        return [a.shape != b.shape for a, b in zip(two, three)]

    def classes(self) -> tuple[str, int]:
        """Return what labels belong to, token or row, and how many there are; empty without."""
        if "labels" not in self.takes or self.chooses:
            return "", 0
        logits = self.call(self.batch())[0]  # (rows, seq, classes) or (rows, classes)
        if logits.dim() == 3:
            return "token", logits.shape[-1]
        return ("", 0) if self.by_token[0] else ("row", logits.shape[-1])

    def labels(self) -> Shaped[Tensor, "rows ..."] | None:
        """Return labels, 0 among them, more in some texts than in others; None without a loss."""
        kind, count = self.classes()
        if not kind:
            return None
        if kind == "row":
            if getattr(self.config, "problem_type", None) in _NUMBERS:
                return (torch.arange(ROWS * count).view(ROWS, count) % 2).double()
            labels = torch.arange(ROWS) % count
            return labels if count > 1 else labels.double()  # one class is a number to be guessed
        labels = torch.full((ROWS, SEQ), IGNORED_LABEL)
        for row, places in enumerate(_LABELED):
            labels[row, [*places]] = torch.arange(len(places)) * ROWS + row
        return torch.where(labels == IGNORED_LABEL, labels, labels % count)

    def many_words(self) -> Int[Tensor, "..."]:
        """Return all words, or of many some from all over the vocabulary and the last two."""
        if len(self.words) <= _ALL:
            return self.words
        places = torch.linspace(0, len(self.words) - 1, _WORDS).long()
        return self.words[torch.cat([places, places[-1:] - 1]).unique()]

    def reach(self) -> float:
        """Return how far all layers together look, if they look through windows."""
        windows = getattr(self.config, "attention_window", None)
        if not windows:
            return math.inf
        each = windows if isinstance(windows, list) else [windows] * self.config.num_hidden_layers
        return sum(window // 2 for window in each)

    def drawn_like(self, table: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Draw a number for each of a table."""
        return torch.randn(table.shape, generator=self.generator, dtype=table.dtype)

    def loss(self, batch: Batch, labels: Shaped[Tensor, "rows ..."]) -> Float[Tensor, ""]:
        """Return the loss of these labels alone, without that of pairs of sentences."""
        pairs = torch.zeros(len(labels), dtype=torch.long)
        asked: dict[str, Any] = dict.fromkeys(self.takes & {*_PAIRS}, pairs)
        output = self.run(batch, labels=labels, **asked)
        scores = [getattr(output, _PAIRS[name]) for name in asked]
        return output.loss - sum(functional.cross_entropy(each, pairs) for each in scores)

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

    def spans(self) -> Batch | None:
        """Return the first and last token of an answer in each text; None without such a loss."""
        if not {"start_positions", "end_positions"} <= self.takes:
            return None
        return {
            "start_positions": torch.tensor([places[0] for places in _LABELED]),
            "end_positions": torch.tensor([places[-1] for places in _LABELED]),
        }

    def longest(self) -> int:
        """Return how many tokens fit; places that padding takes are not for tokens."""
        length = getattr(self.config, "max_position_embeddings", None) or _LONGEST
        for name, table in self.model.named_modules():
            padding = getattr(table, "padding_idx", None)
            if name.endswith("position_embeddings") and padding is not None:
                length -= padding + 1
        return min(length, _LONGEST)
