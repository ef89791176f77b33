"""Early stopping: when a run ends, which weights stay, and that an interrupted run ends alike."""

import contextlib
import math
import os
import random
import shutil

import pytest
import torch
from effort import mostly_slow
from small_model import PowerCut, SmallModel, end_of, make_trainer, ragged_batches

from minibert.training import (
    BestWeights,
    DamagedCheckpoint,
    TrainingConfig,
    checkpoint_folders,
    read_checkpoint,
    write_checkpoint,
)

EVALUATED = {"eval_steps": 2, "max_steps": 40, "warmup_steps": 3, "logging_steps": 40}


def train(folder=None, **changes):
    """Learn by heart what does not help on the other batches, until that is seen."""
    trainer = make_trainer(folder, **trainer_changes(changes))
    if folder is not None and checkpoint_folders(folder):
        trainer.resume()
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    return trainer


def losses_of(trainer):
    return {r["step"]: r["eval_loss"] for r in trainer.history if "eval_loss" in r}


def weights_of(trainer):
    return {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one | other)


def test_a_run_ends_when_the_loss_has_not_fallen_for_so_many_evaluations():
    trainer = train()
    losses = losses_of(trainer)
    best = min(losses, key=losses.get)
    assert 2 < best < trainer.step < 40
    assert trainer.step == best + 3 * 2  # three evaluations, two updates apart
    assert (trainer.best.step, trainer.best.loss) == (best, losses[best])
    assert max(losses) == trainer.step


