"""What the taggers of Chapter 17 reach, with intervals over sentences, as tables."""

import statistics
from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float

from bertbook.core.html import Html, html
from bertbook.core.tables import ranged, result_table, with_sign
from bertbook.corpus import entity_sentences
from bertbook.corpus.datasets.verse_names import kinds_by_eye

from .tagging import find_entities

DRAWS = 2000
READERS = {  # of verses: how their names begin in the record, and how they are shown
    "counted": "counted",
    "frozen": "frozen vectors",
    "tagger": "tagger, two seeds",
}
SHOWN = {  # how the verses were written in training, and how when a name was asked
    "as they stand": ("as it stands", "as it stands"),
    "other words shuffled": ("as it stands", "other words shuffled"),
    "an invented name": ("as it stands", "an invented name"),
    "[MASK] for the name": ("as it stands", "[MASK] for the name"),
    "the same, learned so": ("[MASK] for the name", "[MASK] for the name"),
    "the name alone, learned so": ("the name alone", "the name alone"),
}
ALONE = {"the name": "the name alone, learned so", "the context": "the same, learned so"}
KINDS = {"PER": "persons", "LOC": "places", "ORG": "organizations"}


def drawn_f1(counts: Sequence[Sequence[Sequence[int]]]) -> Float[np.ndarray, " columns"]:
    """F1 of all sentences in front, then of sentences drawn with replacement, means over runs.

    For each run and sentence `counts` has the names that are right, found and true.
    """
    table = np.asarray(counts, dtype=float)
    drawn = np.random.default_rng(17).integers(table.shape[1], size=(DRAWS, table.shape[1]))
    sums = [table.sum(axis=1)[:, None], table[:, drawn].sum(axis=2)]
    both = np.concatenate(sums, axis=1)  # (runs, 1 + draws, 3)
    return (2 * both[..., 0] / (both[..., 1] + both[..., 2])).mean(axis=0)


def middle_of(values: Float[np.ndarray, " columns"]) -> Float[np.ndarray, "2"]:
    """Leave out what was drawn lowest and highest, 2.5 % at each end."""
    return np.quantile(values[1:], [0.025, 0.975])


def counts_of_names(found: Sequence[Sequence], borders: bool = False) -> list[list[int]]:
    """Count for each sentence of the test part the names that are right, found and true."""
    rows = []
    for names, (_, tags) in zip(found, entity_sentences("test"), strict=True):
        true = find_entities(tags)
        given, wanted = (
            {tuple(name)[-2:] if borders else tuple(name) for name in some}
            for some in (names, true)
        )
        rows.append([len(given & wanted), len(given), len(wanted)])
    return rows


def kinds_table(record: Mapping) -> Html:
    """Say how good the taggers of a record are, for all names and for each kind.

    Args:
        record: Of `records/tag_and_answer.json`.
    """
    runs = record["runs"]
    rows = []
    for kind, title in {"all": "all names", **KINDS}.items():
        scores = [run["tagger"]["test"][kind] for run in runs]
        columns = [[score[name] for score in scores] for name in ("precision", "recall", "f1")]
        means = [f"{statistics.mean(values):.3f}" for values in columns]
        means[-1] += f" ± {statistics.stdev(columns[-1]):.3f}"
        rows.append([title, *means])
    return html(
        result_table(["precision", "recall", "F1 ± sd"], rows),
        f"Taggers of {len(runs)} seeds, test part.",
    )


def borders_table(record: Mapping, rules: Mapping[str, Sequence[Sequence]]) -> Html:
    """Put taggers beside rules that learn nothing: where names stand, and of which kind they are.

    Args:
        record: Of `records/tag_and_answer.json`.
        rules: For each rule the pairs (start, end) that it finds, a list for each sentence of the
            test part.
    """
    names = [run["names"] for run in record["every_window"]["runs"]]
    ends = drawn_f1([run["end_counts"] for run in names])
    whole = drawn_f1([run["counts"] for run in names])
    rows = []
    for title, found in rules.items():
        rule = drawn_f1([counts_of_names(found, borders=True)])
        rows.append([title, _told(rule), _ahead(ends - rule), "no kinds"])
    rows.append([f"tagger, {len(names)} seeds", _told(ends), "", _told(whole)])
    return html(
        result_table(["borders alone", "tagger ahead by", "with the kind"], rows, "F1"),
        "Taggers beside rules, 134 sentences.",
    )


