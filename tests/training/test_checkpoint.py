"""Checkpoints are whole or not there, refuse damaged and foreign ones, survive a full disk."""

import shutil
import sys

import pytest
import torch
from effort import mostly_slow
from small_model import SmallModel, end_of, make_trainer, ragged_batches
from torch import nn

from minibert.training import checkpoint_folders
from minibert.training.checkpoint import (
    FILES,
    TEMPORARY,
    Checkpoint,
    DamagedCheckpoint,
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


def test_a_run_that_goes_on_ends_bit_for_bit_as_if_it_had_not_stopped(finished, folder):
    shutil.rmtree(folder / "step-00000012")
    trainer = make_trainer(folder)
    trainer.resume()
    trainer.fit(ragged_batches())
    assert end_of(folder) == end_of(finished)
    assert (folder / "history.jsonl").read_text().count("\n") == 6


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


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_anywhere_is_refused(tmp_path, name):
    tensors = {"w": torch.arange(4.0)}
    path = write_checkpoint(tmp_path, Checkpoint(tensors, tensors, {"step": 3}, [{"step": 3}]))
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
