"""Every task, pre-training too, with its labels: what each model takes, drawn by chance."""

from collections.abc import Callable
from typing import NamedTuple

import torch

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
    task: dict
    draw: Callable

    def labels(self, batch, seed):
        return self.draw(batch, torch.Generator().manual_seed(seed))


def classes(count, *columns, dtype=torch.int64):
    def draw(batch, g):
        shape = (len(batch["input_ids"]), *columns)
        return {"labels": torch.randint(count, shape, generator=g).to(dtype)}

    return draw


def some_ignored(batch, g):
    labels = classes(3)(batch, g)["labels"]
    return {"labels": labels.where(torch.arange(len(labels)) != 1, -100)}


def numbers(*columns):
    def draw(batch, g):
        shape = (len(batch["input_ids"]), *columns)
        return {"labels": torch.randn(shape, generator=g, dtype=torch.float64)}

    return draw


def tags(count):
    def draw(batch, g):
        shape = batch["input_ids"].shape
        asked = (torch.rand(shape, generator=g) < 0.4) & (batch["attention_mask"] == 1)
        asked[0, 1] = True
        return {"labels": torch.where(asked, torch.randint(count, shape, generator=g), -100)}

    return draw


def words_and_pairs(batch, g):
    return tags(41)(batch, g) | {"next_sentence_label": classes(2)(batch, g)["labels"]}


def positions(beyond):
    def draw(batch, g):
        rows, seq = batch["input_ids"].shape
        start, end = (torch.randint(seq + beyond, (rows,), generator=g) for _ in range(2))
        # The library counts the end that lies inside of an answer of which the other is outside.
        start[(end >= seq)] = end[(start >= seq)] = seq + 1
        start[0], end[0] = 1, seq - 1
        start[1] = end[1] = seq - 1 + beyond
        return {"start_positions": start, "end_positions": end}

    return draw


def cast(labels, dtype):
    """Give labels that are numbers the precision of the model."""
    return {n: x.to(dtype) if x.is_floating_point() else x for n, x in labels.items()}


S, T, Q = BertForSequenceClassification, BertForTokenClassification, BertForQuestionAnswering
MULTI, SINGLE = "multi_label_classification", "single_label_classification"
YES_OR_NO = {"dtype": torch.float64}
TASKS = [
    Task("single label", S, {"num_labels": 3}, classes(3)),
    Task("two labels by default", S, {}, classes(2)),
    Task("single label, said", S, {"num_labels": 4, "problem_type": SINGLE}, classes(4)),
    Task("single label, one ignored", S, {"num_labels": 3}, some_ignored),
    Task("several labels", S, {"num_labels": 5}, classes(2, 5, **YES_OR_NO)),
    Task("one yes or no", S, {"num_labels": 1, "problem_type": MULTI}, classes(2, 1, **YES_OR_NO)),
    Task("a number", S, {"num_labels": 1}, numbers()),
    Task("a number in a column", S, {"num_labels": 1}, numbers(1)),
    Task("several numbers", S, {"num_labels": 3, "problem_type": "regression"}, numbers(3)),
    Task("tags", T, {"num_labels": 7}, tags(7)),
    Task("two tags by default", T, {}, tags(2)),
    Task("answers", Q, {}, positions(0)),
    Task("answers outside", Q, {}, positions(9)),
]
ALL = [
    Task("words", BertForMaskedLM, {}, tags(41)),  # so many words every vocabulary has
    Task("words and pairs", BertForPreTraining, {}, words_and_pairs),
    *TASKS,
]
