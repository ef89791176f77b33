"""Copies, leaks and parts: against slow searches, and what must never happen."""

import csv
from collections import Counter

import numpy as np
import pytest

from berttools.classify.command import parse_options
from berttools.classify.duplicates import (
    find_duplicates,
    normalize_text,
    plain_text,
    without_copies,
)
from berttools.classify.prepare import prepare
from berttools.classify.splitting import linked_rows, split_rows
from berttools.classify.table import LabeledTable


def random_table(seed, rows=120, **columns):
    """A table in which words, and so texts, come back often."""
    rng = np.random.default_rng(seed)
    forms = ["it hums", "It hums!", "it  hums 12", "bill 7", "Bill 8", "no", "yes it is", "…"]
    texts = [f"{forms[rng.integers(8)]} {'abcdefgh'[rng.integers(8)]}" for _ in range(rows)]
    labels = [str(label) for label in rng.choice(["x", "y", "z"], rows, p=[0.6, 0.3, 0.1])]
    return LabeledTable(texts, labels, lines=list(range(2, rows + 2)), **columns)


@pytest.mark.parametrize("seed", range(5))
def test_duplicates_against_a_search_of_all_pairs(seed):
    table, found = random_table(seed), find_duplicates(random_table(seed))
    texts, keys = table.texts, [*map(plain_text, table.texts)]
    exact = [row for row in range(120) if texts[row] in texts[:row]]
    near = [row for row in range(120) if keys[row] in keys[:row] and row not in exact]
    assert (found.exact, found.near) == (exact, near)
    alike = {tuple(o for o in range(120) if keys[o] == key) for key in keys}
    told = {rows for rows in alike if len({table.labels[row] for row in rows}) > 1}
    assert set(map(tuple, found.contradictions)) == told
    both = list(zip(keys, table.labels, strict=True))
    assert without_copies(table) == [row for row in range(120) if both[row] not in both[:row]]


DIFFERENT = (
    "I program in C|I program in C++|I program in C#|it is +3 degrees|it is -3 degrees|"
    "it is 3 degrees|order 3 of 21|order 13 of 21|3.5 m|35 m|fine :)|fine :(|5 €|5 $|2 > 1|2 < 1|"
    "a/b|ab|100 %|100"
).split("|")


def test_texts_that_differ_in_digits_or_signs_are_kept():
    table = LabeledTable(DIFFERENT, ["x"] * len(DIFFERENT))
    assert without_copies(table) == list(range(len(DIFFERENT)))
    assert find_duplicates(table) == ([], [], [])
    assert linked_rows(table)[:2] == [[0, 1, 2], [3, 4, 5]]
    copies = ["It hums", "it hums.", "It  hums!!", "“It hums”", "IT HUMS?"]
    assert without_copies(LabeledTable(copies, ["x"] * 5)) == [0]
    assert plain_text(" Ｉt   HUMS, “12” times; straße!! ") == "it hums 12 times strasse"


def test_texts_of_one_pattern_stay_together_unless_they_are_most_of_the_table():
    texts = [f"order {n} is late" for n in range(8)] + [f"text {'x' * n}" for n in range(40)]
    table = LabeledTable(texts, [*"ab"] * 24)
    assert sorted(map(len, linked_rows(table)))[-2:] == [1, 8]
    for seed in range(5):
        parts = split_rows(table, seed=seed)
        assert any({*range(8)} <= {*rows} for rows in parts)
    orders = LabeledTable([f"order {n} of 21" for n in range(120)], [*"ab"] * 60)
    assert without_copies(orders) == list(range(120))
    assert [len(rows) for rows in split_rows(orders, seed=0)] == [84, 18, 18]


@pytest.mark.parametrize("seed", range(5))
def test_no_part_knows_a_text_or_a_group_of_another(seed):
    groups = [str(n) for n in np.random.default_rng(seed).integers(0, 40, 120)]
    table = random_table(seed, groups=groups)
    few = table.take(without_copies(table))
    for whole in (table, few):
        try:
            parts = split_rows(whole, seed=seed)
        except ValueError:
            assert len(linked_rows(whole)) < 20
            continue
        assert sorted(row for rows in parts for row in rows) == list(range(len(whole)))
        tables = [whole.take(rows) for rows in parts]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            known, asked = ({*map(normalize_text, tables[n].texts)} for n in (one, other))
            assert not known & asked
            assert not {*tables[one].groups} & {*tables[other].groups}


