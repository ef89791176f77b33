"""The facts of a report in words, as Markdown. Chapter 19."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Facts = Mapping[str, Any]
WIDEST = 12  # columns of a confusion matrix that can still be read
FEW_UNITS = 30


def report_in_words(facts: Facts, folder: str | Path) -> str:
    """Return the report as Markdown."""
    sections = (_data, _result, _each, _calibration, _promises, _look_at)
    lines = [line for section in sections for line in [*section(facts), ""]]
    where = shlex.quote(str(folder))
    lines += [
        "## What to type next",
        "",
        f"    python -m minibert.classify predict {where} 'a text'",
    ]
    return "\n".join([f"# The classifier in {str(folder)!r}", "", *lines, ""])


def _data(facts: Facts) -> list[str]:
    rows = facts["rows"]
    return [
        f"Learned from {rows['train']:,} rows, chosen with {rows['validation']:,} (when to stop, "
        f"temperature, thresholds), asked once about {rows['test']:,}. All that follows is about "
        "the latter.",
        "",
        *(f"- {note}" for note in facts["notes"]),
    ]


def _result(facts: Facts) -> list[str]:
    """Compare with the rivals, and say what that is worth."""
    rows = [
        [r["name"], f"{r['right']:.3f}", _span(r, facts["rows"]["test"]), f"{r['macro_f1']:.3f}"]
        for r in facts["rivals"]
    ]
    lead, low, high = facts["lead"]
    told = (
        f"The difference to counted words is {lead:+.3f}, with 95 % from {low:+.3f} to {high:+.3f}"
    )
    if low > 0:
        told += ": the classifier is ahead."
    elif high < 0:
        told += ": **counting words is better here**, and cheaper. Use that."
    else:
        told += ": no clear difference. Counting words costs next to nothing; or give more rows."
    units = facts["blocks"]
    over = "rows" if units == facts["rows"]["test"] else f"{units:,} blocks (groups and copies)"
    few = " So few say little." if units < FEW_UNITS else ""
    return [
        "## How often it is right",
        "",
        *_table(["", "right", "95 % interval", "macro F1"], rows),
        "",
        f"{told} Intervals are over {over} of one test part and one run; another seed is another "
        f"run.{few}",
    ]


def _span(rival: Facts, rows: int) -> str:
    """Return an interval; if all is right or all wrong, what n rows can exclude."""
    low, high = rival["interval"]
    edge = 0.05 ** (1 / rows)
    if low == high:
        low, high = (edge, 1.0) if rival["right"] else (0.0, 1 - edge)
    return f"{low:.3f} to {high:.3f}"


def _each(facts: Facts) -> list[str]:
    """Show each label: how often it is found, and what it is taken for."""
    names, lines = facts["classes"], []
    scores = [
        [name, n, f"{precision:.2f}", f"{recall:.2f}", f"{f1:.2f}"]
        for name, (precision, recall, f1, n) in zip(names, facts["scores"], strict=True)
    ]
    lines += ["## Each label", ""]
    lines += _table(["label", "rows", "precision", "recall", "F1"], scores)
    if len(names) <= WIDEST:
        table = [[f"**{name}**", *row] for name, row in zip(names, facts["confusion"], strict=True)]
        lines += ["", "Rows are true labels, columns are answers:", ""]
        lines += _table(["", *names], table)
    if mixed := _most_mixed(facts):
        lines += ["", mixed]
    return lines


def _most_mixed(facts: Facts) -> str:
    """Name the most frequent mistake."""
    names = facts["classes"]
    count, true, answer = max(
        (count, names[t], names[a])
        for t, row in enumerate(facts["confusion"])
        for a, count in enumerate(row)
        if t != a
    )
    return f"Its most frequent mistake, {count:,} times: {answer} for {true}." if count else ""


def _calibration(facts: Facts) -> list[str]:
    before, after = facts["calibration_error"]
    right = facts["rivals"][-1]["right"]
    bins = [
        [f"{low:.1f} to {high:.1f}", count, f"{sure:.2f}", f"{share:.2f}"]
        for low, high, count, sure, share in facts["bins"]
    ]
    return [
        "## Can its probabilities be believed?",
        "",
        f"It believes {facts['sure'][0]:.2f} on average and is right in {right:.2f}. Scores are "
        f"divided by the temperature {facts['temperature']:.2f}, from the rows to choose with; "
        f"then it believes {facts['sure'][1]:.2f}, and the calibration error goes from "
        f"{before:.3f} to {after:.3f}{', no gain on these rows' * (after >= before)}.",
        "",
        *_table(["believed", "answers", "mean", "right"], bins),
    ]


def _promises(facts: Facts) -> list[str]:
    """Say from which probability each label is answered, and what that came to."""
    promise, rows, kept, right = facts["promise"], [], 0, 0
    for name, level, (given, good) in zip(
        facts["classes"], facts["thresholds"], facts["answered"], strict=True
    ):
        kept, right = kept + given, right + good
        share = f"{good / given:.2f}" if given else "–"
        rows.append([name, "never" if level is None else f"{level:.2f}", given, share])
    total = facts["rows"]["test"]
    told = f"It answers {kept:,} of {total:,} rows"
    told += f", {right / kept:.3f} of them right" if kept else ""
    never = [name for name, level in zip(facts["classes"], facts["thresholds"]) if level is None]
    lines = [
        '## When it says "I do not know"',
        "",
        f"A label is answered from the lowest probability at which {100 * promise:g} % of its "
        "answers are right, by a lower bound: one such bound is too high in one of ten cases, the "
        "lowest of many somewhat more often.",
        "",
        *_table(["label", "answered from", "answers", "right"], rows),
        "",
        f'{told}; to {total - kept:,} it says "I do not know".',
    ]
    if never:
        lines += [
            "",
            f"Never answered: {', '.join(never)}. The rows to choose with are too few, or too "
            f"often wrong, to promise {100 * promise:g} %: give more, or a lower --promise.",
        ]
    return lines


def _look_at(facts: Facts) -> list[str]:
    return [
        "## What to look at first",
        "",
        "Wrong, the least probable labels first. Is the label right? That is the cheapest to mend:",
        "",
        *(_row(row) for row in facts["wrong"]),
        *([] if facts["wrong"] else ["- none"]),
        "",
        "Least sure:",
        "",
        *(_row(row) for row in facts["unsure"]),
    ]


def _row(row: Facts) -> str:
    text = " ".join(row["text"].split())
    shown = text if len(text) <= 100 else f"{text[:99]}…"
    return (
        f"- line {row['line']}, labeled {row['label']}, answered {row['answer']} with "
        f"{row['probability']:.2f}: {shown}"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