@pytest.mark.parametrize(
    "changes", mostly_slow([{}, {"max_steps": 60}, {"early_stopping_patience": 20}])
)
def test_however_it_ends_the_best_weights_are_put_back(changes):
    trainer = train(**changes)
    losses = losses_of(trainer)
    assert trainer.step > trainer.best.step
    # The weights of a run of the same plan that is cut off there.
    twin = make_trainer(**trainer_changes(changes))
    with contextlib.suppress(CutError):
        twin.fit(ragged_batches(), Cut(ragged_batches(seed=1), trainer.best.step // 2))
    assert same(weights_of(trainer), weights_of(twin))
    assert trainer.evaluate(ragged_batches(seed=1))["loss"] == losses[trainer.best.step]


def trainer_changes(changes):
    return EVALUATED | {"early_stopping_patience": 3} | changes


class CutError(Exception):
    """Ends a run in the middle of an evaluation."""


class Cut(list):
    """Batches that can be walked through so many times."""

    def __init__(self, batches, times):
        super().__init__(batches)
        self.left = times  # one look at the batches comes before the first update

    def __iter__(self):
        if not self.left:
            raise CutError
        self.left -= 1
        return super().__iter__()


def test_without_patience_nothing_changes():
    plain = make_trainer(**EVALUATED)
    plain.fit(ragged_batches(), ragged_batches(seed=1))
    assert plain.step == 40
    assert (plain.best.step, plain.best.loss, plain.best.weights) == (0, math.inf, {})
    losses = losses_of(plain)
    assert plain.evaluate(ragged_batches(seed=1))["loss"] == losses[40] > min(losses.values())
    patient = make_trainer(**EVALUATED, early_stopping_patience=20)
    patient.fit(ragged_batches(), ragged_batches(seed=1))
    assert losses_of(patient) == losses


def test_fit_again_has_nothing_to_do():
    trainer = train()
    before, history, step = weights_of(trainer), list(trainer.history), trainer.step
    assert trainer.fit(ragged_batches(), ragged_batches(seed=1)) == history
    assert trainer.step == step
    assert same(before, weights_of(trainer))


def test_an_equal_loss_is_not_lower_and_one_that_is_no_number_neither():
    best, model = BestWeights(patience=3), SmallModel()
    for step, loss in enumerate([0.5, 0.5, math.nan], start=1):
        best.record(loss, step, model)
    assert (best.step, best.loss, best.waited, best.is_over) == (1, 0.5, 2, False)
    best.record(0.4, 4, model)
    assert (best.step, best.waited) == (4, 0)


def test_the_copy_does_not_change_with_the_model():
    best, model = BestWeights(patience=1), SmallModel()
    best.record(1.0, 1, model)
    kept = model.dense.weight.clone()
    with torch.no_grad():
        model.dense.weight.zero_()
    best.restore_best(model)
    assert torch.equal(model.dense.weight, kept)
    assert model.decoder.weight is model.embedding.weight


# Exact resume


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was never interrupted, its end and its weights."""
    folder = tmp_path_factory.mktemp("whole")
    trainer = train(folder, save_steps=1)
    return end_of(folder), weights_of(trainer), trainer


@pytest.mark.parametrize("every", mostly_slow([2, 1, 5]))
def test_an_interrupted_run_ends_bit_for_bit_alike(whole, tmp_path, monkeypatch, every):
    """Cut off again and again, while a checkpoint is being written."""
    chance, cuts = random.Random(every), 0
    real = os.fsync
    while True:
        calls = iter(range(chance.randint(3, 40)))

        def fsync(handle, calls=calls):
            if next(calls, None) is None:
                raise PowerCut
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)
        try:
            trainer = train(tmp_path, save_steps=every)
            break
        except PowerCut:
            cuts += 1
        finally:
            monkeypatch.setattr(os, "fsync", real)
        assert cuts < 500
    end, weights, uncut = whole
    assert cuts >= 2
    assert trainer.step == uncut.step
    assert trainer.best.step == uncut.best.step
    assert same(weights_of(trainer), weights)
    assert same(read_checkpoint(checkpoint_folders(tmp_path)[0]).best, uncut.best.weights)
    found = end_of(tmp_path)
    # How often it saves is part of the configuration, and of nothing else.
    assert found["state"].pop("config") | {"save_steps": 1} == end["state"]["config"]
    assert found | {"state": found["state"] | {"config": end["state"]["config"]}} == end


def test_a_run_that_ended_gives_its_best_weights_again(whole, tmp_path):
    _, weights, uncut = whole
    folder = shutil.copytree(uncut.folder, tmp_path / "run")
    trainer = make_trainer(folder, **trainer_changes({"save_steps": 1}))
    assert trainer.resume() == uncut.step
    assert not same(weights_of(trainer), weights)  # the last ones
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    assert same(weights_of(trainer), weights)
    assert trainer.step == uncut.step


@pytest.mark.parametrize(("forgotten", "new"), [("loss", math.inf), ("waited", 0), ("weights", {})])
def test_each_part_of_the_memory_is_needed(whole, tmp_path, forgotten, new):
    _, weights, uncut = whole
    folder = shutil.copytree(uncut.folder, tmp_path / "run")
    trainer = make_trainer(folder, **trainer_changes({"save_steps": 1}))
    shutil.rmtree(checkpoint_folders(folder)[0])
    trainer.resume()
    setattr(trainer.best, forgotten, new)
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    assert trainer.step != uncut.step or not same(weights_of(trainer), weights)


@pytest.mark.parametrize("damage", ["cut", "bit", "gone", "not listed"])
def test_damaged_best_weights_are_refused(whole, tmp_path, damage):
    folder = shutil.copytree(whole[2].folder, tmp_path / "run")
    path = checkpoint_folders(folder)[0]
    file, sums = path / "best.safetensors", path / "SHA256SUMS"
    content = bytearray(file.read_bytes())
    if damage == "cut":
        file.write_bytes(content[:-7])
    elif damage == "bit":
        content[len(content) // 2] ^= 4
        file.write_bytes(content)
    elif damage == "gone":
        file.unlink()
    else:
        sums.write_text("".join(sums.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DamagedCheckpoint, match=r"best\.safetensors"):
        read_checkpoint(path)


def test_a_run_without_patience_writes_no_best_weights(tmp_path):
    trainer = make_trainer(tmp_path, max_steps=4, eval_steps=2)
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    names = {file.name for file in checkpoint_folders(tmp_path)[0].iterdir()}
    assert "best.safetensors" not in names
    assert read_checkpoint(checkpoint_folders(tmp_path)[0]).best == {}


# Refusals


@pytest.mark.parametrize(
    ("wishes", "error", "words"),
    [
        ({"early_stopping_patience": 2}, ValueError, r"_patience \(2\) counts evaluations"),
        ({"eval_steps": 1, "early_stopping_patience": 0}, ValueError, r"\(0\) must be at least 1"),
        ({"eval_steps": 1, "early_stopping_patience": 1.5}, TypeError, "early_stopping_patience"),
    ],
)
def test_patience_needs_evaluations(wishes, error, words):
    with pytest.raises(error, match=words):
        TrainingConfig(max_steps=3, seed=0, **wishes)
    with pytest.raises(ValueError, match=r"early_stopping_patience \(3\) needs something to eval"):
        make_trainer(**trainer_changes({})).fit(ragged_batches())


def test_how_often_it_evaluates_decides_when_it_stops(whole, tmp_path):
    folder = shutil.copytree(whole[2].folder, tmp_path / "run")
    with pytest.raises(ValueError, match="another run: eval_steps was 2 and is 4"):
        make_trainer(folder, **trainer_changes({"eval_steps": 4})).resume()
    plain = make_trainer(tmp_path / "plain", max_steps=4, eval_steps=2)
    plain.fit(ragged_batches(), ragged_batches(seed=1))
    assert make_trainer(tmp_path / "plain", max_steps=4, eval_steps=4).resume() == 4


def test_a_run_that_goes_on_before_its_first_evaluation_has_no_best_weights_yet():
    best = BestWeights(patience=2)
    best.record(0.5, 7, SmallModel())
    best.restore(BestWeights(patience=2).state, {})
    assert (best.loss, best.step, best.waited, best.weights) == (math.inf, 0, 0, {})


def test_a_checkpoint_from_before_there_was_early_stopping(tmp_path):
    make_trainer(tmp_path, max_steps=4).fit(ragged_batches())
    checkpoint = read_checkpoint(checkpoint_folders(tmp_path)[0])
    del checkpoint.state["best"]
    write_checkpoint(tmp_path, checkpoint)
    again = make_trainer(tmp_path, max_steps=4)
    assert again.resume() == 4
    assert again.best.step == 0
