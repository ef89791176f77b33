"""One step: a split batch has the loss and the gradient of the whole; bad numbers make none."""

import math
import shutil

import pytest
import torch
from bert_pairs import SMALL, build, close, scatter_weights
from effort import examples, mostly_slow
from family_pairs import MEMBERS
from hypothesis import given
from hypothesis import strategies as st
from small_model import TERMS, SmallModel, equal, make_trainer, ragged_batches
from tasks import MULTI, Q, S, T

import bertfamily as family
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import TaskBatches
from minibert.training import TrainingConfig, make_optimizer, training_step

ROWS, SEQ = 6, 7
G = torch.Generator().manual_seed(0)
LENGTHS = torch.tensor([7, 5, 2, 6, 3, 4])[:, None]
MASK = (torch.arange(SEQ) < LENGTHS).long()
TOKENS = {
    "input_ids": torch.where(MASK == 1, torch.randint(8, 20, (ROWS, SEQ), generator=G), 0),
    "attention_mask": MASK,
}


def some(shape, count):
    """Labels of which most are -100, and none is there in the second row."""
    labels = torch.randint(count, shape, generator=G)
    labels = labels.masked_fill(torch.rand(shape, generator=G) < 0.4, -100)
    labels[0], labels[1] = 1, -100
    return labels


NUMBERS = torch.tensor([3, -100, -100, 4, 0, -100])
START = torch.tensor([1, -100, 40, 2, 4, 3])
END = torch.tensor([3, -100, 41, 9, 4, -100])  # rows 0 and 4 hold a whole answer
WORDS = {"labels": some((ROWS, SEQ), 20)}
PAIRS = {"next_sentence_label": torch.tensor([0, -100, 1, 1, -100, 0])}
BOTH = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
ANSWERS = {"start_positions": START, "end_positions": END}
REPLACED = {"labels": torch.randint(2, (ROWS, SEQ), generator=G)}  # at padding, too


def of_bert(kind, **task):
    return lambda: build(SMALL, kind=kind, **task)


def of_family(name):
    def make():
        torch.manual_seed(0)
        member = name.split("For")[0]
        fields = MEMBERS[member.lower()].fields
        model = getattr(family, name)(getattr(family, f"{member}Config")(**fields)).double()
        scatter_weights(model, seed=0)
        return model.eval()

    return make


BY_START = {"loss": "start_positions"}
ASKED = {  # a loss, a model that has it, and labels of which some do not count
    "masked words": (of_bert(BertForMaskedLM), WORDS, {"loss": "labels"}),
    "words and pairs": (of_bert(BertForPreTraining), WORDS | PAIRS, BOTH),
    "classes": (of_bert(S, num_labels=3), {"labels": some((ROWS,), 3)}, None),
    "yes, no": (of_bert(S, num_labels=3, problem_type=MULTI), {"labels": some((ROWS, 3), 2)}, None),
    "numbers": (of_bert(S, num_labels=1), {"labels": NUMBERS}, None),
    "minus a hundred degrees": (of_bert(S, num_labels=1), {"labels": NUMBERS.double()}, None),
    "tags": (of_bert(T, num_labels=3), {"labels": some((ROWS, SEQ), 3)}, None),
    "answers": (of_bert(Q), ANSWERS, BY_START),
    "answers by their ends": (of_bert(Q), ANSWERS, {"loss": "end_positions"}),
    "modernbert's answers": (of_family("ModernBertForQuestionAnswering"), ANSWERS, BY_START),
    "replaced words": (of_family("ElectraForPreTraining"), REPLACED, None),
}


def cut(batch, sizes):
    parts = zip(*(rows.split(sizes) for rows in batch.values()), strict=True)
    return [dict(zip(batch, rows, strict=True)) for rows in parts]


def trainer(model, terms, steps=1, folder=None, **changes):
    options = {"max_steps": steps, "learning_rate": 1e-3, "max_grad_norm": math.inf}
    return make_trainer(folder, model, terms, **options | changes)


@pytest.mark.parametrize("loss", ASKED)
@examples(8)
@given(sizes=st.sampled_from([[6], [1] * 6, [2, 4], [1, 1, 4], [3, 2, 1], [4, 1, 1]]))
def test_a_split_batch_has_the_loss_and_the_gradient_of_the_whole(loss, sizes):
    make, labels, terms = ASKED[loss]
    batch, model = TOKENS | labels, make()
    whole = model(**batch)
    whole.loss.backward()
    gradients = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    run = trainer(model, terms, gradient_accumulation_steps=len(sizes))
    evaluated = run.evaluate(cut(batch, sizes))
    for term in run.terms:
        assert evaluated[term] == pytest.approx(getattr(whole, term).item(), rel=1e-12)
    model.eval()
    model.train = lambda mode=True: model  # no dropout, so that the gradient is the same one
    record = run.fit(cut(batch, sizes))[-1]
    assert record["loss"] == pytest.approx(whole.loss.item(), rel=1e-12)
    named = dict(model.named_parameters())
    for name, gradient in gradients.items():
        close(named[name].grad, gradient)


def row(seq, start, end):
    return {
        "input_ids": [2, *range(5, 3 + seq), 3], "token_type_ids": [0] * seq,
        "start_positions": start, "end_positions": end,
    }  # fmt: skip


def task_batches(rows, batch_size=1):
    return TaskBatches(rows, batch_size=batch_size, seed=0, pad_token_id=0)


@pytest.mark.parametrize("outside", [(40, 41), (4, 9), (-100, -100), (2, -100)])
@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_rows_without_an_answer_inside_are_skipped(outside, batch_size):
    rows = [row(6, 1, 2), row(6, *outside), row(6, *outside), row(6, 1, 1)]
    run = trainer(build(SMALL, kind=Q, dtype=torch.float32), BY_START, steps=8)
    inside = [run.evaluate(task_batches([one]))["loss"] for one in (rows[0], rows[3])]
    batches = task_batches(rows, batch_size)
    assert run.evaluate(batches)["loss"] == pytest.approx(sum(inside) / 2, abs=1e-5)
    history = run.fit(batches, eval_batches=batches)
    assert history[-1]["step"] == 8 == run.step
    assert math.isfinite(history[-1]["eval_loss"])


def test_batches_without_a_label_make_no_step_wherever_a_run_goes_on(tmp_path):
    """Of four batches one has an answer, so that three steps take three epochs."""
    batches = task_batches([row(6, 1, 2), *[row(6, 9, 9)] * 3])

    def make(folder):
        model = build(SMALL, kind=Q, dtype=torch.float32)
        return trainer(model, BY_START, steps=3, folder=folder, save_steps=1)

    whole = make(tmp_path / "whole")
    whole.fit(batches)
    assert (whole.step, whole.epoch) == (3, 2)
    shutil.rmtree(tmp_path / "whole" / "step-00000003")
    again = make(tmp_path / "whole")
    assert again.resume() == 2
    again.fit(batches)
    assert equal(again, whole)


def test_pre_training_with_nothing_masked_in_a_batch_goes_on_with_the_pairs():
    batch = TOKENS | PAIRS | {"labels": torch.full((ROWS, SEQ), -100)}
    run = trainer(build(SMALL, kind=BertForPreTraining), BOTH, steps=2, logging_steps=1)
    history = run.fit([batch, TOKENS | PAIRS | WORDS])
    assert "masked_lm_loss" not in history[0] and "masked_lm_loss" in history[1]


# One update: its length, its dropout, and bad numbers, which make none


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
