"""Chapter 24's tables and drawings: counts, bounds, and what the text of a drawing says."""

import re

import numpy as np
import pytest

from bertbook.show import process_figures, process_tables
from bertbook.show.roofline import machine_speeds, roofline_table, waits_for

RECORD = {
    "parameters": {"one": 1000},
    "tokens_per_row": 64,
    "all_reduce": {"100": [0.1, 0.1, 0.1], "10000": [10.0, 10.0, 10.0]},
    "updates": {
        "one": {
            "2": {"one": [6.0, 6.0, 6.0], "two": [8.0, 6.0, 6.0]},
            "8": {"one": [12.0, 12.0, 12.0], "two": [8.0, 8.0, 8.0]},
        }
    },
}


def cells(shown):
    text = shown if isinstance(shown, str) else shown.content
    return re.findall(r"<t[dh][^>]*>([^<]*)", text)


def test_talk_lies_between_two_measured_sizes():
    assert process_tables.talk_seconds(RECORD, 1000) == pytest.approx(1.0)


def test_fixed_work_is_what_no_row_makes_longer():
    assert process_tables.fixed_seconds(RECORD["updates"]["one"]) == pytest.approx(4.0)


def test_both_bounds_stand_beside_what_was_measured():
    found = cells(process_tables.updates_table(RECORD))[-10:]
    assert found[0] == "0.0 million, 128"
    assert found[2] == "1.00 [0.75, 1.00]"
    assert found[3] == "1.50 to 2.00"  # 6 / (3 + 1), 6 / max(3, 1)
    assert found[4] == "1.00 to 1.20"  # 6 / (4 + 1 + 1), 6 / (4 + 1)


@pytest.mark.parametrize("sent", [0.0, 1.0, 9.0])
def test_hidden_sending_is_never_slower(sent):
    apart, hidden = process_tables.both_bounds(8.0, sent, 2.0)
    assert apart <= hidden <= 8 / 5


def test_a_stage_is_counted_and_measured():
    def pencil(stage, parameters, processes):
        return parameters * (4 - stage), parameters / processes

    found = cells(process_tables.stage_table(pencil, [(40, 5, 0.0), (30, 5, 0.0)], 10))
    assert found[-6:] == ["stage 1", "30", "30", "5", "5", "0.000000"]
    found = cells(process_tables.memory_table(pencil, {"a": 10**9}, 2))
    assert found[-3:] == ["a, stage 3", "4.00", "2.00"]


def test_bills_and_days_agree():
    bills = {"a": (1e6, 1e9)}
    assert cells(process_tables.bills_table(bills))[-1] == "6.0e+15"
    speed = 6e15 / 86_400
    assert cells(process_tables.days_table(bills, {"m": speed})("m", 0.5))[-1] == "2.0"


def test_a_pipeline_waits_less_with_more_pieces():
    waits = [process_figures.idle_share(4, pieces) for pieces in (1, 4, 16)]
    assert waits == pytest.approx([3 / 4, 3 / 7, 3 / 19])
    assert "43%" in process_figures.pipeline_drawn(4).content.replace("43 %", "43%")


@pytest.mark.parametrize("first", process_figures.DIVISIONS)
def test_an_all_reduce_ends_at_one_half(first):
    shown = process_figures.all_reduce_drawn(first).content
    assert "divide and have 0.5" in shown
    assert np.isclose(process_figures.GRADIENTS.mean(), 0.5)


def test_below_the_border_a_part_waits_for_memory():
    record = {
        "product_operations": 100, "copy_bytes": 10,
        "parts": {"few": {"operations": 50, "bytes": 10}, "many": {"operations": 500, "bytes": 10}},
        "seconds": {"product": [1.0], "copy": [1.0], "few": [2.0], "many": [10.0]},
    }  # fmt: skip
    assert machine_speeds(record) == (100, 10)
    found = cells(roofline_table(record))
    assert found[-10:-6] == ["few", "5.0: memory", "1000.00", "2000.00 (2.0 ×)"]
    assert found[-5:-1] == ["many", "50.0: products", "5000.00", "10000.00 (2.0 ×)"]
    assert waits_for(10, 10) == "products"
