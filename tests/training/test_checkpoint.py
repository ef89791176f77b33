"""Checkpoints are whole or not there, whatever fails, and a run that goes on ends alike."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch
from effort import mostly_slow
from small_model import PowerCut, SmallModel, end_of, make_trainer, ragged_batches
from torch import nn

from minibert import disk
from minibert.training import checkpoint, checkpoint_folders
from minibert.training.checkpoint import (
    FILES,
    LOCK,
    TEMPORARY,
    Checkpoint,
    DamagedCheckpoint,
    locked,
    read_checkpoint,
    write_checkpoint,
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a run of 12 steps with checkpoints at 8 and 12."""
    folder = tmp_path_factory.mktemp("finished")
    make_trainer(folder).fit(ragged_batches())
    return folder


@pytest.fixture
def folder(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def test_the_last_two_are_kept_and_hold_no_pickle(finished):
    kept = ["step-00000012", "step-00000008"]
    assert [path.name for path in checkpoint_folders(finished)] == kept
    assert {path.name for path in finished.iterdir()} == {*kept, "history.jsonl"}
    for path in checkpoint_folders(finished):
        assert sorted(file.name for file in path.iterdir()) == sorted(FILES)


def test_nothing_is_unpickled(folder, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("unpickled")

    for name in ("pickle.load", "pickle.loads", "pickle.Unpickler", "torch.load"):
        monkeypatch.setattr(name, refuse)
    assert make_trainer(folder).resume() == 12


def test_weights_that_lie_across_the_memory_come_back(tmp_path):
    model = SmallModel()
    model.dense.weight.data = model.dense.weight.data.T
    assert not model.dense.weight.is_contiguous()
    trainer = make_trainer(tmp_path, model, max_steps=4)
    trainer.fit(ragged_batches())
    again = make_trainer(tmp_path, max_steps=4)
    again.resume()
    assert torch.equal(again.model.dense.weight, model.dense.weight)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", mostly_slow(["gone", "cut"]))
def test_damage_is_refused_and_the_one_before_is_taken(finished, folder, name, damage):
    file = folder / "step-00000012" / name
    file.write_bytes(file.read_bytes()[:-7])
    if damage == "gone":
        file.unlink()
    with pytest.raises(DamagedCheckpoint, match=r"step-00000012.*(lacks|cannot be read)"):
        read_checkpoint(folder / "step-00000012")
    trainer = make_trainer(folder)
    with pytest.warns(UserWarning, match="step-00000012.*going back to the checkpoint before"):
        assert trainer.resume() == 8
    trainer.fit(ragged_batches())
    assert end_of(folder) == end_of(finished)
    assert (folder / "history.jsonl").read_text().count("\n") == 6


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_is_refused(tmp_path, name):
    tensors = {"w": torch.arange(4.0)}
    state = Checkpoint(tensors, tensors, {"step": 3}, [{"step": 3}])
    path = write_checkpoint(tmp_path / "a" / "b", state)
    content = (path / name).read_bytes()
    for length in range(len(content.rstrip())):
        (path / name).write_bytes(content[:length])
        with pytest.raises(DamagedCheckpoint, match=rf"{name}' \({length} bytes\) cannot be read"):
            read_checkpoint(path)
    (path / name).write_bytes(content)
    assert torch.equal(read_checkpoint(path).model["w"], tensors["w"])


def test_when_all_are_damaged(folder):
    for path in checkpoint_folders(folder):
        (path / "model.safetensors").write_bytes(b"")
    words = r"step-00000008.*\(0 bytes\) .* no checkpoint before it is left; .* again at step 0"
    with (
        pytest.warns(UserWarning, match="-00000012"),
        pytest.raises(DamagedCheckpoint, match=words),
    ):
        make_trainer(folder).resume()


def test_no_checkpoint(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no checkpoint; begin a run with fit"):
        make_trainer(tmp_path).resume()
    with pytest.raises(ValueError, match="the trainer has no folder to go on from"):
        make_trainer().resume()
    with pytest.raises(ValueError, match="the trainer has no folder to save in"):
        make_trainer().save()
    with pytest.raises(FileNotFoundError, match=r"there is no checkpoint '.*step-1'"):
        read_checkpoint(tmp_path / "step-1")


def rewrite_state(path, **changes):
    checkpoint = read_checkpoint(path)
    return write_checkpoint(path.parent, checkpoint._replace(state={**checkpoint.state, **changes}))


def test_a_checkpoint_of_something_else(folder):
    rewrite_state(folder / "step-00000012", format="another trainer 3")
    with pytest.raises(ValueError, match="the format 'another trainer 3', not 'minibert training"):
        make_trainer(folder).resume()
    foreign = folder / "step-00000099"
    foreign.mkdir()
    shutil.copy(folder / "step-00000012" / "model.safetensors", foreign)
    with pytest.raises(DamagedCheckpoint, match=r"lacks optimizer.* no checkpoint, or"):
        read_checkpoint(foreign)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (lambda: SmallModel(hidden=6), r"its LayerNorm\.bias has shape \(8,\), here it is \(6,\)"),
        (lambda: SmallModel(dtype=torch.float64), "is torch.float32, here it is torch.float64"),
        (lambda: nn.Linear(3, 2), r"its LayerNorm\.bias is not in the model"),
        (lambda: untied(SmallModel()), r"it has no decoder\.weight"),
    ],
)
def test_a_checkpoint_of_another_model_changes_nothing(folder, model, problem):
    trainer = make_trainer(folder, model())
    before = [parameter.clone() for parameter in trainer.model.parameters()]
    with pytest.raises(ValueError, match=f"belongs to another model than this .*: .*{problem}"):
        trainer.resume()
    assert trainer.step == 0
    assert all(torch.equal(a, b) for a, b in zip(before, trainer.model.parameters(), strict=True))


def untied(model):
    model.decoder.weight = nn.Parameter(model.decoder.weight.clone())
    return model


def test_a_checkpoint_of_another_run_is_refused_and_a_run_not_written_over(folder):
    with pytest.raises(ValueError, match=r"another run: max_steps was 12 and is 13"):
        make_trainer(folder, max_steps=13).resume()
    with pytest.raises(ValueError, match=r"another run: terms was .* and is .*Keep to what it was"):
        make_trainer(folder, terms={"loss": "labels"}).resume()
    assert make_trainer(folder, save_steps=1, logging_steps=7).resume() == 12
    with pytest.raises(ValueError, match=r"holds a run already \(step-00000012\); call resume\(\)"):
        make_trainer(folder).fit(ragged_batches())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no limit of file sizes")
def test_a_disk_that_is_full_loses_nothing(finished, tmp_path):
    """The file of the weights of step 8 may not be as long as that of step 4 was."""
    import resource

    folder = tmp_path / "run"
    trainer = make_trainer(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def lower_the_limit(*_):
        if trainer.step == 7:
            size = (folder / "step-00000004" / "model.safetensors").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 100, hard))

    hook = trainer.optimizer.register_step_post_hook(lower_the_limit)
    try:
        with pytest.raises(OSError, match=r"of step 8 could not be .* step-00000004 is whole\."):
            trainer.fit(ragged_batches())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in checkpoint_folders(folder)] == ["step-00000004"]
    assert not (folder / TEMPORARY).exists()
    hook.remove()
    copy = shutil.copytree(folder, tmp_path / "copy")
    again = make_trainer(copy)
    assert again.resume() == 4
    for each in (trainer, again):  # from memory, and from the disk
        each.fit(ragged_batches())
    assert end_of(folder) == end_of(copy) == end_of(finished)


