"""Every task, pre-training too, with its labels: what each model takes, drawn by chance."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from bert_pairs import Batch
from torch import Tensor

from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)


class Task(NamedTuple):
    """A kind of model, how it is built, and how its labels are drawn."""

    name: str
    kind: type
    task: dict[str, Any]
    draw: Callable[[Batch, torch.Generator], Batch]

    def labels(self, batch: Batch, seed: int) -> Batch:
        """Draw labels for a batch."""
        return self.draw(batch, torch.Generator().manual_seed(seed))


def _classes(count: int) -> Callable:
    def draw(batch: Batch, g: torch.Generator) -> Batch:
        return {"labels": torch.randint(count, batch["input_ids"].shape[:1], generator=g)}

    return draw


def _some_ignored(batch: Batch, g: torch.Generator) -> Batch:
    labels = _classes(3)(batch, g)["labels"]
    labels[1] = -100
    return {"labels": labels}


def _yes_or_no(count: int) -> Callable:
    def draw(batch: Batch, g: torch.Generator) -> Batch:
        shape = len(batch["input_ids"]), count
        return {"labels": torch.randint(2, shape, generator=g).double()}

    return draw


def _numbers(*shape: int) -> Callable:
    def draw(batch: Batch, g: torch.Generator) -> Batch:
        rows = len(batch["input_ids"])
        return {"labels": torch.randn(rows, *shape, generator=g, dtype=torch.float64)}

    return draw


def _tags(count: int) -> Callable:
    def draw(batch: Batch, g: torch.Generator) -> Batch:
        shape = batch["input_ids"].shape
        asked = (torch.rand(shape, generator=g) < 0.4) & (batch["attention_mask"] == 1)
        asked[0, 1] = True
        return {"labels": torch.where(asked, torch.randint(count, shape, generator=g), -100)}

    return draw


def _words_and_pairs(batch: Batch, g: torch.Generator) -> Batch:
    return _tags(41)(batch, g) | {"next_sentence_label": _classes(2)(batch, g)["labels"]}


def _positions(beyond: int) -> Callable:
    def draw(batch: Batch, g: torch.Generator) -> Batch:
        rows, seq = batch["input_ids"].shape
        start = torch.randint(seq + beyond, (rows,), generator=g)
        end = torch.randint(seq + beyond, (rows,), generator=g)
        # The library counts the end that lies inside of an answer of which the other is outside.
        start[(end >= seq)] = end[(start >= seq)] = seq + 1
        start[0], end[0] = 1, seq - 1
        start[1] = end[1] = seq - 1 + beyond
        return {"start_positions": start, "end_positions": end}

    return draw


def cast(labels: Batch, dtype: torch.dtype) -> Batch:
    """Give labels that are numbers the precision of the model."""

    def one(values: Tensor) -> Tensor:
        return values.to(dtype) if values.is_floating_point() else values

    return {name: one(values) for name, values in labels.items()}


S, T, Q = BertForSequenceClassification, BertForTokenClassification, BertForQuestionAnswering
MULTI, SINGLE = "multi_label_classification", "single_label_classification"
TASKS = [
    Task("single label", S, {"num_labels": 3}, _classes(3)),
    Task("two labels by default", S, {}, _classes(2)),
    Task("single label, said", S, {"num_labels": 4, "problem_type": SINGLE}, _classes(4)),
    Task("single label, one ignored", S, {"num_labels": 3}, _some_ignored),
    Task("several labels", S, {"num_labels": 5}, _yes_or_no(5)),
    Task("one yes or no", S, {"num_labels": 1, "problem_type": MULTI}, _yes_or_no(1)),
    Task("a number", S, {"num_labels": 1}, _numbers()),
    Task("a number in a column", S, {"num_labels": 1}, _numbers(1)),
    Task("several numbers", S, {"num_labels": 3, "problem_type": "regression"}, _numbers(3)),
    Task("tags", T, {"num_labels": 7}, _tags(7)),
    Task("two tags by default", T, {}, _tags(2)),
    Task("answers", Q, {}, _positions(0)),
    Task("answers outside", Q, {}, _positions(9)),
]
ALL = [
    Task("words", BertForMaskedLM, {}, _tags(41)),  # so many words every vocabulary has
    Task("words and pairs", BertForPreTraining, {}, _words_and_pairs),
    *TASKS,
]
