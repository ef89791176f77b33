"""Checkpoints are whole or not there, whatever fails, and a run that goes on ends alike."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from small_model import SmallModel, end_of, equal, make_trainer, ragged_batches
from torch import nn

from minibert import disk
from minibert.training import checkpoint, checkpoint_folders
from minibert.training.checkpoint import (
    FILES,
    LOCK,
    TEMPORARY,
    DamagedCheckpoint,
    locked,
    read_checkpoint,
    write_checkpoint,
)

NEWEST = "step-00000012"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run of 12 steps with checkpoints at 8 and 12."""
    folder = tmp_path_factory.mktemp("finished")
    make_trainer(folder).fit(ragged_batches())
    return folder


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def test_the_last_two_are_kept_and_nothing_is_unpickled(finished, folder, monkeypatch):
    assert [path.name for path in checkpoint_folders(finished)] == [NEWEST, "step-00000008"]
    assert {path.name for path in finished.iterdir()} == {NEWEST, "step-00000008", "history.jsonl"}
    for path in checkpoint_folders(finished):
        assert sorted(file.name for file in path.iterdir()) == sorted(FILES)

    def refuse(*_, **__):
        raise AssertionError("unpickled")

    for name in ("pickle.load", "pickle.loads", "pickle.Unpickler", "torch.load"):
        monkeypatch.setattr(name, refuse)
    assert make_trainer(folder).resume() == 12


@pytest.mark.parametrize("name", FILES)
def test_damage_is_refused_and_the_one_before_is_taken(finished, folder, name):
    file = folder / NEWEST / name
    content = file.read_bytes()
    for length in range(7, len(content), len(content) // 50):
        file.write_bytes(content[:-length])
        with pytest.raises(DamagedCheckpoint, match=rf"{NEWEST}.*{name}.* bytes\) cannot be read"):
            read_checkpoint(folder / NEWEST)
    file.unlink()
    with pytest.raises(DamagedCheckpoint, match=rf"{NEWEST}.*lacks {name}; it is no check"):
        read_checkpoint(folder / NEWEST)
    trainer = make_trainer(folder)
    with pytest.warns(UserWarning, match=f"{NEWEST}.*going back to the checkpoint before"):
        assert trainer.resume() == 8
    trainer.fit(ragged_batches())
    assert end_of(folder) == end_of(finished)
    assert (folder / "history.jsonl").read_text().count("\n") == 6


def test_without_any_whole_checkpoint(folder, tmp_path):
    for path in checkpoint_folders(folder):
        (path / "model.safetensors").write_bytes(b"")
    words = r"step-00000008.*\(0 bytes\) .* no checkpoint before it is left; .* again at step 0"
    with pytest.warns(UserWarning, match=NEWEST), pytest.raises(DamagedCheckpoint, match=words):
        make_trainer(folder).resume()
    for attempt, words in (
        (make_trainer(tmp_path).resume, "holds no checkpoint; begin a run with fit"),
        (make_trainer().resume, "the trainer has no folder to go on from"),
        (make_trainer().save, "the trainer has no folder to save in"),
    ):
        with pytest.raises((ValueError, FileNotFoundError), match=words):
            attempt()


def untied():
    model = SmallModel()
    model.decoder.weight = nn.Parameter(model.decoder.weight.clone())
    return model


OTHER_MODEL, OTHER_RUN = "belongs to another model than this .*: .*", "another run: "


@pytest.mark.parametrize(
    ("model", "changes", "problem"),
    [
        (SmallModel(hidden=6), {}, OTHER_MODEL + r"LayerNorm\.bias has shape \(8,\), .* \(6,\)"),
        (SmallModel(dtype=torch.float64), {}, OTHER_MODEL + "is torch.float32, .* torch.float64"),
        (nn.Linear(3, 2), {}, OTHER_MODEL + r"its LayerNorm\.bias is not in the model"),
        (untied(), {}, OTHER_MODEL + r"it has no decoder\.weight"),
        (SmallModel(), {"max_steps": 13}, OTHER_RUN + r"max_steps was 12 and is 13"),
        (SmallModel(), {"terms": {"loss": "labels"}}, OTHER_RUN + r"terms was .* and is .*Keep to"),
    ],
)
def test_a_checkpoint_of_something_else_changes_nothing(folder, model, changes, problem):
    trainer = make_trainer(folder, model, **changes)
    before = [parameter.clone() for parameter in trainer.model.parameters()]
    with pytest.raises(ValueError, match=problem):
        trainer.resume()
    assert trainer.step == 0
    assert all(torch.equal(a, b) for a, b in zip(before, trainer.model.parameters(), strict=True))


def test_a_run_is_not_written_over_and_another_format_is_told(folder):
    assert make_trainer(folder, save_steps=1, logging_steps=7).resume() == 12
    with pytest.raises(ValueError, match=r"holds a run already \(step-00000012\); call resume\(\)"):
        make_trainer(folder).fit(ragged_batches())
    saved = read_checkpoint(folder / NEWEST)
    write_checkpoint(folder, saved._replace(state=saved.state | {"format": "another trainer 3"}))
    with pytest.raises(ValueError, match="the format 'another trainer 3', not 'minibert training"):
        make_trainer(folder).resume()


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), SafetensorError("os 28")]
)
def test_a_disk_that_is_full_loses_nothing(finished, tmp_path, monkeypatch, error):
    folder, real = tmp_path / "run", checkpoint.save_file
    trainer = make_trainer(folder)

    def save_half(tensors, path):
        real(tensors, path)
        if trainer.step == 8:
            path.write_bytes(path.read_bytes()[:-100])
            raise error

    monkeypatch.setattr(checkpoint, "save_file", save_half)
    with pytest.raises(OSError, match=r"of step 8 could not be .* step-00000004 is whole\."):
        trainer.fit(ragged_batches())
    monkeypatch.undo()
    assert [path.name for path in checkpoint_folders(folder)] == ["step-00000004"]
    assert not (folder / TEMPORARY).exists()
    copy = shutil.copytree(folder, tmp_path / "copy")
    again = make_trainer(copy)
    assert again.resume() == 4
    for each in (trainer, again):  # from memory, and from the disk
        each.fit(ragged_batches())
    assert end_of(folder) == end_of(copy) == end_of(finished)


