"""Models with a head by themselves: labels, batches, learning, freezing, words for mistakes."""

import math
from itertools import islice

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch
from effort import mostly_slow
from hypothesis import given
from hypothesis import strategies as st
from tasks import ALL, SINGLE, TASKS, Q, S, T, cast
from torch.nn import functional

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.tasks import TaskBatches, train_from_top
from minibert.tasks.inference import (
    batch_by_tokens,
    encode_rows,
    mean_pool,
    predict,
    sentence_vectors,
)
from minibert.tasks.labels import read_labels
from minibert.training import BertTrainer, TrainingConfig
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

BATCH = draw_batch(SMALL, seed=0)
ONE_OF_EACH = pytest.mark.parametrize(
    "task",
    mostly_slow([ALL[n] for n in (1, 2, 0, 11, 6, 8, 13)], quick=3),
    ids=lambda task: task.name,
)


def labeled(task, dtype=torch.float64):
    return BATCH | cast(task.labels(BATCH, 0), dtype)


def test_the_labels_of_a_batch_tell_what_is_asked_and_no_batch_decides_for_the_next():
    model = build(SMALL, kind=S, num_labels=3)
    logits = model(**BATCH).logits
    numbers, answers = torch.tensor([0, 2, 1, 1]), torch.eye(3, dtype=torch.float64)[[0, 2, 1, 1]]
    for _ in range(2):
        single, several = model(**BATCH, labels=numbers), model(**BATCH, labels=answers)
        close(single.loss, functional.cross_entropy(logits, numbers))
        close(several.loss, functional.binary_cross_entropy_with_logits(logits, answers))
    assert model.problem_type is None


@pytest.mark.parametrize("kind", [S, T])
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
    (S, {"labels": LABELS.bool()}, TypeError, r"\(4,\) are torch.bool; .* must be \(4, 2\)$"),
    (S, {"labels": LABELS + 2}, ValueError, "labels .* 0 to 1, .*, not 2"),
    (T, {"labels": LABELS}, ValueError, r"labels must have the shape \(4, \d+\), not \(4,\)"),
    (Q, {"end_positions": LABELS}, TypeError, "start_positions must be a tensor, not a NoneType"),
    (Q, {"start_positions": LABELS}, TypeError, "end_positions must be a tensor, not a NoneType"),
]


@pytest.mark.usefixtures("unchecked")
def test_labels_that_do_not_fit_are_named():
    for options, words in BAD_LABELS:
        with pytest.raises(ValueError, match=words):
            S(SMALL, **options)
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
    for kind in (S, T):
        model = build(config, kind=kind).train()
        logits = model(**BATCH).logits
        close(logits, model.classifier.bias.expand_as(logits))


