"""Records are found by name; the arithmetic behind their tables, which chapters store, by hand."""

import math

import numpy as np
import pytest

from bertbook.core.attention_maps import grouped_interval
from bertbook.corpus import entity_sentences
from bertbook.records import record_of, trained_folder
from bertbook.topics.classify.runs import Runs, lead_over
from bertbook.topics.family.shoot_out import member_runs, paired_interval
from bertbook.topics.faster.ladder import quartiles, shares_of_peak
from bertbook.topics.machines.tables import both_bounds, fixed_seconds, talk_seconds
from bertbook.topics.search.tables import best_runs, gains_of
from bertbook.topics.tag.results import counts_of_names, drawn_f1, drawn_shares, middle_of
from bertbook.topics.tag.tagging import find_entities


@pytest.mark.parametrize(
    ("find", "there", "missing"),
    [
        (record_of, "toy_parts", ("toy_party", "../records/toy_parts/x", "")),
        (trained_folder, "small-world", ("small_world", "", ".", "../corpus", "one_word.json")),
    ],
)
def test_a_record_is_found_from_any_folder_and_a_wrong_name_is_told(
    tmp_path, monkeypatch, find, there, missing
):
    monkeypatch.chdir(tmp_path)
    assert find(there)
    for name in missing:
        with pytest.raises(ValueError, match=r"no (record|trained model) '.*'; there are \w+, "):
            find(name)


def test_an_answer_that_was_changed_is_found():
    changed = record_of("classify")
    (full, *_) = (m for m in changed["methods"] if m["method"] == "full")
    run = full["runs"][0]
    run["test_answers"] = str((int(run["test_answers"][0]) + 1) % 3) + run["test_answers"][1:]
    assert Runs().right(full["encoder"], "full").shape == (5, 180)
    with pytest.raises(ValueError, match="the answers give"):
        Runs(record=changed).right(full["encoder"], "full")


def test_a_lead_is_paired_and_over_requests():
    runs = Runs()
    one, other = runs.right("MiniLM", "full"), runs.right("MiniLM", "fixed vectors")
    assert lead_over(one, one) == ("0.00", "0.00 to 0.00")
    ahead, between = lead_over(one, other)
    difference = one.mean(axis=0) - other.mean(axis=0)
    assert float(ahead) == pytest.approx(one.mean() - other.mean(), abs=5e-3)
    half = 1.96 * difference.std() / math.sqrt(180)  # the bell, as another way to the interval
    expected = [difference.mean() - half, difference.mean() + half]
    assert [float(end) for end in between.split(" to ")] == pytest.approx(expected, abs=0.02)


def test_the_interval_of_five_runs_is_students_and_the_seed_that_chose_is_left_out():
    mean, low, high = paired_interval([1.0, 2, 3, 4, 5], np.zeros(5))
    assert mean == 3
    assert high - mean == mean - low == pytest.approx(2.776 * 2.5**0.5 / 5**0.5)
    runs = [{"member": "A", "part": "time", "seed": seed, "loss": seed} for seed in (0, 1, 99)]
    assert member_runs({"runs": runs}, "A", "time", "loss") == [0, 1]


def test_an_interval_draws_whole_groups():
    alike, rng = np.random.default_rng(0).normal(size=40), np.random.default_rng(0)
    low, high = grouped_interval(25 * alike, np.full(40, 25), rng=rng)
    single = grouped_interval(np.repeat(alike, 25), np.ones(1000), rng=rng)
    assert high - low > 3 * (single[1] - single[0])


def test_names_are_counted_with_and_without_kinds_and_f1_is_that_of_all_sentences():
    values = drawn_f1([[[1, 2, 1], [0, 1, 1], [2, 2, 4]]] * 2)
    assert values[0] == pytest.approx(2 * 3 / (5 + 6))
    low, high = middle_of(values)
    assert 0 <= low < values[0] < high <= 1
    true = [find_entities(tags) for _, tags in entity_sentences("test")]
    strangers = [[("XYZ", name.start, name.end) for name in names] for names in true]
    told = [(true, False, 203), (strangers, False, 0), (strangers, True, 203)]
    for names, borders, hits in told:
        counts = np.sum(counts_of_names(names, borders=borders), axis=0)
        assert counts.tolist() == [hits, 203, 203]


def test_a_share_of_names_is_drawn_name_by_name_and_over_seeds():
    asked = [{"name": name} for name in ("Moses", "Egypt", "Moses", "Egypt", "Egypt")]
    seeds = {"tagger, seed 0": {"a": {"b": "10110"}}, "tagger, seed 1": {"a": {"b": "00110"}}}
    values = drawn_shares({"asked": asked, "right": seeds}, "tagger", "a", "b")
    assert values[0] == pytest.approx(2.5 / 5)
    assert {*values.round(9)} == {0.5, round(1 / 3, 9), 0.75}  # both, Egypt twice, Moses twice


def test_the_rate_is_chosen_by_the_first_seed_and_not_by_what_is_searched():
    runs = [
        {"seed": seed, "rate": rate, "development": development, "ranks": ranks}
        for seed, rate, development, ranks in [
            (1, 0.2, 0.1, [2, 4]), (0, 0.1, 0.2, [1, 1]), (0, 0.2, 0.9, [2, 2]), (1, 0.1, 1, [1, 1])
        ]
    ]  # fmt: skip
    assert [(run["seed"], run["rate"]) for run in best_runs(runs)] == [(0, 0.2), (1, 0.2)]
    assert gains_of(runs).tolist() == [[0.5, 0.5], [0.5, 0.25]]


def test_times_are_compared_within_a_round_and_lie_between_what_was_measured():
    seconds = {"slow": [4.0, 8, 4], "fast": [2.0, 2, 2], "product in float32": [1.0, 1, 1]}
    race = {"tokens": 60, "side": 10, "useful_products": 500, "seconds": seconds}
    assert quartiles(seconds["slow"], seconds["fast"]) == (2.0, 2.0, 4.0)
    assert shares_of_peak(race, ["slow", "fast"]) == {"slow": 0.125, "fast": 0.25}
    record = {"all_reduce": {"100": [0.1, 0.1, 0.1], "10000": [10.0, 10.0, 10.0]}}
    assert talk_seconds(record, 1000) == pytest.approx(1.0)
    updates = {"2": {"one": [6.0, 6, 6]}, "8": {"one": [12.0, 12, 12]}}
    assert fixed_seconds(updates) == pytest.approx(4.0)
    for sent in (0.0, 1.0, 9.0):  # hidden sending is never slower
        apart, hidden = both_bounds(8.0, sent, 2.0)
        assert apart == 8 / (5 + sent) <= hidden == 8 / (2 + max(3, sent))
