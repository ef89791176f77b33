"""A run killed at any moment goes on and ends, bit for bit, as if it had never stopped."""

import os
import shutil
from pathlib import Path

import pytest
from small_model import PowerCut, end_of, make_trainer, ragged_batches

from minibert import disk
from minibert.training import checkpoint, checkpoint_folders
from minibert.training.checkpoint import read_checkpoint

pytestmark = pytest.mark.slow


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


def test_the_disk_has_everything_before_the_name_appears_and_the_name_afterwards(
    tmp_path, monkeypatch
):
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