@ONE_OF_EACH
def test_bfloat16_autocast_stays_near(task):
    model = build(SMALL, dtype=torch.float32, kind=task.kind, **task.task)
    batch = labeled(task, torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(**batch).loss
    rough.backward()
    assert rough.item() == pytest.approx(model(**batch).loss.item(), rel=0.1)
    used = [p.grad for p in model.parameters() if p.grad is not None]
    assert used and all(grad.isfinite().all() for grad in used)


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


# Batches of labeled rows: everything once an epoch, padded, and the same after a new start


def rows(count=11, **labels):
    ids = [[2, *range(5, 6 + number * 7 % 5), 3] for number in range(count)]
    return [
        {"input_ids": row, "token_type_ids": [0] * (len(row) - 1) + [1], "labels": number}
        | {name: draw(number, row) for name, draw in labels.items()}
        for number, row in enumerate(ids)
    ]


def batches_of(source=None, **changes):
    source = rows() if source is None else source
    return TaskBatches(source, **{"batch_size": 3, "seed": 5, "pad_token_id": 0} | changes)


def same(left, right):
    left, right = list(left), list(right)
    return len(left) == len(right) and all(
        a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_every_row_is_there_once_with_its_own_label(epoch):
    source, seen = rows(), []
    for batch in batches_of(source).epoch(epoch):
        names = ("input_ids", "token_type_ids", "attention_mask")
        rows_of = zip(batch["labels"].tolist(), *(batch[name] for name in names), strict=True)
        for number, ids, types, mask in rows_of:
            length = int(mask.sum())
            assert ids[:length].tolist() == source[number]["input_ids"]
            assert types[:length].tolist() == source[number]["token_type_ids"]
            assert not ids[length:].any() and mask[:length].all()
            seen.append(number)
    assert sorted(seen) == list(range(11))


def test_an_epoch_goes_on_from_any_batch_and_the_next_has_another_order():
    batches = batches_of()
    assert len(batches) == 4 == len(list(batches))
    for start in range(5):
        assert same(batches.epoch(1, start), islice(batches.epoch(1), start, None))
    assert same(batches_of(), batches)
    assert not same(batches.epoch(0), batches.epoch(1))
    assert not same(batches_of(seed=6), batches)
    other = [*rows()[:-1], rows()[-1] | {"labels": 0}]  # with these no run may be resumed
    assert batches_of().identity == batches.identity != batches_of(other).identity


def test_labels_of_tokens_are_padded_with_what_asks_nothing_lists_and_fractions_are_kept():
    source = rows(
        tags=lambda number, row: [-100, *[number] * (len(row) - 2), -100],
        several=lambda number, row: [1.0, 0.0],
        number=lambda number, row: number / 2,
    )
    for batch in batches_of(source, per_token=["tags"]):
        assert batch["several"].tolist() == [[1.0, 0.0]] * len(batch["labels"])
        assert batch["number"].dtype == torch.float32
        assert torch.equal(batch["number"] * 2, batch["labels"].float())
        assert batch["tags"].shape == batch["input_ids"].shape
        assert (batch["tags"][batch["attention_mask"] == 0] == -100).all()
        for number, tags in zip(batch["labels"].tolist(), batch["tags"], strict=True):
            assert {*tags.tolist()} == {-100, number}


def test_an_answer_beyond_its_row_is_no_answer_in_a_longer_row():
    source = [
        {"input_ids": [2, 7, 3], "start_positions": 1, "end_positions": 3},
        {"input_ids": [2, 7, 8, 9, 3], "start_positions": -100, "end_positions": 4},
        {"input_ids": [2, 3], "start_positions": 0, "end_positions": 1},
    ]
    source = [row | {"token_type_ids": [0] * len(row["input_ids"])} for row in source]
    (batch,) = batches_of(source)
    ends = zip(*(batch[f"{end}_positions"].tolist() for end in ("start", "end")), strict=True)
    assert sorted(ends) == [(-100, 4), (0, 1), (1, -100)]


ROW = {"input_ids": [2, 7, 3], "token_type_ids": [0, 0, 0], "labels": 1}
BAD_ROWS = [
    ([], {}, "there is no row; give at least one"),
    ([{"input_ids": [2, 3], "labels": 1}], {}, "row 0 holds no 'token_type_ids', only"),
    ([ROW, ROW | {"x": 1}], {}, "row 1 holds .*'x'.* let every row hold the same"),
    ([ROW | {"token_type_ids": [0]}], {}, "row 0 has 3 input_ids and 1 token_type_ids; give one"),
    ([ROW, ROW | {"labels": None}], {}, "row 1 has None in 'labels', .* leave out rows without"),
    ([ROW, ROW | {"labels": math.nan}], {}, "row 1 has nan in 'labels', which is no label"),
    ([ROW | {"attention_mask": [1] * 3}], {}, "row 0 holds an attention_mask; .* without padding"),
    ([ROW], {"batch_size": 0}, r"batch_size \(0\) must be at least 1"),
    ([ROW], {"seed": -1}, r"seed \(-1\) must be at least 0"),
]


def test_rows_that_make_no_batch_are_named():
    for source, options, words in BAD_ROWS:
        with pytest.raises(ValueError, match=words):
            batches_of(source, **options)
    for first, name in ((2, "spam"), ([0, 1, 0], ["O", "B", "O"])):
        words = r"row 1 has '(spam|O)' in 'labels', .* number the names, "
        with pytest.raises(TypeError, match=words):
            batches_of([ROW | {"labels": first}, ROW | {"labels": name}])


# Use: batches by tokens, order, modes, and sentence vectors as everybody has them

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, *"abcdef", "##x"])
TEXTS = ["a b c", "a", "bx cx d e f a b c", "", "a b", "f e d c b a a a a a a a a a a a"]


