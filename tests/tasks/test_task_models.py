"""Models with a head by themselves: labels, learning, freezing, and words for mistakes."""

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch
from effort import mostly_slow
from tasks import ALL, SINGLE, TASKS, Q, S, T, cast
from torch.nn import functional

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.tasks import (
    BertForSequenceClassification,
    BertForTokenClassification,
    train_from_top,
)
from minibert.tasks.labels import read_labels
from minibert.training import BertTrainer, TrainingConfig

BATCH = draw_batch(SMALL, seed=0)
ONE_OF_EACH = pytest.mark.parametrize(
    "task",
    mostly_slow([ALL[n] for n in (1, 2, 0, 11, 6, 8, 13)], quick=3),
    ids=lambda task: task.name,
)


def labeled(task, dtype=torch.float64):
    return BATCH | cast(task.labels(BATCH, 0), dtype)


def test_the_labels_of_a_batch_tell_what_is_asked_and_no_batch_decides_for_the_next():
    model = build(SMALL, kind=BertForSequenceClassification, num_labels=3)
    logits = model(**BATCH).logits
    numbers, answers = torch.tensor([0, 2, 1, 1]), torch.eye(3, dtype=torch.float64)[[0, 2, 1, 1]]
    for _ in range(2):
        single, several = model(**BATCH, labels=numbers), model(**BATCH, labels=answers)
        close(single.loss, functional.cross_entropy(logits, numbers))
        close(several.loss, functional.binary_cross_entropy_with_logits(logits, answers))
    assert model.problem_type is None


@pytest.mark.parametrize("kind", [BertForSequenceClassification, BertForTokenClassification])
def test_names_of_labels(kind):
    assert kind(SMALL).id2label == {0: "LABEL_0", 1: "LABEL_1"}
    assert kind(SMALL, 3).num_labels == 3
    named = kind(SMALL, id2label={1: "yes", 0: "no", 2: "perhaps"})
    assert list(named.id2label.items()) == [(0, "no"), (1, "yes"), (2, "perhaps")]
    assert named.classifier.weight.shape == (3, 12)
    assert named.label_fields["id2label"] == {"0": "no", "1": "yes", "2": "perhaps"}
    assert named.label_fields["label2id"] == {"no": 0, "yes": 1, "perhaps": 2}
    assert read_labels(named.label_fields) == named.id2label
    assert read_labels({"num_labels": 2}) == {0: "LABEL_0", 1: "LABEL_1"}


BAD_LABELS = [
    ({"num_labels": 0}, r"num_labels \(0\) must be at least 1; nearest is 1"),
    ({"num_labels": 3, "id2label": {0: "a", 1: "b"}}, r"num_labels \(3\) .* names 2"),
    ({"id2label": {1: "a", 2: "b"}}, r"names the labels \[1, 2\]; name each .* from 0"),
    ({"id2label": {}}, r"names the labels \[\]; .* at least one"),
    ({"id2label": {0: "a", 1: "a"}}, "gives a name twice"),
    ({"problem_type": "ranking"}, r"problem_type \('ranking'\) must be one of regress"),
    ({"num_labels": 1, "problem_type": SINGLE}, "num_labels = 1 has nothing to choose"),
]
LABELS = torch.zeros(4, dtype=torch.int64)
BAD_INPUT = [
    (S, {"labels": [0, 1, 0, 1]}, TypeError, "be a tensor, not a list"),
    (S, {"labels": LABELS + 2}, ValueError, "labels .* 0 to 1, .*, not 2"),
    (T, {"labels": LABELS}, ValueError, r"labels must have the shape \(4, \d+\), not \(4,\)"),
    (Q, {"end_positions": LABELS}, TypeError, "start_positions must be a tensor, not a NoneType"),
    (Q, {"start_positions": LABELS}, TypeError, "end_positions must be a tensor, not a NoneType"),
]


@pytest.mark.usefixtures("unchecked")
def test_labels_that_do_not_fit_are_named():
    for options, words in BAD_LABELS:
        with pytest.raises(ValueError, match=words):
            BertForSequenceClassification(SMALL, **options)
    for kind, changes, error, words in BAD_INPUT:
        with pytest.raises(error, match=words):
            build(SMALL, kind=kind)(**BATCH | changes)


# Who answers questions chooses among all tokens, padding too.
@pytest.mark.parametrize("task", [t for t in ALL if t.kind is not Q], ids=lambda task: task.name)
def test_padding_changes_nothing(task):
    model, batch = build(SMALL, kind=task.kind, **task.task), labeled(task)
    longer = dict(batch)
    for name, values in batch.items():
        if values.shape == BATCH["input_ids"].shape:
            filler = -100 if name == "labels" else 0
            longer[name] = functional.pad(values, (0, 1), value=filler)
    close(model(**longer).loss, model(**batch).loss)


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.name)
def test_hidden_states_and_attentions_come_on_request(task):
    model, batch = build(SMALL, kind=task.kind, **task.task), labeled(task)
    asked = {"output_attentions": True, "output_hidden_states": True}
    plain, output = model(**batch), model(**batch, **asked)
    assert plain.hidden_states is plain.attentions is None
    expected = model.bert(**BATCH, **asked)
    for name in ("hidden_states", "attentions"):
        for own, other in zip(getattr(output, name), getattr(expected, name), strict=True):
            assert torch.equal(own, other)
    assert torch.equal(output.loss, plain.loss)


