"""`--resume` and Ctrl+C: a run goes on bit for bit, with its own text and options."""

import json
import os
import shutil
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from effort import mostly_thorough
from interrupts import interrupt
from small_runs import end_of, pretrain, small_text

from berttools.pretrain.run import on_rank_zero
from berttools.pretrain.signals import SIGNALS, StoppableBatches, fit_until_signal
from minibert.data import PretrainingBatches
from minibert.training import BertTrainer, Processes, checkpoint_folders

pytestmark = pytest.mark.slow


def goes_on_as_if_nothing_were(whole, out):
    assert pretrain("--out", out, "--resume") == 0
    assert end_of(out) == end_of(whole[0])


def test_a_finished_run_says_so_again_and_is_left_alone(whole, capsys, monkeypatch):
    monkeypatch.delattr(BertTrainer, "fit")
    goes_on_as_if_nothing_were(whole, whole[0])
    report = (whole[0] / "report.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out.endswith(f"The run in '{whole[0]}' is finished.\n{report}")


def test_another_text_or_vocabulary_is_another_run(whole, tmp_path, capsys):
    half = Path(shutil.copytree(whole[0], tmp_path / "half"))
    (half / "report.txt").unlink()
    plan = json.loads((half / "run.json").read_text(encoding="utf-8"))
    other = tmp_path / "other.txt"
    other.write_text(small_text().replace("Anna", "Hanna"), encoding="utf-8")
    (half / "run.json").write_text(json.dumps(plan | {"files": [str(other)]}), encoding="utf-8")
    assert pretrain("--out", half, "--resume") == 1
    assert "the text is not the one that the run was begun with" in capsys.readouterr().err
    (half / "run.json").write_text(json.dumps(plan), encoding="utf-8")
    special, others = (half / "vocab.txt").read_text(encoding="utf-8").split("[MASK]\n")
    text = "\n".join([f"{special}[MASK]", *sorted(others.split(), reverse=True), ""])
    (half / "vocab.txt").write_text(text, encoding="utf-8")
    assert pretrain("--out", half, "--resume") == 1
    assert "fingerprint_of_vocabulary was" in capsys.readouterr().err


class PowerCut(BaseException):
    """Nothing after it happens, as after SIGKILL."""


@pytest.mark.parametrize("after", mostly_thorough([False, True]), ids=["before", "after"])
def test_whichever_file_takes_its_place_last(whole, tmp_path, monkeypatch, after):
    """Cut the power before or after each renaming: of plan, pieces, checkpoints, model."""
    real = os.replace
    for cut_at in range(100):
        calls, out = iter(range(1000)), tmp_path / str(cut_at)

        def cut(source, target, calls=calls, cut_at=cut_at):
            now = next(calls) == cut_at
            if not now or after:
                real(source, target)
            if now:
                raise PowerCut

        monkeypatch.setattr(os, "replace", cut)
        try:
            pretrain(*whole[1], "--out", out)
            break
        except PowerCut:
            monkeypatch.setattr(os, "replace", real)
        begun = (out / "run.json").exists()
        assert pretrain(*(["--resume"] if begun else whole[1]), "--out", out) == 0
        assert end_of(out) == end_of(whole[0])
    assert cut_at > 8


def test_a_signal_in_the_last_step_is_not_lost(whole, tmp_path, capsys, monkeypatch):
    real, save = BertTrainer._train_on, BertTrainer.save

    def train_on(trainer, batches):
        if trainer.step == 7:
            os.kill(os.getpid(), signal.SIGTERM)
        return real(trainer, batches)

    def save_once(trainer):
        assert not trainer.is_saved
        return save(trainer)

    monkeypatch.setattr(BertTrainer, "_train_on", train_on)
    monkeypatch.setattr(BertTrainer, "save", save_once)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 128 + signal.SIGTERM
    assert capsys.readouterr().out.splitlines()[-1].startswith("Stopped after step 8; go on with")
    assert not (tmp_path / "out" / "report.txt").exists()
    monkeypatch.undo()
    goes_on_as_if_nothing_were(whole, tmp_path / "out")


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_it_after_the_step_and_saves(whole, tmp_path, capsys, monkeypatch, number):
    out = tmp_path / "out put"
    handlers = [signal.getsignal(each) for each in SIGNALS]
    with monkeypatch.context() as patch:
        interrupt(patch, PretrainingBatches, 3, number)
        assert pretrain(*whole[1], "--out", out) == 128 + number
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == (
        f"Stopped after step 3; go on with: minibert pretrain --out '{out}' --resume"
    )
    assert told.err == ""
    assert checkpoint_folders(out)[0].name == "step-00000003"
    assert handlers == [signal.getsignal(each) for each in SIGNALS]
    goes_on_as_if_nothing_were(whole, out)


def test_a_second_ctrl_c_does_not_wait(whole, tmp_path, capsys, monkeypatch):
    interrupt(monkeypatch, PretrainingBatches, 5, signal.SIGINT, signal.SIGINT)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 130
    way_out = "error: stopped at once; go on with: minibert pretrain --out"
    assert way_out in capsys.readouterr().err
    assert checkpoint_folders(tmp_path / "out")[0].name == "step-00000004"
    monkeypatch.undo()
    goes_on_as_if_nothing_were(whole, tmp_path / "out")


class Pretended(Processes):
    """One of two processes; what the other one adds is known."""

    def all_reduce(self, numbers, _):
        return {name: number + (self.rank == 1) for name, number in numbers.items()}


def test_a_signal_to_one_process_stops_both(unchecked):
    """The second process has got none; the first one has, twice, since torchrun passes it on."""
    for rank, sent, status in ((0, 0, 0), (0, 2, signal.SIGINT), (1, 0, signal.SIGTERM)):

        def fit(batches, _, sent=sent):
            for _ in range(sent):
                os.kill(os.getpid(), signal.SIGINT)
            batches.stop_if_asked()

        trainer = SimpleNamespace(fit=fit, step=0, processes=Pretended(rank, 2), device="cpu")
        batches = StoppableBatches.__new__(StoppableBatches)
        assert fit_until_signal(trainer, batches, None, "") == status


def test_if_the_first_process_fails_the_other_ends_without_a_word(capsys):
    cpu = torch.device("cpu")

    def fail():
        raise ValueError("no room")

    assert on_rank_zero(Pretended(0, 2), cpu, lambda: 7) == 7
    with pytest.raises(ValueError, match="no room"):
        on_rank_zero(Pretended(0, 2), cpu, fail)
    with pytest.raises(SystemExit) as end:
        on_rank_zero(Pretended(1, 2), cpu, fail)  # not called
    assert end.value.code == 1
    assert capsys.readouterr() == ("", "")