class PowerCut(BaseException):
    """Nothing after it happens, as after SIGKILL."""


def run(folder):
    trainer = make_trainer(folder, max_steps=6, save_steps=1)
    if checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(ragged_batches())


@pytest.fixture(scope="module")
def end(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return end_of(folder)


CALLS = [
    (os, "fsync"), (os, "rename"), (os, "replace"), (Path, "rename"), (Path, "mkdir"),
    (Path, "write_text"), (checkpoint, "save_file"), (shutil, "rmtree"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(("owner", "name"), CALLS, ids=lambda x: getattr(x, "__name__", x))
def test_whatever_call_is_the_last_one(end, tmp_path, monkeypatch, owner, name, after):
    """Cut the power before or after each single call that changes the disk, one run for each."""
    real, cuts = getattr(owner, name), 0
    while True:
        calls = iter(range(10_000))
        cut_at = cuts * (4 if name == "fsync" else 1)  # there are many of these

        def cut(*args, cut_at=cut_at, calls=calls, **kwargs):
            now = next(calls) == cut_at
            if now and name == "rmtree" and after:  # half a folder
                for file in sorted(Path(args[0]).glob("*"))[::2]:
                    file.unlink()
            elif not now or after:
                result = real(*args, **kwargs)
            if now:
                raise PowerCut
            return result

        folder = tmp_path / str(cuts)
        monkeypatch.setattr(owner, name, cut)
        try:
            run(folder)
            break
        except PowerCut:
            cuts += 1
        finally:
            monkeypatch.setattr(owner, name, real)
        for path in checkpoint_folders(folder):
            read_checkpoint(path)  # what has the name is whole
        run(folder)
        assert end_of(folder) == end
        # A cut in the last cleaning leaves something to clean.
        left = {path.name for path in folder.iterdir()} - {checkpoint.TRASH, "step-00000004"}
        assert left == {"history.jsonl", "step-00000005", "step-00000006"}
    assert cuts >= (1 if name == "replace" else 4)


def test_of_two_trainers_one_writes_and_the_lock_goes_after_a_failure(tmp_path):
    model = SmallModel()
    model.dense.weight.data = model.dense.weight.data.T  # lies across the memory
    trainer = make_trainer(tmp_path, model, max_steps=2)
    with pytest.raises(KeyError), locked(tmp_path):
        raise KeyError
    assert os.listdir(tmp_path) == []
    with locked(tmp_path), pytest.raises(BlockingIOError, match="another process is writing to"):
        trainer.fit(ragged_batches())
    trainer.fit(ragged_batches())
    assert {path.name for path in tmp_path.iterdir()} == {"history.jsonl", "step-00000002"}
    again = make_trainer(tmp_path, max_steps=2)
    assert again.resume() == 2 and equal(again, trainer)


@pytest.mark.slow
def test_the_disk_has_everything_before_the_name_appears_and_then_the_name(tmp_path, monkeypatch):
    """A power cut may lose contents and names that nobody has waited for."""
    events, real = [], os.replace
    for owner in (disk, checkpoint):
        monkeypatch.setattr(owner, "sync", lambda path: events.append(("on disk", path.name)))

    def replace(source, target):
        real(source, target)
        events.append(("renamed", Path(target).name))

    monkeypatch.setattr(os, "replace", replace)
    make_trainer(tmp_path / "run", max_steps=1, save_steps=1).fit(ragged_batches())
    moved = events.index(("renamed", "step-00000001"))
    for file in [*checkpoint.FILES, checkpoint.TEMPORARY]:
        assert ("on disk", file) in events[:moved]
    assert ("on disk", "run") in events[moved:]


HOLDER = """
import sys, time
from minibert.training.checkpoint import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of a folder."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.slow
def test_a_second_process_gets_a_sentence_and_a_dead_one_holds_nothing(tmp_path, holder):
    trainer = make_trainer(tmp_path / "run", max_steps=2)
    with pytest.raises(BlockingIOError, match=r"another process is writing to '.*run'; wait until"):
        trainer.fit(ragged_batches())
    assert trainer.step == 0 and not checkpoint_folders(tmp_path / "run")
    holder.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    holder.wait()
    assert (tmp_path / "run" / LOCK).exists()
    trainer.fit(ragged_batches())
    assert checkpoint_folders(tmp_path / "run")[0].name == "step-00000002"
