"""The record of Chapter 16's runs: every answer held to its counts, and the tables of the page."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from bertbook.core.attention_maps import bootstrap_interval
from bertbook.core.html import Html, html
from bertbook.core.tables import result_table
from bertbook.corpus import (
    PAIR_LABELS,
    REQUEST_LABELS,
    glosses_file,
    question_pairs,
    service_requests,
)
from bertbook.records import record_of
from berttools.classify.splitting import split_rows
from berttools.classify.table import read_table

Answers = Int[np.ndarray, " rows"]

TASKS = {"requests": (REQUEST_LABELS, service_requests), "pairs": (PAIR_LABELS, question_pairs)}


class Runs:
    """The runs of one task, by encoder and method; what a run counts is held to its answers."""

    def __init__(self, task: str = "requests", record: Mapping[str, Any] | None = None):
        content = record or record_of("classify")
        labels, examples = TASKS[task]
        self.task, self.command, self._labels, self._examples = (
            task, content["command"], labels, examples)  # fmt: skip
        self.truth = self.truth_of("test")
        self.methods = {
            (m["encoder"], m["method"]): m for m in content["methods"] if m["task"] == task
        }
        self.curve = content["learning_curve"]["runs"] if task == "requests" else []

    def truth_of(self, split: str) -> Int[np.ndarray, " rows"]:
        """Give the numbers of the true classes of a part."""
        return np.array([self._labels.index(example.label) for example in self._examples(split)])

    def of(self, encoder: str, method: str) -> list[dict]:
        """List the runs of a method, one for each seed."""
        return self.methods[encoder, method]["runs"]

    def answers(self, encoder: str, method: str) -> Int[np.ndarray, "... rows"]:
        """Give what each seed answered to the test part; its accuracy follows from it."""
        runs = self.of(encoder, method)
        answers = np.array([[int(digit) for digit in run["test_answers"]] for run in runs])
        for run, given in zip(runs, answers, strict=True):
            share = np.mean(given == self.truth)
            if abs(share - run["test_accuracy"]) > 1e-4:
                raise ValueError(f"the answers give {share:.4f}, the record {run['test_accuracy']}")
        return answers

    def right(self, encoder: str, method: str) -> Bool[np.ndarray, "... rows"]:
        """Say which answers to the test part are right."""
        return self.answers(encoder, method) == self.truth

    def right_with(self, name: str, size: int, also: str = "") -> Bool[np.ndarray, "... rows"]:
        """Say which answers of the learning curve are right; `also` adds those of another part."""
        parts = ["test", *([also] if also else [])]
        truth = np.concatenate([self.truth_of(part) for part in parts])
        answers_of = [
            "".join(_answers_of(run, part, name) for part in parts)
            for run in self.curve
            if run["labels"] == size
        ]
        return np.array([[int(digit) for digit in answers] for answers in answers_of]) == truth


def _answers_of(run: dict, part: str, name: str) -> str:
    """Give the answers of a run; those of full fine-tuning may follow from its probabilities."""
    answers_of = run[f"{part}_answers"]
    if name in answers_of:
        return answers_of[name]
    if name != "full" or "probabilities" not in run:
        raise ValueError(
            f"the record has no answers of {name!r} with {run['labels']} labels to the {part} "
            "part; full fine-tuning was asked there with all labels only"
        )
    return "".join(str(np.argmax(chances)) for chances in run["probabilities"][part])


def interval_of_mean(values: Float[np.ndarray, " rows"]) -> tuple[float, float]:
    """Give the 95 % interval for the mean over units, by the bootstrap."""
    low, high = bootstrap_interval(np.asarray(values, dtype=float), rng=np.random.default_rng(16))
    return float(low), float(high)


def from_to(values: Float[np.ndarray, " rows"], *, signed: bool = False) -> str:
    """Write the 95 % interval for a mean."""
    return " to ".join(_signed(end) if signed else f"{end:.2f}" for end in interval_of_mean(values))


def _signed(number: float) -> str:
    """Write a difference with its sign, and none before zero."""
    text = f"{number:+.2f}"
    return text if text.strip("+-0.") else "0.00"


def lead_over(
    one: Bool[np.ndarray, "... rows"] | Float[np.ndarray, "... rows"],
    other: Bool[np.ndarray, "... rows"] | Float[np.ndarray, "... rows"],
) -> tuple[str, str]:
    """Say how far one method is ahead of another on the same rows, and the interval over rows."""
    ahead = one.mean(axis=0) - other.mean(axis=0)
    return _signed(ahead.mean()), from_to(ahead, signed=True)


def method_table(runs: Runs) -> Html:
    """Show what every method reaches on the test part, and what chance does in its place."""
    rights = {
        f"{encoder} {method}".removeprefix("none "): runs.right(encoder, method)
        for encoder, method in runs.methods
    } | {name: _tested(drawn) for name, drawn in record_of("label_origins")["controls"].items()}
    rows = []
    for name, right in rights.items():
        shares = right.mean(axis=1)
        sd = f"{statistics.stdev(shares):.3f}" if len(shares) > 1 else ""
        rows.append((name, f"{shares.mean():.3f}", sd, from_to(right.mean(axis=0))))
    return html(
        result_table(["right", "sd of five", "95 % over requests"], rows),
        caption=f"What each method gets right of the {len(runs.truth)} of the test part; the sd is "
        "over seeds. In the last rows the table of words, or the layers, are drawn by chance.",
    )


def _tested(runs: Sequence[str]) -> Bool[np.ndarray, "draws rows"]:
    """Unpack what was right of the test part, a row for each run."""
    return np.array([[*map(int, run[:180])] for run in runs], dtype=bool)


def label_leads(runs: Runs, sizes: Sequence[int]) -> Html:
    """Show how far full fine-tuning is ahead of fixed vectors, by the number of labels."""
    rows = [
        (f"{size} labels", *lead_over(runs.right_with("full", size),
                                      runs.right_with("fixed vectors", size)))
        for size in sizes
    ]  # fmt: skip
    return html(
        result_table(["ahead by", "95 %"], rows, corner="full − fixed vectors"),
        caption=f"Differences on the same {len(runs.truth)} requests, means over five draws of the "
        "labels; the interval is a bootstrap over requests.",
    )


def share_and_interval(hits: Float[np.ndarray, " rows"]) -> str:
    """Write a share and its interval; if all are right, the least that does this in 1 of 20."""
    if (hits == 1).all():
        return f"1.00 (at least {0.05 ** (1 / len(hits)):.2f})"
    together = from_to(hits).replace(" to ", "\u2060–\u2060")  # no line ends at the dash
    return f"{hits.mean():.2f} ({together})"


def duels(
    runs: Runs,
    pairs: Sequence[tuple[tuple[str, str], tuple[str, str]]],
    test: Callable[[Answers, Answers, Answers], float],
) -> Html:
    """Show where exactly one of two methods is right, first seeds, and what a test makes of it."""
    rows = []
    for one, other in pairs:
        a, b = runs.right(*one)[0], runs.right(*other)[0]
        first, second = int((a & ~b).sum()), int((b & ~a).sum())
        p = test(runs.truth, *(runs.answers(*about)[0] for about in (one, other)))
        names = (" ".join(about).removeprefix("none ") for about in (one, other))
        p_value = f"{p:.3f}" if p >= 0.001 else "below 0.001"
        rows.append((" / ".join(names), first, second, p_value))
    return html(
        result_table(["only the first", "only the second", "p"], rows, corner="first / second"),
        caption="Requests of the test part that exactly one of two gets right; of several seeds "
        "the first.",
    )


def origins_table(runs: Runs) -> Html:
    """Show what requests by hand and by rules bring, with each method of the learning curve."""
    record = record_of("label_origins")
    names = ("naive Bayes", "word table", "fixed vectors")
    tuned = {name: _tested(made) for name, made in record["fine-tuned"]["runs"].items()}
    tuned["all 630"] = runs.right_with("full", 630)
    rows = []
    for sample, full in tuned.items():
        cheap = (f"{_tested(record['cheap'][sample][name]).mean():.3f}" for name in names)
        rows.append((sample, *cheap, _with_ends(full.mean(axis=1))))
    return html(
        result_table([*names, "full"], rows, "learned from"),
        "Right on the test part. Full fine-tuning: the mean of three runs, with all 630 of five, "
        "from the lowest to the highest.",
    )


def _with_ends(shares: Float[np.ndarray, " runs"]) -> str:
    return f"{shares.mean():.2f} ({shares.min():.2f}\u2060–\u2060{shares.max():.2f})"


def glosses_table() -> Html:
    """Show what the methods bring on definitions out of WordNet, with few labels and with many."""
    record = record_of("glosses")
    sizes = sorted({run["of each"] for run in record["curve"]})
    curve = {(run["name"], run["of each"]): run["right"] for run in record["curve"]}
    truth = glosses_truth()
    rows = []
    for name, answers in record["whole"].items():
        hits = np.array([*map(int, answers)]) == truth
        few = (f"{np.mean(curve[name, size]):.2f}" for size in sizes)
        rows.append((name, *few, share_and_interval(hits.astype(float))))
    hits = np.array([*map(int, record["classify"]["answers"])]) == truth
    rows.append(("fine-tuned", *[""] * len(sizes), share_and_interval(hits.astype(float))))
    columns = [*(f"{size} of each" for size in sizes), "all 1,400, interval"]
    return html(
        result_table(columns, rows),
        "Right of 300 glosses, ten kinds; few labels: means of three draws.",
    )


def glosses_truth() -> Int[np.ndarray, " rows"]:
    """Give the numbers of the true kinds of the 300 glosses that are asked about."""
    table = read_table(glosses_file(), "gloss", "kind")
    labels = table.labels or []  # the stored table has them
    kinds = sorted(set(labels))
    return np.array([kinds.index(labels[row]) for row in split_rows(table, seed=0).test])
