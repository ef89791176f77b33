"""What Chapter 22 shows: searches with their intervals, runs with one thing changed, hits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import numpy as np
from jaxtyping import Float

from bertbook.core.attention_maps import bootstrap_interval
from bertbook.core.html import Html, html
from bertbook.core.tables import LEFT, ranged, result_table, with_sign

from .ranking import ndcgs, recalls, reciprocal_ranks

WITHOUT_CHANGE, BY_WORDS = "as in the chapter", "words in common (BM25)"
SHOWN = {
    WITHOUT_CHANGE: "the run above",
    "random start": "random start",
    "8 rows, as many pairs": "8 rows, 1200 updates",
    "temperature 0.2": "temperature 0.2",
    "hard negatives": "hard negatives",
}


def _interval(values: Float[np.ndarray, " queries"]) -> str:
    return ranged(map(float, bootstrap_interval(values, rng=np.random.default_rng(0))))


def search_table(searches: Mapping[str, Sequence[int]]) -> Html:
    """Show the MRR of each search with its interval, and the two other measures.

    Args:
        searches: The ranks of the right documents, by the name of the search.

    Returns:
        A displayable table.
    """
    rows, queries = [], 0
    for name, found in searches.items():
        ranks = np.asarray(found)
        gains, queries = reciprocal_ranks(ranks), len(ranks)
        others = (recalls(ranks, 10), ndcgs(ranks, 10))
        rows.append([name, f"{gains.mean():.2f}", _interval(gains),
                     *(f"{measure.mean():.2f}" for measure in others)])  # fmt: skip
    columns = ["MRR", "interval", "recall@10", "nDCG@10"]
    note = f"{queries} queries; the interval of the MRR is a bootstrap over them."
    return html(result_table(columns, rows, "search"), note)


def best_runs(runs: Sequence[Mapping]) -> list[Mapping]:
    """Take the runs at the rate that the first seed found best on other stories."""
    first = (run for run in runs if run["seed"] == 0)
    best = max(first, key=lambda run: run["development"])["rate"]
    return sorted((run for run in runs if run["rate"] == best), key=lambda run: run["seed"])


def settings_table(runs: Mapping[str, Sequence[Mapping]]) -> Html:
    """Show each change at the best of its rates, beside the run without it.

    Args:
        runs: The runs of ``records/search_runs.json``.

    Returns:
        A displayable table.
    """
    base, rows = gains_of(runs[WITHOUT_CHANGE]), []
    for name, shown in SHOWN.items():
        best, gains = best_runs(runs[name]), gains_of(runs[name])
        means = gains.mean(axis=1)
        spread = f" ± {means.std(ddof=1):.2f}" if len(means) > 1 else ""
        more = (gains[: len(base)] - base[: len(gains)]).mean(axis=0)
        beside = ["", ""] if name == WITHOUT_CHANGE else [with_sign(more.mean()), _interval(more)]
        rows.append([shown, f"{best[0]['rate']:g}", f"{means.mean():.2f}{spread}", *beside])
    note = (
        f"MRR over {base.shape[1]} queries, mean ± sd of {len(base)} seeds; the difference from "
        "the run above, and its bootstrap interval over queries."
    )
    return html(result_table(["rate", "MRR", "more", "interval"], rows, "changed"), note)


def gains_of(runs: Sequence[Mapping]) -> Float[np.ndarray, "rows queries"]:
    """Give 1 / rank at the best rate, a row for each seed and a column for each query."""
    return np.stack([reciprocal_ranks(np.array(run["ranks"])) for run in best_runs(runs)])


def outside_table(collections: Mapping[str, Mapping[str, Sequence]]) -> Html:
    """Compare searches in collections from outside: the MRR, and the paired lead over words.

    Args:
        collections: By the name of the collection and of the search: the ranks of the right
            documents.

    Returns:
        A displayable table.
    """
    rows, notes = [], []
    for collection, searches in collections.items():
        gains = {name: reciprocal_ranks(np.array(ranks)) for name, ranks in searches.items()}
        words = gains[BY_WORDS]
        notes.append(f"{len(words)} queries, {collection}")
        for name, own in gains.items():
            ahead = own - words
            lead = "" if name == BY_WORDS else f"{ahead.mean():+.3f}, {_interval(ahead)}"
            rows.append([f"{collection}: {name}", f"{own.mean():.2f}", lead])
    return html(result_table(["MRR", "minus BM25, interval"], rows, "search"),
                f"{'; '.join(notes)}. Bootstrap intervals over queries.")  # fmt: skip


def found_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write what a search has found as a table, best first.

    Args:
        heads: The heads of the two columns.
        rows: The cells of each row.

    Returns:
        HTML.
    """
    first, second = map(escape, heads)
    body = "".join(f"<tr><td>{escape(a)}</td><td {LEFT}>{escape(b)}</td></tr>" for a, b in rows)
    head = f"<tr><th>{first}</th><th {LEFT}>{second}</th></tr>"
    return f'<table class="mb-table">{head}{body}</table>'
