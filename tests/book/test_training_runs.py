"""The record of Chapter 13's runs, and the first updates of some of them."""

import json

import numpy as np
import pytest
from definitions import chapter_source

from benchmarks import training_runs as runs
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.training import TrainingConfig

RECORD = json.loads(runs.RECORD.read_text(encoding="utf-8"))
MADE = RECORD["broken"]["runs"]

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_record_has_every_run():
    wanted = [(d, p, w) for d in runs.DEPTHS for p in runs.PEAKS for w in runs.WARMUPS]
    assert [(r["depth"], r["peak"], r["warmup"]) for r in RECORD["warm_up"]] == wanted
    for run in RECORD["warm_up"]:
        assert run["held_out"] == [curve[-1] for curve in run["curves"]]
        assert len(run["curves"]) == len(RECORD["seeds"]) == 5
    for run in MADE.values():
        assert len(run["losses"]) == len(run["norms"]) == 160
        assert run["ends"][0] == run["asked"]["160"]
    assert tuple(run["peak"] for run in RECORD["peaks"]) == runs.TRIED
    assert all(len(run["held_out"]) == len(RECORD["seeds"]) for run in RECORD["peaks"])


def test_the_odd_batch_of_the_first_seed_comes_by_again():
    for name, longest in (("clipped", 1.0), ("not clipped", float("inf"))):
        assert len(RECORD["odd"][name]) == len(RECORD["seeds"])
        with override(fast_parts()):
            made = runs.odd(longest, 0)
        assert made == pytest.approx(RECORD["odd"][name][0], abs=2e-2)


def test_each_run_has_one_line_of_the_chapter_changed():
    loop = chapter_source(runs.CHAPTER, "train") + "\n"
    assert list(MADE) == list(runs.SABOTAGED)
    for line, _ in list(runs.SABOTAGED.values())[1:]:
        assert loop.count(line) == 1


def test_runs_part_where_their_line_begins_to_count():
    healthy = np.array(MADE["healthy"]["losses"])
    parts = {
        name: int(np.argmax(np.abs(np.array(run["losses"]) - healthy) > 1e-6))
        for name, run in MADE.items()
        if name != "healthy"
    }
    # Rate 0 at first: so update 2; the first evaluation; going on; and D clips from the start.
    assert parts["A"] == 1
    assert parts["B"] == runs.ASKED
    assert parts["C"] >= runs.STOPPED
    late = np.abs(np.array(MADE["D"]["losses"]) - healthy)
    assert late[runs.ODD + 1 :].mean() > 3 * late[: runs.ODD].mean()


def test_the_first_updates_come_out_again():
    plan = TrainingConfig(max_steps=160, warmup_steps=30, learning_rate=0.01, seed=0)
    with override(fast_parts()):
        log = runs.LogUntilStopped([], every=1000, save_at=6)
        model, start = runs.chapter.new_run(runs.sizes(runs.DEPTH, runs.DROPOUT), plan)
        data = runs.chapter.SentenceBatches(runs.tokenizer, runs.train_texts, runs.ROWS, 0)
        with pytest.raises(runs.StoppedError):
            runs.changed_loop("healthy")(model, start, data, plan, log)
    assert log.losses == pytest.approx(MADE["healthy"]["losses"][:6], abs=2e-3)
    assert log.norms == pytest.approx(MADE["healthy"]["norms"][:6], abs=2e-2)
