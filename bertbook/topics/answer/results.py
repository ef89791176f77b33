"""What the readers of Chapter 18 reach, with intervals over passages, as tables."""

import statistics
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from bertbook.core.attention_maps import grouped_interval
from bertbook.core.html import Html, html, with_minus
from bertbook.core.metrics import score_answers
from bertbook.core.tables import ranged, result_table, with_sign
from bertbook.corpus import passage_questions

MEASURES = {
    "exact_match": "exact match",
    "f1": "F1",
    "has_answer_f1": "F1 with an answer",
    "forced_f1": "F1 with an answer, forced",
    "no_answer_accuracy": "silent without an answer",
}
ASKED = {"has_answer_f1": 1, "forced_f1": 1, "no_answer_accuracy": 2}


def over_passages(readers: Sequence[Mapping]) -> Float[np.ndarray, "rows columns"]:
    """Add up the questions of each test passage: how many, and five scores, means over readers."""
    found: dict[str, list] = {}
    for place, question in enumerate(passage_questions("test")):
        true = [[span.text for span in question.answers]]
        scored, forced = (
            [score_answers([run[kept][place]], true) for run in readers]
            for kept in ("test_answers", "test_best_spans")
        )
        exact, f1 = (statistics.mean(score[n] for score in scored) for n in (0, 1))
        must = statistics.mean(score.f1 for score in forced)
        has = bool(question.answers)
        row = [1, has, not has, exact, f1, has * f1, has * must, (not has) * exact]
        found.setdefault(question.context, []).append(row)
    return np.array([np.sum(rows, axis=0) for rows in found.values()])


def readers_table(record: Mapping) -> Html:
    """Say how good the readers of a record are, and those who learn nothing.

    Args:
        record: Of `records/tag_and_answer.json`.
    """
    readers, unasked = ([run["reader"] for run in part["runs"]]
                        for part in (record, record["without_question"]))  # fmt: skip
    sums, rows = over_passages(readers), []
    for name, title in MEASURES.items():
        rows.append([title, *_measured(readers, sums, name)])
    for name, title in (("f1", "F1"), ("forced_f1", "forced")):
        told = _measured(unasked, over_passages(unasked), name)
        rows.append([f"no question seen: {title}", *told])
    for name, reached in record["careless"]["readers"].items():
        rows.append([f"{name}, F1", f"{reached['f1']:.3f}", "—"])
    return html(
        result_table(["mean ± sd over seeds", f"over {len(sums)} passages"], rows),
        f"Readers of {len(readers)} seeds, and of {len(unasked)} without questions, test part.",
    )


def _measured(
    readers: Sequence[Mapping], sums: Float[np.ndarray, "rows columns"], name: str
) -> tuple[str, str]:
    """Write a measure with its deviation over seeds, and its interval over passages."""
    scores = [reader["test"][name] for reader in readers]
    right, asked = sums[:, 3 + [*MEASURES].index(name)], sums[:, ASKED.get(name, 0)]
    ends = grouped_interval(right, asked, rng=np.random.default_rng(17))
    return f"{statistics.mean(scores):.3f} ± {statistics.stdev(scores):.3f}", ranged(ends)


def windows_table(record: Mapping) -> Html:
    """Compare readers that learned from windows with the answer and from all windows.

    Args:
        record: Of `records/tag_and_answer.json`.
    """
    usual = {run["seed"]: run["reader"] for run in record["runs"]}
    rows = [_of_windows("with the answer, 3 epochs", [*usual.values()], [*usual.values()])]
    others = {"every_window": "all, 2 epochs", "equal_epochs": "all, 3 epochs"}
    for name in filter(record.__contains__, others):
        runs, title = record[name]["runs"], others[name]
        rows.append(
            _of_windows(title, [r["reader"] for r in runs], [usual[r["seed"]] for r in runs])
        )
    return html(
        result_table(["F1", "ahead by", "thresholds"], rows, "windows"),
        "Readers by the windows that they learned from, test part.",
    )


def _of_windows(title: str, readers: Sequence[Mapping], rivals: Sequence[Mapping]) -> list[str]:
    f1 = statistics.mean(reader["test"]["f1"] for reader in readers)
    row = [
        f"{title} ({readers[0]['updates']} updates), {len(readers)} seed{'s' * (len(readers) > 1)}",
        f"{f1:.2f}",
    ]
    limits = sorted(reader["threshold"] for reader in readers)
    range_of_limits = (
        ranged([limits[0], limits[-1]], 1) if len(limits) > 1 else with_minus(limits[0], 1)
    )
    return [*row, "" if readers == rivals else _lead(readers, rivals), range_of_limits]


def _lead(readers: Sequence[Mapping], rivals: Sequence[Mapping]) -> str:
    own, other = over_passages(readers), over_passages(rivals)
    ahead = own[:, 4] - other[:, 4]
    ends = grouped_interval(ahead, own[:, 0], rng=np.random.default_rng(17))
    return f"{with_sign(ahead.sum() / own[:, 0].sum())} ({ranged(ends)})"
