"""`--resume` and Ctrl+C: a run goes on bit for bit, with the same text and options only."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from small_runs import end_of, pretrain, small_text, write_inputs

from minibert.data import PretrainingBatches
from minibert.pretrain.signals import SIGNALS
from minibert.training import BertTrainer, checkpoint_folders

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
KILLS = 12


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


@pytest.mark.parametrize("again", [False, True])
def test_it_goes_on_without_being_told_anything_again_and_when_told_the_same(
    whole, half, capsys, again
):
    assert pretrain(*whole[1] if again else (), "--out", half, "--resume") == 0
    assert "Going on after step 6." in capsys.readouterr().out
    assert end_of(half) == end_of(whole[0])


def test_a_run_without_a_checkpoint_starts_from_its_plan(whole, half, capsys):
    for path in [*checkpoint_folders(half), half / "vocab.txt", half / "history.jsonl"]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert pretrain("--out", half, "--resume") == 0
    assert "Going on" not in capsys.readouterr().out
    assert end_of(half) == end_of(whole[0])


def test_a_finished_run_says_so_again_and_is_left_alone(whole, tmp_path, capsys, monkeypatch):
    monkeypatch.delattr(BertTrainer, "fit")
    before = end_of(whole[0])
    capsys.readouterr()
    assert pretrain("--out", whole[0], "--resume") == 0
    report = (whole[0] / "report.txt").read_text(encoding="utf-8")
    assert capsys.readouterr().out == f"The run in '{whole[0]}' is finished.\n{report}"
    assert pretrain("--out", whole[0], "--resume", "--max-steps", "9") == 1
    assert "was begun with --max-steps 8, not 9" in error(capsys)
    other = tmp_path / "other.txt"
    other.write_text(small_text(11), encoding="utf-8")
    assert pretrain(other, "--out", whole[0], "--resume") == 1
    assert "the text (11 documents) is not the one" in error(capsys)
    assert end_of(whole[0]) == before


CHANGES = {
    "--vocab-size": (60, "--vocab-size 8000, not 60"),
    "--max-length": (20, "--max-length 24, not 20"),
    "--max-steps": (9, "--max-steps 8, not 9"),
    "--batch-size": (4, "--batch-size 8, not 4"),
    "--learning-rate": (0.02, "--learning-rate 0.01, not 0.02"),
    "--held-out": (0.3, "--held-out 0.2, not 0.3"),
    "--seed": (1, "--seed 0, not 1"),
}


@pytest.mark.parametrize(("option", "case"), CHANGES.items())
def test_another_option_is_another_run(half, capsys, option, case):
    value, told = case
    assert pretrain("--out", half, "--resume", option, value) == 1
    assert f"was begun with {told}; leave the option out, or begin" in error(capsys)


def test_another_case_or_size_is_another_run(half, tmp_path, capsys):
    assert pretrain("--out", half, "--resume", "--cased") == 1
    assert "was begun with --cased False, not True" in error(capsys)
    assert pretrain("--out", half, "--resume", "--config", "tiny") == 1
    assert "sizes.json, not tiny; leave the option out" in error(capsys)
    write_inputs(tmp_path)  # another file that says the same
    assert pretrain("--out", half, "--resume", "--config", tmp_path / "sizes.json") == 0


def test_how_often_it_saves_may_change(whole, half):
    assert pretrain("--out", half, "--resume", "--save-steps", "1") == 0
    assert [path.name for path in checkpoint_folders(half)] == ["step-00000008", "step-00000007"]
    assert end_of(half) == end_of(whole[0])
    assert json.loads((half / "run.json").read_text(encoding="utf-8"))["save_steps"] == 1


def test_another_text_is_another_run(half, tmp_path, capsys):
    other = tmp_path / "other.txt"
    other.write_text(small_text().replace("Anna", "Hanna"), encoding="utf-8")
    assert pretrain(other, "--out", half, "--resume") == 1
    assert "the text (12 documents) is not the one that the run in" in error(capsys)


def test_a_text_that_moved_is_the_same(whole, half, tmp_path):
    moved = tmp_path / "moved.txt"
    moved.write_text(small_text(), encoding="utf-8")
    assert pretrain(moved, "--out", half, "--resume") == 0
    assert end_of(half) == end_of(whole[0])
    assert json.loads((half / "run.json").read_text(encoding="utf-8"))["files"] == [str(moved)]


def test_another_vocabulary_is_refused(half, capsys):
    path = half / "vocab.txt"
    first, *others = path.read_text(encoding="utf-8").split("\n")[5:]
    text = "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *others[:-1], first, ""])
    path.write_text(text, encoding="utf-8")
    assert pretrain("--out", half, "--resume") == 1
    assert "fingerprint_of_vocabulary was" in error(capsys)


def interrupt(monkeypatch, at, *numbers):
    """Send signals to this process just before a batch is made."""
    real = PretrainingBatches.epoch

    def epoch(self, number, start=0):
        for place, batch in enumerate(real(self, number, start), start):
            if len(self.documents) > 2 and number * len(self) + place == at:
                for signal_number in numbers:
                    os.kill(os.getpid(), signal_number)
            yield batch

    monkeypatch.setattr(PretrainingBatches, "epoch", epoch)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_it_after_the_step_and_saves(whole, tmp_path, capsys, monkeypatch, number):
    out = tmp_path / "out put"
    handlers = [signal.getsignal(each) for each in SIGNALS]
    interrupt(monkeypatch, 3, number)
    assert pretrain(*whole[1], "--out", out) == 128 + number
    told = capsys.readouterr()
    assert told.out.splitlines()[-1] == (
        f"Stopped after step 3; go on with: python -m minibert.pretrain --out '{out}' --resume"
    )
    assert told.err == ""
    assert checkpoint_folders(out)[0].name == "step-00000003"
    assert handlers == [signal.getsignal(each) for each in SIGNALS]
    monkeypatch.undo()
    assert pretrain("--out", out, "--resume") == 0
    assert end_of(out) == end_of(whole[0])


def test_what_the_caller_ignores_stays_ignored(whole, tmp_path, monkeypatch):
    """As `nohup` does with a terminal that is closed."""
    number = SIGNALS[-1]
    before = signal.signal(number, signal.SIG_IGN)
    try:
        interrupt(monkeypatch, 3, number)
        assert pretrain(*whole[1], "--out", tmp_path / "out") == 0
    finally:
        signal.signal(number, before)
    assert end_of(tmp_path / "out") == end_of(whole[0])


def test_when_no_checkpoint_is_whole_there_is_a_way_out(half, capsys):
    for path in checkpoint_folders(half):
        (path / "state.json").unlink()
    assert pretrain("--out", half, "--resume") == 1
    told = error(capsys)
    assert "step-00000006' lacks state.json; the checkpoint is not whole, and no " in told
    assert told.endswith(
        f"remove the folders step-… in '{half}' to begin again at step 0, or name another folder"
    )


def test_a_text_that_vanishes_is_not_called_a_full_disk(tmp_path, capsys, monkeypatch, unchecked):
    arguments = write_inputs(tmp_path)
    real = PretrainingBatches.epoch

    def epoch(self, number, start=0):
        if number:
            Path(arguments[0]).unlink(missing_ok=True)
        return real(self, number, start)

    monkeypatch.setattr(PretrainingBatches, "epoch", epoch)
    assert pretrain(*arguments, "--out", tmp_path / "out") == 1
    assert error(capsys) == f"error: '{arguments[0]}': No such file or directory"


def test_ctrl_c_before_the_first_step(whole, tmp_path, capsys, monkeypatch):
    interrupt(monkeypatch, 0, signal.SIGINT)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 130
    assert "Stopped after step 0; go on with: " in capsys.readouterr().out
    assert checkpoint_folders(tmp_path / "out") == []
    monkeypatch.undo()
    assert pretrain("--out", tmp_path / "out", "--resume") == 0
    assert end_of(tmp_path / "out") == end_of(whole[0])


def test_a_second_ctrl_c_does_not_wait(whole, tmp_path, capsys, monkeypatch):
    interrupt(monkeypatch, 5, signal.SIGINT, signal.SIGINT)
    assert pretrain(*whole[1], "--out", tmp_path / "out") == 130
    assert "error: stopped at once; go on with: python -m minibert.pretrain --out" in error(capsys)
    assert checkpoint_folders(tmp_path / "out")[0].name == "step-00000004"
    monkeypatch.undo()
    assert pretrain("--out", tmp_path / "out", "--resume") == 0
    assert end_of(tmp_path / "out") == end_of(whole[0])


def test_ctrl_c_before_there_is_a_run(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("minibert.pretrain.run.learn_pieces", interrupted)
    arguments = [*write_inputs(tmp_path), "--out", tmp_path / "out"]
    assert pretrain(*arguments) == 130
    assert error(capsys) == "error: stopped at once; type the same command again"
    monkeypatch.undo()
    assert pretrain(*arguments) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to start many runs quickly")
def test_killed_at_random_moments(whole, tmp_path):
    """SIGKILL, at random moments, in processes of their own; see killed_commands.py."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parents[1])])}
    done = subprocess.run(
        [sys.executable, str(HERE / "killed_commands.py"), str(tmp_path), str(KILLS)],
        env=environment, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told = dict(part.split("=") for part in done.stdout.splitlines()[-1].split())
    assert int(told["kills"]) >= KILLS
    assert int(told["different"]) == 0, done.stderr
    assert int(told["with_plan"]) >= 4
    assert int(told["with_checkpoint"]) >= 3
