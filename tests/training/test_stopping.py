"""Early stopping: when a run ends, which weights stay, and that an interrupted run ends alike."""

import math
import shutil

import pytest
import torch
from small_model import SmallModel, end_of, make_trainer, ragged_batches

from minibert.training import checkpoint_folders
from minibert.training.checkpoint import DamagedCheckpoint, read_checkpoint
from minibert.training.evaluation import BestWeights

EVALUATED = {"eval_steps": 2, "max_steps": 40, "warmup_steps": 3, "logging_steps": 40}
PATIENT = EVALUATED | {"early_stopping_patience": 3}


def learn(trainer):
    """Learn by heart what does not help on the other batches, until that is seen."""
    trainer.fit(ragged_batches(), ragged_batches(seed=1))
    return trainer


def losses_of(trainer):
    return {r["step"]: r["eval_loss"] for r in trainer.history if "eval_loss" in r}


def weights_of(trainer):
    return {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one | other)


def test_a_run_ends_when_the_loss_has_not_fallen_and_the_best_weights_are_put_back():
    trainer, seen = make_trainer(**PATIENT), []

    class Watched(list):
        def __iter__(self):
            seen.append(weights_of(trainer))  # twice before the first update
            return super().__iter__()

    trainer.fit(ragged_batches(), Watched(ragged_batches(seed=1)))
    losses = losses_of(trainer)
    best = min(losses, key=losses.get)
    assert 2 < best < trainer.step < 40
    assert trainer.step == best + 3 * 2  # three evaluations, two updates apart
    assert (trainer.best.step, trainer.best.loss) == (best, losses[best])
    assert max(losses) == trainer.step
    assert same(weights_of(trainer), seen[best // 2 + 1])
    assert trainer.model.decoder.weight is trainer.model.embedding.weight


def test_at_the_end_of_all_updates_the_best_weights_are_put_back_too_but_not_without_patience():
    patient = learn(make_trainer(**PATIENT | {"early_stopping_patience": 20}))
    plain = learn(make_trainer(**EVALUATED))
    losses = losses_of(plain)
    assert plain.step == patient.step == 40 > patient.best.step
    assert losses_of(patient) == losses
    assert patient.evaluate(ragged_batches(seed=1))["loss"] == losses[patient.best.step]
    assert (plain.best.step, plain.best.loss, plain.best.weights) == (0, math.inf, {})
    assert plain.evaluate(ragged_batches(seed=1))["loss"] == losses[40] > min(losses.values())


def test_an_equal_loss_is_not_lower_and_one_that_is_no_number_neither():
    best, model = BestWeights(patience=3), SmallModel()
    for step, loss in enumerate([0.5, 0.5, math.nan], start=1):
        best.record(loss, step, model)
    assert (best.step, best.loss, best.waited, best.is_over) == (1, 0.5, 2, False)
    best.record(0.4, 4, model)
    assert (best.step, best.waited) == (4, 0)
    best.restore(BestWeights(patience=3).state, {})  # of a run before its first evaluation
    assert (best.loss, best.step, best.waited, best.weights) == (math.inf, 0, 0, {})


@pytest.mark.parametrize("patience", [None, 2])
def test_an_evaluation_that_measures_nothing_is_told(patience):
    trainer = make_trainer(**EVALUATED | {"early_stopping_patience": patience, "max_steps": 8})

    def spoil(model, _, output):
        if not model.training:
            output.word_loss = output.word_loss * math.nan

    trainer.model.register_forward_hook(spoil)
    with pytest.warns(UserWarning, match=r"evaluation loss of step [2468] is nan") as caught:
        trainer.fit(ragged_batches(), ragged_batches(1, seed=1))
    assert trainer.step == len(caught) * 2 == (8 if patience is None else 4)
    counted = ["it counts as one of 2 without gain" in str(one.message) for one in caught]
    assert counted == [patience is not None] * len(caught)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was never interrupted, its end and its weights."""
    folder = tmp_path_factory.mktemp("whole")
    trainer = learn(make_trainer(folder, **PATIENT, save_steps=1))
    return end_of(folder), weights_of(trainer), trainer


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_run_that_goes_on_ends_bit_for_bit_alike(whole, tmp_path, interrupted):
    """Also where it had ended: its last weights are in the checkpoint, and its best ones come."""
    end, weights, uncut = whole
    folder = shutil.copytree(uncut.folder, tmp_path / "run")
    if interrupted:
        shutil.rmtree(checkpoint_folders(folder)[0])
    trainer = make_trainer(folder, **PATIENT, save_steps=1)
    assert trainer.resume() == uncut.step - interrupted > uncut.best.step
    assert not same(weights_of(trainer), weights)
    assert same(weights_of(learn(trainer)), weights)
    assert trainer.step == uncut.step
    assert same(read_checkpoint(checkpoint_folders(folder)[0]).best, uncut.best.weights)
    assert end_of(folder) == end


def test_damaged_best_weights_are_refused_and_when_it_evaluates_is_kept(whole, tmp_path):
    folder = shutil.copytree(whole[2].folder, tmp_path / "run")
    with pytest.raises(ValueError, match="another run: eval_steps was 2 and is 4"):
        make_trainer(folder, **PATIENT | {"eval_steps": 4}).resume()
    learn(make_trainer(tmp_path / "plain", max_steps=4, eval_steps=2))
    assert make_trainer(tmp_path / "plain", max_steps=4, eval_steps=4).resume() == 4
    with pytest.raises(ValueError, match=r"early_stopping_patience \(3\) needs something to eval"):
        make_trainer(**PATIENT).fit(ragged_batches())
    file = checkpoint_folders(folder)[0] / "best.safetensors"
    file.write_bytes(file.read_bytes()[:-7])
    with pytest.raises(DamagedCheckpoint, match=r"best\.safetensors"):
        read_checkpoint(file.parent)