def distinct(labels, **columns):
    return LabeledTable([f"text {'abcdefghij'[n % 10]}{'x' * n}" for n in range(len(labels))],
                 list(labels), **columns)  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_each_part_has_its_share_of_each_class_and_a_class_of_two_is_learned_from_only(seed):
    table = distinct("x" * 600 + "y" * 100 + "z" * 20 + "r" * 3)
    counts = [Counter(table.take(rows).labels) for rows in split_rows(table, seed=seed)]
    small = {"x": 90, "y": 15, "z": 3, "r": 1}
    assert counts == [{"x": 420, "y": 70, "z": 14, "r": 1}, small, small]
    assert split_rows(table, seed=seed) != split_rows(table, seed=seed + 1)
    assert {80, 81} <= {*split_rows(distinct("x" * 40 + "y" * 40 + "zz"), seed=seed).train}


def test_newest_last_and_a_group_goes_with_its_newest_row():
    times = [f"2024-{1 + n % 12:02}-{1 + n % 28:02}T10:{n % 60:02}+00:00" for n in range(200)]
    parts = split_rows(distinct("xy" * 100, times=times), seed=0)
    assert [len(rows) for rows in parts] == [140, 30, 30]
    newest = [max(times[row] for row in rows) for rows in parts]
    oldest = [min(times[row] for row in rows) for rows in parts]
    assert newest[0] <= oldest[1] and newest[1] <= oldest[2]
    groups = {"times": [*map(str, range(40))], "groups": ["a", *map(str, range(38)), "a"]}
    parts = split_rows(distinct("xy" * 20, **groups), seed=0)
    assert {0, 39} <= {*parts.test}
    assert max(parts.train) < min({*parts.validation})


def test_times_of_several_forms_are_one_order():
    times = ["2024-01-02", "2024-01-01T23:00", "2024-01-02T03:00+05:00", "2024-01-03"]
    table = LabeledTable([*"abcd"], [*"xyxy"], times=times)
    assert split_rows(table, seed=0, shares=(0.25, 0.25)) == ([1, 2], [0], [3])
    told = dict.fromkeys(["31.03.2024", "2024-13-01", "nan"], r"\(line 3\) is neither an ISO date")
    told["2021-01-01"] = "some times are dates and some are numbers"
    for time, problem in told.items():
        table = LabeledTable([*"abcd"], [*"xyxy"], times=["1", time, "2", "3"], lines=[2, 3, 4, 5])
        with pytest.raises(ValueError, match=problem):
            split_rows(table, seed=0)


def notes_of(tmp_path, rows, *options):
    path = tmp_path / "a.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label", "more"), *rows])
    typed = ["train", str(path), "--out", "x", "--use", "words", *options]
    return prepare(parse_options(typed)).notes


def rows_with(labels, count):
    return [(f"text {'x' * n}", labels[n % len(labels)], n) for n in range(count)]


def test_what_is_read_and_what_is_not_is_told(tmp_path):
    rows = rows_with("ab", 40)
    rows += [rows[0], rows[0], rows[1], (rows[2][0].upper() + "!", "a", 0)]
    rows += [("", "a", 0), (rows[3][0], "a", 0)]
    assert notes_of(tmp_path, rows)[:4] == [
        "Rows with a text and a label: 45, with 2 labels.",
        "Others, with an empty field: 1, first line 46.",
        "Copies of texts with the same label, left out: 4 (1 in other case or punctuation).",
        "Texts with several labels, which stay: 1, as in lines 5, 47: 'text xxx'.",
    ]


def test_labels_with_few_rows_and_parts_that_are_too_large_are_told(tmp_path):
    told = notes_of(tmp_path, rows_with("abcdefghij", 80), "--promise", "0.6")
    assert told[1] == "Chance divides the rows."
    assert told[2].startswith(
        "10 of 10 labels ('a', 'b', 'c', …) have fewer than the 5 rows to choose with that "
        "--promise 0.6 needs for a threshold of their own; such labels share one"
    )
    rows = [(text, "abc"[n // 26], n) for n, (text, *_) in enumerate(rows_with("a", 75))]
    told = notes_of(tmp_path, rows, "--time", "more")
    assert "'c' is never learned, so no text gets it." in told
    assert "The newest rows are the test part." in told
    rows = [(text, *(("a", n // 20) if n < 60 else ("b", n))) for text, _, n in rows_with("a", 72)]
    told = notes_of(tmp_path, rows, "--group", "more")
    for name, size in (("validation", 22), ("test", 2)):
        assert f"The {name} part has {size} of 72 rows: blocks stay together." in told
