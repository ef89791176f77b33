"""The record of Chapter 23 on distilling: its counts again, and the loss of a taught student."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertbook.corpus import REQUEST_LABELS, service_requests
from bertbook.topics.faster.distillation import distillation_loss

distilling = pytest.importorskip("benchmarks.distilling", reason="it needs the extra models")
RECORD = json.loads(distilling.RECORD.read_text(encoding="utf-8"))
TRUTH = [REQUEST_LABELS.index(request.label) for request in service_requests("test")]


@pytest.mark.parametrize("name", ["teacher", "teacher in eight bits", *distilling.WAYS])
def test_what_is_right_is_counted_rightly(name):
    assert RECORD["labels"] == TRUTH
    runs = RECORD["runs"][name]
    assert [run["seed"] for run in runs] == [*distilling.SEEDS]
    for run in runs:
        answers = [int(answer) for answer in run["test_answers"]]
        assert run["test_accuracy"] == pytest.approx(np.mean(np.equal(answers, TRUTH)), abs=1e-4)


def test_the_rate_was_chosen_on_another_seed_by_validation():
    assert {choice["seed"] for choice in RECORD["choices"]} == {distilling.CHOICE_SEED}
    best = min(RECORD["choices"], key=lambda choice: choice["validation_loss"])["learning_rate"]
    for name in distilling.WAYS:
        assert {run["learning_rate"] for run in RECORD["runs"][name]} == {best}


def test_a_student_of_stories_learns_more_from_the_teacher_with_every_seed():
    words, teacher = RECORD["stories"]["true words"], RECORD["stories"]["teacher"]
    assert len(words) == len(teacher) == len(distilling.STORY_SEEDS)
    assert all(taught < told for told, taught in zip(words, teacher, strict=True))


def test_a_taught_student_pays_for_both_and_answers_alone():
    logits, told = torch.tensor([[1.0, 0.0, 2.0]]), torch.tensor([0.0, 1.0, 0.0])
    student = torch.nn.Identity()
    student.forward = lambda **batch: SimpleNamespace(loss=torch.tensor(4.0), logits=logits)
    model = distilling.Taught(student, {(5, 6): told})
    batch = {"input_ids": torch.tensor([[5, 6, 0]]), "attention_mask": torch.tensor([[1, 1, 0]])}
    soft = distillation_loss(logits, told[None], temperature=distilling.TEMPERATURE)
    assert model.train()(**batch).loss.item() == pytest.approx((4 + soft.item()) / 2)
    assert model.eval()(**batch).loss.item() == 4
