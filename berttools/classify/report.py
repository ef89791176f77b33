"""The facts of a report in words, as Markdown. Chapter 19."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .calibration import is_at_end
from .thresholds import least_answers

Facts = Mapping[str, Any]
WIDEST = 12  # columns of a confusion matrix that can still be read
FEW_UNITS = 30  # of fewer, two digits would say more than is known


def report_as_markdown(facts: Facts, folder: str | Path) -> str:
    """Return the report as Markdown."""
    sections = (_data, _choice, _result, _each, _refusals, _calibration, _look_at)
    lines = [line for section in sections for line in [*section(facts), ""]]
    command = f"    minibert classify predict {shlex.quote(str(folder))} 'a text'"
    lines += ["## What to type next", "", command, ""]
    return "\n".join([f"# The classifier in {str(folder)!r}", "", *lines])


def _data(facts: Facts) -> list[str]:
    rows = facts["rows"]
    text = (
        f"Learned from {rows['train']:,} rows. {rows['validation']:,} others were there to choose "
        f"with: when to stop, the temperature, the thresholds. {rows['test']:,} more were asked "
        "about, once; all results below are of these."
    )
    return [text, "", *(f"- {note}" for note in facts["notes"])]


def _choice(facts: Facts) -> list[str]:
    """Say what was compared on the rows to choose with, and what was taken."""
    rows = [
        [one["method"], one["weights"], f"{one['right']:.3f}", f"{one['macro_f1']:.3f}",
         f"{abs(one['loss']):.3f}", "used" if one["used"] else ""]
        for one in facts["compared"]
    ]  # fmt: skip
    how = "has most of these rows right" if facts["use"] == "best" else "was asked for by --use"
    text = (
        f"This folder answers with **{facts['used']}**, which {how}; where two have equally many, "
        "the loss decides; --class-weights and --use choose by hand. What was chosen here looks "
        "better here than it is: believe what follows."
    )
    head = ["method", "class weights", "right", "macro F1", "loss", ""]
    return ["## What answers", "", *_table(head, rows), "", text]


def _result(facts: Facts) -> list[str]:
    """Compare with the other methods, and say what that is worth."""
    asked, units = facts["rows"]["test"], facts["blocks"]
    rows = [
        [r["name"], f"{r['right']:.3f}", _span(r, units), f"{r['macro_f1']:.3f}"]
        for r in facts["rivals"]
    ]
    over = "rows" if units == asked else f"{units:,} blocks (rows of one group or one text)"
    text = [_lead(facts["used"], name, lead, units) for name, lead in facts["leads"].items()]
    text.append(
        f"Intervals are over {over} of one test part and one run; another seed is another run."
        f"{' So few say little.' * (units < FEW_UNITS)}"
    )
    table = _table(["", "right", "95 % interval", "macro F1"], rows)
    macro = "Macro F1 is the mean of F1 over the labels with rows here, rare ones and common alike."
    return ["## How often it is right", "", *table, "", " ".join(text), "", macro]


def _lead(used: str, other: str, lead_of: Sequence[float], units: int) -> str:
    """Say how far what is used is ahead of another method."""
    lead, low, high = lead_of if units > 1 else (lead_of[0], -1.0, 1.0)
    verdict = "no clear difference; more rows may tell."
    if low > 0:
        verdict = f"{used} is ahead."
    elif high < 0:
        verdict = f"**{other} is better here**."
    return (
        f"The difference of {used} to {other} is {lead:+.3f}, with 95 % from {low:+.3f} to "
        f"{high:+.3f}: {verdict}"
    )


def _span(row: Facts, units: int) -> str:
    """Return an interval; if all is right or all wrong, what n units can exclude."""
    low, high = row["interval"]
    edge = 0.05 ** (1 / units)
    if row["right"] in (0, 1):
        low, high = (edge, 1.0) if row["right"] else (0.0, 1 - edge)
    return f"{low:.3f} to {high:.3f}" if low < high else "–"


def _share(right: int, of: int) -> str:
    """Return a share; of few, both numbers."""
    return f"{right / of:.2f}" if of >= FEW_UNITS else f"{right} of {of}" if of else "–"


def _each(facts: Facts) -> list[str]:
    """Show of each label how often it is found, when it is answered, and what it is taken for."""
    names, counts = facts["classes"], facts["confusion"]
    given = [sum(column) for column in zip(*counts, strict=True)]
    rows = []
    for k, (name, (*_, f1, n)) in enumerate(zip(names, facts["scores"], strict=True)):
        level, (kept, good), right = facts["thresholds"][k], facts["answered"][k], counts[k][k]
        shown = "never" if level is None else f"{level:.2f}{' *' * facts['shared'][k]}"
        shares = _share(right, given[k]), _share(right, n)
        f1 = f"{f1:.{2 if n >= FEW_UNITS else 1}f}" if n else "–"
        rows.append([name, n, *shares, f1, shown, kept, _share(good, kept)])
    head = ["label", "rows", "precision", "recall", "F1", "answered from", "answers", "right"]
    text = (
        "Precision: right of all its answers. Recall: right of its rows. F1: their harmonic mean. "
        f"A label is answered from the lowest probability at which {_percent(facts)} of its "
        "answers to the rows to choose with are right, and that by a cautious estimate: a lower "
        "bound, too high in one of ten cases, the lowest of many somewhat more often. The last two "
        "columns are of the answers from there on."
    )
    lines = ["## Each label", "", text, "", *_table(head, rows)]
    if len(names) <= WIDEST:
        table = [[f"**{name}**", *row] for name, row in zip(names, counts, strict=True)]
        lines += [
            "",
            "Rows are true labels, columns are answers:",
            "",
            *_table(["", *names], table),
        ]
    return lines


def _percent(facts: Facts) -> str:
    return f"{100 * facts['promise']:g} %"


def _calibration(facts: Facts) -> list[str]:
    before, after = facts["calibration_error"]
    text = (
        f"It believes {facts['sure'][0]:.2f} on average and is right in "
        f"{facts['rivals'][-1]['right']:.2f}. Scores are divided by the temperature "
        f"{facts['temperature']:.2f}, from the rows to choose with; then it believes "
        f"{facts['sure'][1]:.2f}, and the calibration error (how far both are apart, on average "
        f"over ten bins of probability) goes from {before:.3f} to "
        f"{after:.3f}{', no gain on these rows' * (after >= before)}."
    )
    if is_at_end(facts["temperature"]):
        text += (
            " This temperature is at an end of what is looked through: the rows to choose with are "
            "all right, or all wrong, and do not say how sure is too sure. Give more of them "
            "before you rely on a probability."
        )
    return ["## Can its probabilities be believed?", "", text]


def _refusals(facts: Facts) -> list[str]:
    """Say how many rows are answered, and what that needs."""
    total, least = facts["rows"]["test"], least_answers(facts["promise"])
    kept, right = map(sum, zip(*facts["answered"], strict=True))
    share = f", {right:,} of them right" if kept else ""
    lines = [
        f"It answers {kept:,} of {total:,} rows{share}; to {'the other' if kept else 'all'} "
        f'{total - kept:,} it says "I do not know".'
    ]
    if any(facts["shared"]):
        lines.append(
            f"Labels with * share one threshold, since each alone has fewer than the {least} "
            "answers to the rows to choose with that a threshold of its own needs. The promise is "
            "for their answers together; one of them alone may keep it less."
        )
    levels = zip(facts["classes"], facts["thresholds"], strict=True)
    if never := [name for name, level in levels if level is None]:
        lines.append(
            f"Never answered: {', '.join(never)}. For {_percent(facts)} a label needs at least "
            f"{least} answers to the rows to choose with, all right, or more with some wrong: give "
            "more rows, or a lower --promise."
        )
    return ['## When it says "I do not know"', *(part for line in lines for part in ("", line))]


def _look_at(facts: Facts) -> list[str]:
    text = (
        "Wrong answers, the least probable labels first. Is the label right? A wrong label is the "
        "cheapest to mend:"
    )
    wrong = [*map(_row, facts["wrong"])] or ["- none"]
    return ["## What to look at first", "", text, "", *wrong]


def _row(row: Facts) -> str:
    text = " ".join(row["text"].split())
    said = f"answered {row['answer']} with {row['probability']:.2f}"
    shown = text if len(text) <= 100 else f"{text[:99]}…"
    return f"- line {row['line']}, labeled {row['label']}, {said}: {shown}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a table in Markdown."""
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in cells]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