def run(folder, steps=6):
    trainer = make_trainer(folder, max_steps=steps, save_steps=1)
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
            if now and not after:
                raise PowerCut
            if now and name == "rmtree":  # half a folder
                for file in sorted(Path(args[0]).glob("*"))[::2]:
                    file.unlink()
                raise PowerCut
            result = real(*args, **kwargs)
            if now:
                raise PowerCut
            return result

        folder = tmp_path / str(cuts)
        monkeypatch.setattr(owner, name, cut)
        try:
            run(folder, steps=6)
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


def test_of_two_trainers_one_writes(tmp_path):
    """Both find an empty folder, as two commands do that are typed at once."""
    trainers = [make_trainer(tmp_path / "run", max_steps=2) for _ in range(2)]
    errors = []

    def second():
        try:
            trainers[1].fit(ragged_batches())
        except BlockingIOError as error:
            errors.append(str(error))

    class Waiting(list):
        def epoch(self, number, start=0):
            other = threading.Thread(target=second)
            other.start()
            other.join()
            return iter(self[start:])

    trainers[0].fit(Waiting(ragged_batches(2)))
    assert errors and all("another process is writing to" in each for each in errors)
    assert (trainers[0].step, trainers[1].step) == (2, 0)
    left = {path.name for path in (tmp_path / "run").iterdir()}
    assert left == {"history.jsonl", "step-00000002"}


def test_a_run_that_began_and_ended_meanwhile_is_not_overwritten(tmp_path, monkeypatch):
    first, second = (make_trainer(tmp_path / "run", max_steps=2) for _ in range(2))
    real = first._folder_locked
    monkeypatch.setattr(first, "_folder_locked", lambda: second.fit(ragged_batches()) and real())
    with pytest.raises(ValueError, match=r"holds a run already \(step-00000002\)"):
        first.fit(ragged_batches())


def test_the_lock_goes_after_a_failure(tmp_path):
    for _ in range(2):
        with pytest.raises(KeyError), locked(tmp_path):
            raise KeyError
    assert os.listdir(tmp_path) == []