def pooled(output, mask):
    return output.pooler_output


def read(rows):
    return predict(build(SMALL), rows, pooled, pad_token_id=0)


REFUSED = [
    (lambda: sentence_vectors(build(SMALL), TINY, []), "there is no text; give at least one"),
    (lambda: encode_rows(TINY, ["a"], max_length=1), r"\(1\) .* no room for the 2 special tokens"),
    (lambda: batch_by_tokens([1], 0), r"max_tokens \(0\) must be at least 1"),
    (lambda: read(["ab"]), r"row 0 is a text \('ab'\)"),
    (lambda: read([[2, 5, 3]]), r"row 0 \(\[2, 5, 3\]\) is no pair \(ids, segment ids\) of two"),
    (lambda: read([([2, 3], [0])]), r"row 0 .* two lists of one length, at least 1"),
    (lambda: read([([], [])]), r"row 0 .* two lists of one length, at least 1"),
]


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_read_is_named():
    for attempt, words in REFUSED:
        with pytest.raises(TypeError if "is a text" in words else ValueError, match=words):
            attempt()


@given(lengths=st.lists(st.integers(1, 50), max_size=40), max_tokens=st.integers(1, 200))
def test_every_row_is_in_one_batch_and_no_batch_is_too_large(lengths, max_tokens):
    batches = batch_by_tokens(lengths, max_tokens)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    longest = [max(lengths[row] for row in batch) for batch in batches]
    for batch, widest in zip(batches, longest, strict=True):
        assert len(batch) * widest <= max_tokens or len(batch) == 1
    for batch, widest, next_widest in zip(batches, longest, longest[1:], strict=False):
        assert (len(batch) + 1) * widest > max_tokens
        assert min(lengths[row] for row in batch) >= next_widest


@pytest.mark.parametrize("max_tokens", [1, 20, 10_000])
def test_each_row_gets_its_own_answer_and_tokens_come_with_their_padding(max_tokens):
    model = build(SMALL, kind=T, num_labels=3)
    rows = encode_rows(TINY, TEXTS, TEXTS[::-1], max_length=13)
    options = {"pad_token_id": 0, "max_tokens": max_tokens}
    found = predict(model, rows, lambda output, mask: output.logits, **options)
    for (ids, types), logits in zip(rows, found, strict=True):
        alone = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        close(logits[: len(ids)], alone)


def test_there_is_no_dropout_and_every_mode_comes_back_even_if_reading_fails():
    model = build(SMALL).train()
    model.encoder.layer[0].eval()
    before = [part.training for part in model.modules()]
    rows = encode_rows(TINY, TEXTS, max_length=13)
    first, second = (predict(model, rows, pooled, pad_token_id=0) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    with pytest.raises(ValueError, match=r"read\(\) gave 1 entries for a batch of 6 rows"):
        predict(model, rows, lambda output, mask: output.pooler_output[:1], pad_token_id=0)
    assert [part.training for part in model.modules()] == before
    # A part in training mode inside of a model that is not.
    model.eval().encoder.layer[1].train()
    first, second = (predict(model, rows, pooled, pad_token_id=0) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_mean_takes_tokens_and_no_padding():
    hidden_states = torch.arange(24.0).view(2, 3, 4)
    means = mean_pool(hidden_states, torch.tensor([[1, 1, 0], [1, 1, 1]]))
    assert means.tolist() == [[2, 3, 4, 5], [16, 17, 18, 19]]


def test_vectors_have_length_one_long_texts_are_cut_and_they_may_take_part_in_training():
    vectors = sentence_vectors(build(SMALL), TINY, TEXTS)
    assert not vectors.requires_grad and not vectors.is_inference()
    close(vectors.norm(dim=-1), torch.ones(6, dtype=torch.float64))
    cut = sentence_vectors(build(SMALL), TINY, TEXTS, max_length=6)
    close(cut[1], vectors[1])
    close(cut[5], sentence_vectors(build(SMALL), TINY, ["f e d c"])[0])