def test_the_head_has_a_dropout_of_its_own():
    silent = dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), 0.0)
    config = BertConfig(**vars(SMALL) | silent | {"classifier_dropout": 1.0})
    for kind in (BertForSequenceClassification, BertForTokenClassification):
        model = build(config, kind=kind).train()
        logits = model(**BATCH).logits
        close(logits, model.classifier.bias.expand_as(logits))


@ONE_OF_EACH
def test_bfloat16_autocast_stays_near(task):
    model = build(SMALL, dtype=torch.float32, kind=task.kind, **task.task)
    batch = labeled(task, torch.float32)
    exact = model(**batch).loss
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(**batch).loss
    rough.backward()
    assert abs(rough.item() / exact.item() - 1) < 0.1
    used = [p.grad for p in model.parameters() if p.grad is not None]
    assert used and all(grad.isfinite().all() for grad in used)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int16, torch.float64], ids=str)
def test_numbers_of_labels_in_another_type_are_told_which_one_it_is(dtype):
    model = build(SMALL, kind=BertForSequenceClassification, num_labels=3)
    labels = torch.tensor([0, 1, 1, 0]).to(dtype)
    with pytest.raises(TypeError, match=rf"\(4,\) are {dtype}; .* must be \(4, 3\)$"):
        model(**BATCH, labels=labels)
    assert model(**BATCH, labels=labels.long()).loss.isfinite()
    yes_or_no = torch.eye(4, 3).to(dtype)
    close(model(**BATCH, labels=yes_or_no).loss, model(**BATCH, labels=yes_or_no.double()).loss)
    single = build(SMALL, kind=S, problem_type=SINGLE)
    with pytest.raises(TypeError, match=rf"labels must be torch\.int64 .*, not {dtype}$"):
        single(**BATCH, labels=labels)


def trainer(model, steps=15, device="cpu", **terms):
    config = TrainingConfig(max_steps=steps, seed=0, learning_rate=2e-2, weight_decay=0.0)
    return BertTrainer(model, config, show_progress=False, device=device, **terms)


GPU = pytest.param("cuda", marks=[
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here"),
])  # fmt: skip


@ONE_OF_EACH
@pytest.mark.parametrize("device", ["cpu", GPU])
def test_the_trainer_takes_every_task_as_it_is(task, device):
    torch.manual_seed(0)
    model, batch = task.kind(SMALL, **task.task), labeled(task, torch.float32)
    first = next(name for name in batch if name not in BATCH)
    expected = model.eval()(**batch).loss.item()
    run = trainer(model, device=device, terms={"loss": first})
    before = run.evaluate([batch])["loss"]
    assert before == pytest.approx(expected, abs=1e-4)
    run.fit([batch])
    assert run.evaluate([batch])["loss"] < 0.8 * before


def group_of(name):
    """Number the groups from the top as a reader would: head 0, layer 1, layer 0, embeddings."""
    if "encoder.layer" in name:
        return SMALL.num_hidden_layers - int(name.split(".")[3])
    return SMALL.num_hidden_layers + 1 if "embeddings" in name else 0


@pytest.mark.parametrize("task", [TASKS[0], TASKS[9], TASKS[11]], ids=lambda task: task.name)
@pytest.mark.parametrize("groups", range(4))
def test_frozen_parameters_do_not_move_and_all_others_do(task, groups):
    torch.manual_seed(0)
    model, batch = task.kind(SMALL, **task.task), labeled(task, torch.float32)
    train_from_top(model, groups)
    before = {name: parameter.clone() for name, parameter in model.named_parameters()}
    trainer(model, 2, terms={"loss": list(batch)[-1]}).fit([batch])
    # The bias of a key moves no attention weight, so it has no gradient to speak of.
    for name, parameter in model.named_parameters():
        if not name.endswith("key.bias"):
            assert torch.equal(parameter, before[name]) == (group_of(name) > groups), name


def test_a_bert_without_head_can_be_frozen_too_and_groups_that_do_not_exist_are_named():
    model = BertModel(SMALL)
    for groups in (-1, 4):
        with pytest.raises(ValueError, match=rf"groups \({groups}\) must be from 0 to 3: 2 layers"):
            train_from_top(model, groups)
    assert all(parameter.requires_grad for parameter in model.parameters())
    train_from_top(model, 1)
    learning = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    assert all(name.startswith(("encoder.layer.1.", "pooler.")) for name in learning)
    assert len(learning) == 16 + 2
