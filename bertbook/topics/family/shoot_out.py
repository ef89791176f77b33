"""The record of Chapter 25's shoot-out in tables: losses above the floor, and paired differences.

Also the record of the word three back. Every interval is Student's t over five seeds.
"""

import statistics
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table

Runs = Sequence[float] | np.ndarray

T_OF_FIVE = 2.776  # Student's t, 95 %, 4 degrees of freedom
START = "DistilBERT, teacher's start"
WAYS = {  # how one layer learns: its member, its part of the record, and how the table says it
    "alone": ("DistilBERT, alone", "updates"),
    "taught": ("DistilBERT, taught", "updates"),
    "taught, 3 losses": ("DistilBERT, 3 losses", "apart"),
    "teacher’s start, words only": (START, "apart"),
    "alone, in the time of both": ("DistilBERT, alone", "time of both"),
}


def member_runs(record: Mapping, member: str, part: str, name: str) -> list[float]:
    """Return one number of the five runs of a member."""
    return [
        run[name]
        for run in record["runs"]
        if (run["member"], run["part"]) == (member, part) and run["seed"] < 5 and name in run
    ]


def above_floor(record: Mapping, member: str, part: str = "updates") -> Float[np.ndarray, " rows"]:
    """Return how far above the floor the runs of a member are, nats a hidden word."""
    found = member_runs(record, member, part, "masked_lm_loss")
    return np.array(found) - record["floor"]["value"]


def paired_interval(first: Runs, second: Runs) -> tuple[float, float, float]:
    """Return the mean difference of runs with equal seeds, and its 95 % interval."""
    away = np.subtract(first, second)
    half = T_OF_FIVE * away.std(ddof=1) / np.sqrt(len(away))
    return float(away.mean()), float(away.mean() - half), float(away.mean() + half)


def members_table(record: Mapping) -> Html:
    """Show all members after equally many updates."""
    members = dict.fromkeys(r["member"] for r in record["runs"] if r["part"] == "updates")
    rows = [_row(record, member, "updates") for member in members]
    best = record["ladder"]["sentence"] - record["floor"]["value"]
    rows.append(["best possible, one sentence", f"{best:.2f}", "", ""])
    note = (
        f"{record['updates']} updates, five seeds, ± sd. Loss at hidden words in nats above the "
        f"floor, {record['floor']['value']:.3f}; paired difference from RoBERTa with its interval; "
        "right answers about pairs."
    )
    return html(result_table(["above floor", "minus RoBERTa", "pairs"], rows, "member"), note)


def equal_time_table(record: Mapping) -> Html:
    """Show those whose updates take another time than BERT's, in BERT's seconds."""
    rows = []
    for member in dict.fromkeys(r["member"] for r in record["runs"] if r["part"] == "time"):
        updates = member_runs(record, member, "time", "updates")[0]
        name, *cells = _row(record, member, "time")
        rows.append([name, str(updates), *cells])
    columns = ["updates", "above floor", "minus RoBERTa", "pairs"]
    note = "In the processor seconds of BERT’s 400 updates; RoBERTa’s 400 take as long."
    return html(result_table(columns, rows, "member"), note)


def apart_table(record: Mapping, members: Sequence[str], note: str) -> Html:
    """Put some members, or ideas alone, beside RoBERTa."""
    rows = [
        _row(record, m, "updates" if member_runs(record, m, "updates", "seed") else "apart")
        for m in members
    ]
    return html(result_table(["above floor", "minus RoBERTa", "pairs"], rows, "member"), note)


def starts_table(record: Mapping) -> Html:
    """Show one layer that learns in five ways."""
    rows, start = [], above_floor(record, *WAYS["teacher’s start, words only"])
    for label, way in WAYS.items():
        runs = above_floor(record, *way)
        updates = str(member_runs(record, *way, "updates")[0])
        away = "" if way[0] == START else _ends(*paired_interval(runs, start)[1:])
        rows.append([label, updates, _spread(runs), away])
    columns = ["updates", "above floor", "minus teacher’s start"]
    return html(result_table(columns, rows, "one layer"),
                "Five seeds, ± sd. In the last row nobody trained a teacher.")  # fmt: skip


def three_back_table(record: Mapping) -> Html:
    """Show right words among 16 and behind them, for every way to know positions."""
    rows = []
    for row in record["rows"]:
        behind = row["runs"]["behind"]
        short = row["mean_and_sd"]["short"]["mean"]
        rows.append([row["name"], f"{row['rate']:g}", f"{short:.2f}",
                     f"{statistics.mean(behind):.2f}",
                     f"{min(behind):.2f} to {max(behind):.2f}"])  # fmt: skip
    columns = ["rate", "rows of 16", "17 to 64", "five runs"]
    note = "Right words; by chance 0.08. Mean of five seeds, and the lowest and highest run."
    return html(result_table(columns, rows, "positions"), note)


def _row(record: Mapping, member: str, part: str) -> list[str]:
    runs, sure = above_floor(record, member, part), member_runs(record, member, part, "accuracy")
    away = ""
    if len(runs) and member != "RoBERTa":
        away = _ends(*paired_interval(runs, above_floor(record, "RoBERTa"))[1:])
    return [member, _spread(runs) if len(runs) else "", away, _spread(sure)]


def _spread(runs: Runs) -> str:
    return f"{statistics.mean(runs):.2f} ± {statistics.stdev(runs):.2f}"


def _ends(low: float, high: float) -> str:
    return f"{low:+.2f} to {high:+.2f}"
