"""What is counted is what a loss is a mean over: a split batch has the total of the whole."""

import math
import shutil

import pytest
import torch
from bert_pairs import SMALL, build, close, scatter_weights
from effort import examples
from family_pairs import MEMBERS
from hypothesis import given
from hypothesis import strategies as st
from small_model import equal, make_trainer
from tasks import MULTI, Q, S, T

import bertfamily as family
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import TaskBatches

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
