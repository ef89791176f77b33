"""`--resume` and Ctrl+C: a run goes on bit for bit, with its own text and options."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from effort import mostly_thorough
from interrupts import interrupt
from small_runs import end_of, pretrain, small_text, write_inputs

from berttools.pretrain.signals import SIGNALS
from minibert.data import PretrainingBatches
from minibert.training import BertTrainer, checkpoint_folders

pytestmark = pytest.mark.slow


@pytest.fixture
def half(whole, tmp_path):
    """The same run as it was after step 6 of 8."""
    folder = Path(shutil.copytree(whole[0], tmp_path / "half"))
    shutil.rmtree(folder / "step-00000008")
    for name in ("model.safetensors", "config.json", "tokenizer_config.json", "report.txt"):
        (folder / name).unlink()
    return folder


def error(capsys):
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    return told


def test_a_finished_run_says_so_again_and_is_left_alone(whole, capsys, monkeypatch):
    monkeypatch.delattr(BertTrainer, "fit")
    before = end_of(whole[0])
    capsys.readouterr()
    assert pretrain("--out", whole[0], "--resume") == 0
    report = (whole[0] / "report.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"The run in '{whole[0]}' is finished.\n{report}"
    assert end_of(whole[0]) == before


def test_another_text_or_vocabulary_is_another_run(half, tmp_path, capsys):
    plan = json.loads((half / "run.json").read_text(encoding="utf-8"))
    other = tmp_path / "other.txt"
    other.write_text(small_text().replace("Anna", "Hanna"), encoding="utf-8")
    (half / "run.json").write_text(json.dumps(plan | {"files": [str(other)]}), encoding="utf-8")
    assert pretrain("--out", half, "--resume") == 1
    assert "the text (12 documents) is not the one that the run in" in error(capsys)
    (half / "run.json").write_text(json.dumps(plan), encoding="utf-8")
    path = half / "vocab.txt"
    first, *others = path.read_text(encoding="utf-8").split("\n")[5:]
    text = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *others[:-1], first, ""])
    path.write_text(text, encoding="utf-8")
    assert pretrain("--out", half, "--resume") == 1
    assert "fingerprint_of_vocabulary was" in error(capsys)


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
    real = BertTrainer._train_on

    def train_on(trainer, batches):
        if trainer.step == 7:
            os.kill(os.getpid(), signal.SIGTERM)
        return real(trainer, batches)

    monkeypatch.setattr(BertTrainer, "_train_on", train_on)
    monkeypatch.setattr(BertTrainer, "save", saves_once(BertTrainer.save))
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 128 + signal.SIGTERM
    assert capsys.readouterr().out.splitlines()[-1].startswith("Stopped after step 8; go on with")
    assert not (tmp_path / "out" / "report.txt").exists()
    monkeypatch.undo()
    goes_on_as_if_nothing_were(whole, tmp_path / "out")


def saves_once(save):
    """Fail if a step is saved that is saved already."""

    def once(trainer):
        assert not trainer.is_saved
        return save(trainer)

    return once


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


def goes_on_as_if_nothing_were(whole, out):
    assert pretrain("--out", out, "--resume") == 0
    assert end_of(out) == end_of(whole[0])


def test_what_the_caller_ignores_stays_ignored(whole, tmp_path, monkeypatch):
    """As `nohup` does with a terminal that is closed."""
    number = SIGNALS[-1]
    before = signal.signal(number, signal.SIG_IGN)
    try:
        interrupt(monkeypatch, PretrainingBatches, 3, number)
        assert pretrain(*whole[1], "--out", tmp_path / "out") == 0
    finally:
        signal.signal(number, before)
    assert end_of(tmp_path / "out") == end_of(whole[0])


def test_a_text_that_vanishes_meanwhile_is_in_memory(tmp_path, monkeypatch, unchecked):
    arguments = write_inputs(tmp_path)
    real = PretrainingBatches.epoch

    def epoch(self, number, start=0):
        if number:
            Path(arguments[0]).unlink(missing_ok=True)
        return real(self, number, start)

    monkeypatch.setattr(PretrainingBatches, "epoch", epoch)
    assert pretrain(*arguments, "--out", tmp_path / "out") == 0
    assert not Path(arguments[0]).exists()


def test_a_second_ctrl_c_does_not_wait(whole, tmp_path, capsys, monkeypatch):
    interrupt(monkeypatch, PretrainingBatches, 5, signal.SIGINT, signal.SIGINT)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 130
    assert "error: stopped at once; go on with: minibert pretrain --out" in error(capsys)
    assert checkpoint_folders(tmp_path / "out")[0].name == "step-00000004"
    monkeypatch.undo()
    goes_on_as_if_nothing_were(whole, tmp_path / "out")
