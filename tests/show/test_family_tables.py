"""The grid of Chapter 25, and the tables of its records."""

import re

import numpy as np
import pytest

from bertbook.show.family_tables import CHANGED, MACHINE_PARTS, family_grid, folders_table
from bertbook.show.grid import sign_grid
from bertbook.show.shoot_out_tables import (
    equal_time_table,
    ideas_table,
    members_table,
    paired_interval,
    starts_table,
    three_back_table,
)


def test_the_grid_lights_what_a_member_changes():
    assert all(set(own) <= set(MACHINE_PARTS) for own in CHANGED.values())
    drawn = family_grid("All.")
    assert drawn.content.count('class="mb-lit"') == sum(map(len, CHANGED.values()))
    assert "ELECTRA: words, task" in repr(drawn)


def test_a_row_with_too_few_signs_is_refused():
    with pytest.raises(ValueError, match=r"'a' has 1 signs, and there are 2 columns"):
        sign_grid(["x", "y"], {"a": [""]}, "A.")


def test_a_folder_counts_by_its_largest_difference():
    heads = {"Model": {"opened": 1e-16, "saved": 4e-15}, "Head": {"opened": 2e-15, "saved": 0.0}}
    told = folders_table({"members": {"BERT": heads}}, "Both ways.").content
    assert re.findall(r"<td>([^<]+)</td>", told) == ["2", "2e-15", "4e-15"]


def run(member, part, seed, loss, **more):
    return {"member": member, "part": part, "seed": seed, "masked_lm_loss": loss, **more}


def record():
    runs = []
    for seed in range(5):
        more = {"accuracy": 0.9, "updates": 400}
        runs += [
            run("RoBERTa", "updates", seed, 1.2 + seed / 100, **more),
            run("BERT", "updates", seed, 1.3 + seed / 100, **more),
            run("BERT", "time", seed, 1.4 + seed / 50, **more | {"updates": 300}),
            run("DistilBERT, alone", "updates", seed, 1.5 + seed / 100, **more),
            run("DistilBERT, taught", "updates", seed, 1.25 + seed / 50, **more),
            run("DistilBERT, 3 losses", "apart", seed, 1.25 + seed / 50, **more),
            run("DistilBERT, teacher's start", "apart", seed, 1.2, **more),
            run("DistilBERT, alone", "time of both", seed, 1.1, updates=1000),
        ]
        runs += [run(f"{name}", "apart", seed, 1.9 - (seed < 4) / 2) for name in
                 ("RoPE alone", "GeGLU alone", "pre-norm alone", "a window alone")]  # fmt: skip
    runs.append(run("RoBERTa", "updates", 99, 9.9, accuracy=0.1, updates=400))
    return {"updates": 400, "floor": {"value": 1.0}, "ladder": {"sentence": 1.1}, "runs": runs}


def cells(shown):
    return [re.findall(r">([^<]*)</t[hd]>", row) for row in shown.content.split("<tr>")[2:]]


def test_members_stand_beside_roberta_seed_by_seed():
    rows = cells(members_table(record()))
    assert rows[0] == ["RoBERTa", "0.22 ± 0.02", "", "0.90 ± 0.00"]  # the 99th seed has chosen
    assert rows[1][:3] == ["BERT", "0.32 ± 0.02", "+0.10 to +0.10"]
    assert rows[-1][:2] == ["best possible, one sentence", "0.10"]
    assert cells(equal_time_table(record()))[0][:3] == ["BERT", "300", "0.44 ± 0.03"]


def test_one_run_that_fails_is_seen():
    row = cells(ideas_table(record()))[1]
    assert row[:3] == ["RoPE alone", "0.40 0.40 0.40 0.40 0.90", "0.40"]


def test_a_student_stands_beside_its_start():
    rows = {name: rest for name, *rest in cells(starts_table(record()))}
    assert rows["teacher’s start, words only"] == ["400", "0.20 ± 0.00", ""]
    assert rows["alone, in the time of both"] == ["1000", "0.10 ± 0.00", "−0.10 to −0.10"]


def test_the_interval_is_students():
    mean, low, high = paired_interval([1.0, 2, 3, 4, 5], np.zeros(5))
    assert mean == 3
    assert high - mean == pytest.approx(2.776 * 2.5**0.5 / 5**0.5)
    assert mean - low == pytest.approx(high - mean)


def test_the_word_three_back_shows_lowest_and_highest_run():
    row = {"name": "RoPE", "rate": 0.01, "runs": {"behind": [0.5, 0.9]},
           "mean_and_sd": {"short": {"mean": 1.0, "sd": 0.0}}}  # fmt: skip
    told = cells(three_back_table({"rows": [row]}))
    assert told == [["RoPE", "0.01", "1.00", "0.70", "0.50 to 0.90"]]