def nonsense_table(record: Mapping) -> Html:
    """Say what names cost that nobody has ever seen: with the kind, and at the borders alone.

    Args:
        record: Of `records/tag_and_answer.json`.
    """
    names = [run["names"] for run in record["every_window"]["runs"]]
    rows = []
    for title, kept in (("with the kind", "counts"), ("borders alone", "end_counts")):
        usual, strange = (
            drawn_f1([run[f"{before}{kept}"] for run in names]) for before in ("", "nonsense_")
        )
        lost = usual - strange
        rows.append([title, f"{usual[0]:.2f}", f"{strange[0]:.2f}",
                     f"{lost[0]:.2f} ({ranged(middle_of(lost))})"])  # fmt: skip
    return html(
        result_table(["as they are", "invented", "lost"], rows, "F1"),
        "What invented names cost, five seeds.",
    )


def controls_table(record: Mapping) -> Html:
    """Say how often a word is taken for a name, in the place of a name and elsewhere.

    Args:
        record: Of `records/tag_controls.json`.
    """
    runs = record["runs"]
    places = [*runs[0]["taken"]["[MASK]"]]
    asked = [len(runs[0]["taken"]["[MASK]"][place]) for place in places]
    rows = []
    for word in runs[0]["taken"]:
        shares = [[_share(run["taken"][word][place]) for run in runs] for place in places]
        rows.append([word, *(f"{statistics.mean(x):.2f} ({ranged((min(x), max(x)))})"
                             for x in shares)])  # fmt: skip
    mixed = drawn_f1([run["shuffled_end_counts"] for run in runs])
    return html(
        result_table(places, rows, "put there"),
        f"Taken for a name, of {asked[0]} names of one word and {asked[1]} common words, five "
        "seeds, from the lowest to the highest. With all names kept and the other words of each "
        f"sentence in another order, the F1 of the borders is {mixed[0]:.2f}.",
    )


def drawn_shares(
    record: Mapping, reader: str, learned: str, asked: str
) -> Float[np.ndarray, " columns"]:
    """Share of right answers about all names in front, then about names drawn with replacement.

    Means over the runs whose name begins with `reader`; `learned` and `asked` say how the verses
    were written in training and in the test.
    """
    runs = [ways[learned][asked] for name, ways in record["right"].items()
            if name.startswith(reader)]  # fmt: skip
    hits = np.mean([[int(hit) for hit in run] for run in runs], axis=0)
    _, name_of = np.unique([each["name"] for each in record["asked"]], return_inverse=True)
    sums, counts = np.bincount(name_of, weights=hits), np.bincount(name_of)
    drawn = np.random.default_rng(17).integers(len(sums), size=(DRAWS, len(sums)))
    shares = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return np.concatenate([[sums.sum() / counts.sum()], shares])


def verse_names_table(record: Mapping) -> Html:
    """Say how often readers tell persons from places in verses, by what they are shown.

    Args:
        record: Of `records/verse_names.json`.
    """
    shares = {
        title: [drawn_shares(record, reader, *ways) for reader in READERS]
        for title, ways in SHOWN.items()
    }
    rows = [
        [title, *(f"{rival[0]:.2f}" for rival in rivals), _told(tagger)]
        for title, (*rivals, tagger) in shares.items()
    ]
    rows += [
        [f"ahead of {rest} alone", *map(_ahead, np.subtract(shares["as they stand"], shares[way]))]
        for rest, way in ALONE.items()
    ]
    seeds = [name for name in record["right"] if name.startswith("tagger")]
    by_seed = (
        drawn_shares(record, seed, *SHOWN["as they stand"])[0]
        - drawn_shares(record, seed, *SHOWN["the name alone, learned so"])[0]
        for seed in seeds
    )
    asked, eye = record["asked"], kinds_by_eye()
    names, kinds = ([each[column] for each in asked] for column in ("name", "kind"))
    usual = max(kinds.count(kind) for kind in {*kinds}) / len(kinds)
    of_places = {(each["verse"], each["name"]): each["kind"] for each in asked}
    right = np.mean([of_places[place] == kind for place, kind in eye.items()])
    return html(
        result_table([*READERS.values()], rows, "verses"),
        f"Person or place? Right of {len(asked)} places of {len({*names})} names. Always the same "
        f"kind gets {usual:.2f}, and so does a list of the names in training. Of {len(eye)} places "
        f"that were read by eye, {right:.2f} have the right kind. By seed the taggers lead the "
        f"name by {' and '.join(map(with_sign, by_seed))}.",
    )


def _share(hits: str) -> float:
    return hits.count("1") / len(hits)


def _told(values: Float[np.ndarray, " columns"]) -> str:
    return f"{values[0]:.2f} ({ranged(middle_of(values))})"


def _ahead(values: Float[np.ndarray, " columns"]) -> str:
    return f"{with_sign(values[0])} ({ranged(middle_of(values))})"
