"""The ladder's record as tables: ratios by round, and the bars up to a step."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from bertbook.show import gains_table, ladder_table, rung, shares_of_peak, use_table
from bertbook.show.ladder import SAID, quartiles

RECORDS = Path(__file__).parents[2] / "benchmarks"
RACE = {
    "tokens": 60,
    "side": 10,
    "useful_products": 500,
    "seconds": {
        "slow": [4.0, 8.0, 4.0],
        "fast": [2.0, 2.0, 2.0],
        "product in float32": [1.0, 1.0, 1.0],
    },
}


def cells(shown):
    return re.findall(r"<t[dh][^>]*>([^<]*)", shown.content)


def test_a_ratio_compares_two_runs_of_one_round():
    assert quartiles(RACE["seconds"]["slow"], RACE["seconds"]["fast"]) == (2.0, 2.0, 4.0)
    found = cells(ladder_table(RACE, ["slow", "fast"], first="slow"))
    assert found[-8:] == ["slow", "", "1.00", "15", "fast", "2.00 [2.00, 4.00]", "2.00", "30"]


def test_a_share_of_the_peak_counts_useful_products():
    assert shares_of_peak(RACE, ["slow", "fast"]) == {"slow": 0.125, "fast": 0.25}


def test_the_worst_text_stands_beside_the_median():
    runs = {"exact": {"seconds": [2.0, 2.0], "cosines": [1.0] * 3},
            "rough": {"seconds": [1.0, 1.0], "cosines": [0.5, 0.9, 1.0]}}  # fmt: skip
    found = cells(use_table(runs, ["exact", "rough"], "three texts"))
    assert found[-4:] == ["rough", "2.00 [2.00, 2.00]", "0.9000", "0.5000"]


@pytest.mark.parametrize("step", SAID)
def test_every_step_of_the_record_can_be_climbed(step):
    race = json.loads((RECORDS / "ladder.json").read_text(encoding="utf-8"))["short"]
    shown = rung(race, [*SAID])(step)
    assert SAID[step] in shown.replace("&#x27;", "'")
    assert ("not exact" in shown) == (step in ("bfloat16", "compiled"))


def test_a_gain_is_paired_by_request():
    runs = {
        "labels": [{"test_answers": "01", "test_accuracy": 0.5}] * 2,
        "labels and teacher": [{"test_answers": "00", "test_accuracy": 1.0}] * 2,
        "teacher": [{"test_answers": "00", "test_accuracy": 1.0}] * 2,
        "teacher in eight bits": [{"test_answers": "00", "test_accuracy": 1.0}] * 2,
    }
    found = cells(gains_table({"labels": [0, 0], "runs": runs}))
    assert found[found.index("gain by the teacher") + 1] == "0.50"
    assert np.isclose(float(found[found.index("gain by eight bits") + 1]), 0)
