"""The tables of Chapter 16 count what the record says, and notice where it does not fit itself."""

import copy
import json
import math
from pathlib import Path

import pytest

from bertbook.show.classify_runs import Runs, lead_over
from bertbook.show.classify_thresholds import kept_promises

ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads((ROOT / "benchmarks" / "classify.json").read_text(encoding="utf-8"))


def test_an_answer_that_was_changed_is_found(tmp_path):
    changed = copy.deepcopy(RECORD)
    run = next(m for m in changed["methods"] if m["method"] == "full")["runs"][0]
    first = run["test_answers"][0]
    run["test_answers"] = str((int(first) + 1) % 3) + run["test_answers"][1:]
    path = tmp_path / "classify.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    about = next((m["encoder"], m["method"]) for m in changed["methods"] if m["method"] == "full")
    assert Runs(ROOT / "benchmarks" / "classify.json").right(*about).shape == (5, 180)
    with pytest.raises(ValueError, match="the answers give"):
        Runs(path).right(*about)


def test_an_interval_is_paired_and_over_requests():
    runs = Runs(ROOT / "benchmarks" / "classify.json")
    one, other = runs.right("MiniLM", "full"), runs.right("MiniLM", "fixed vectors")
    assert lead_over(one, one) == ("0.00", "0.00 to 0.00")
    ahead, between = lead_over(one, other)
    difference = one.mean(axis=0) - other.mean(axis=0)
    assert float(ahead) == pytest.approx(one.mean() - other.mean(), abs=5e-3)
    half = 1.96 * difference.std() / math.sqrt(180)  # the bell, as another way to the interval
    low, high = (float(end) for end in between.split(" to "))
    middle = difference.mean()
    assert [low, high] == pytest.approx([middle - half, middle + half], abs=0.02)


def test_promises_are_counted_among_all_draws():
    found = {"kind": [(0.5, 0.96), (0.5, 0.94), (0.0, math.nan), (0.0, math.nan)], "none": [(0, 0)]}
    shown = kept_promises(found, 0.95)._repr_html_()
    row = ">kind</th><td>50%</td><td>50%</td><td>25%</td><td>50%</td>"
    assert row in shown and ">none</th><td>0%</td><td></td><td>0%</td><td></td>" in shown
