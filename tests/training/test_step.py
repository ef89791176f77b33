"""One update: its length, its dropout, and bad numbers, which make none."""

import math

import pytest
import torch
from bert_pairs import close
from effort import mostly_slow
from small_model import TERMS, SmallModel, equal, make_trainer, ragged_batches

from minibert.training import TrainingConfig, make_optimizer, training_step


def exact_model():
    return SmallModel(dropout=0.0, dtype=torch.float64)


def make_step(model, batches, step=0, **changes):
    """One step at a rate of 0, the first of a warm-up: gradients are there, weights stay."""
    options = {"max_steps": 10, "warmup_steps": 5, "seed": 0, "max_grad_norm": math.inf} | changes
    config = TrainingConfig(**options)
    return training_step(model, make_optimizer(model, config), batches, step, config, TERMS)


def test_no_label_anywhere():
    batch = ragged_batches(1)[0]
    empty = {name: torch.full_like(x, -100) if "labels" in name else x for name, x in batch.items()}
    trainer = make_trainer()
    before = [parameter.clone() for parameter in trainer.model.parameters()]
    with pytest.raises(ValueError, match=r"no label in its batches, nor has any other .* epoch 0"):
        trainer.fit([empty])
    with pytest.raises(ValueError, match="no batch has a label for 'pair_loss', so it has no mean"):
        trainer.fit([batch], eval_batches=[empty])
    with pytest.raises(ValueError, match="step 1 has no label in its 1 batches"):
        make_step(exact_model(), [empty])
    assert trainer.step == 0 and not trainer.history
    assert all(torch.equal(a, b) for a, b in zip(before, trainer.model.parameters(), strict=True))


def test_a_long_gradient_is_shortened_and_its_length_is_told():
    batches, model = ragged_batches(2), exact_model()
    long = make_step(model, batches).grad_norm
    full = [parameter.grad.clone() for parameter in model.parameters()]
    squares = sum(gradient.square().sum().item() for gradient in full)
    assert long == pytest.approx(math.sqrt(squares), abs=1e-12)
    # PyTorch adds 1e-6 to the length before it divides.
    for longest, factor in ((long / 4, long / 4 / (long + 1e-6)), (long * 2, 1.0)):
        assert make_step(model, batches, max_grad_norm=longest).grad_norm == long
        for parameter, gradient in zip(model.parameters(), full, strict=True):
            close(parameter.grad, gradient * factor)


def test_dropout_differs_from_step_to_step_and_not_from_run_to_run():
    def gradient(step, seed=0):
        model = SmallModel(dropout=0.5)
        return make_step(model, ragged_batches(2), step, seed=seed).grad_norm

    assert gradient(0) == gradient(0)
    assert len({gradient(0), gradient(1), gradient(2), gradient(0, seed=1)}) == 4


def exploding(bad):
    """A model with a bad loss, or a bad gradient, in its seventh step of training."""

    def spoil(model, _, output):
        if model.training and model.calls == 7:
            zero = model.dense.weight[0, 0] - model.dense.weight[0, 0].item()
            slope = zero.abs().sqrt()  # infinite at 0
            output.word_loss = output.word_loss * bad if bad else output.word_loss + slope

    model = SmallModel()
    model.register_forward_hook(spoil)
    return model


@pytest.mark.parametrize("bad", mostly_slow([None, math.nan, math.inf]))
def test_bad_numbers_stop_the_run_before_the_weights_change(tmp_path, bad):
    trainer = make_trainer(tmp_path, exploding(bad), max_steps=12, save_steps=2)
    words = r"step 7 was not made: .*(nan|inf).* of step 6; .* checkpoint is step-00000006\. "
    with pytest.raises(FloatingPointError, match=words):
        trainer.fit(ragged_batches())
    sound = make_trainer(max_steps=12)
    sound.fit(ragged_batches())
    assert trainer.step == 6
    again = make_trainer(tmp_path, max_steps=12, save_steps=2)
    assert again.resume() == 6
    assert equal(again, trainer)
    again.fit(ragged_batches())
    assert equal(again, sound)


def test_weights_that_are_not_finite_do_not_replace_a_good_checkpoint(tmp_path):
    trainer = make_trainer(tmp_path, max_steps=4, save_steps=4)
    trainer.fit(ragged_batches())
    trainer.model.dense.bias.data[0] = math.nan
    with pytest.raises(FloatingPointError, match=r"dense\.bias is not finite .* step-00000004"):
        trainer.save()
    assert make_trainer(tmp_path, max_steps=4).resume() == 4


def test_an_output_without_the_loss_is_named():
    with pytest.raises(TypeError, match=r"the model \(SimpleNamespace\) has no loss 'mlm'"):
        make_trainer(terms={"mlm": "labels"}).fit(ragged_batches())
    with pytest.raises(ValueError, match="holds no 'answers', over which 'loss' is a mean; it "):
        make_trainer(terms={"loss": "answers"}).fit(ragged_batches())
