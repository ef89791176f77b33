"""Batches of labeled rows: everything once an epoch, padded, and the same after a new start."""

import math
from itertools import islice

import pytest
import torch

from minibert.tasks import TaskBatches


def rows(count=11, **labels):
    ids = [[2, *range(5, 6 + number * 7 % 5), 3] for number in range(count)]
    return [
        {"input_ids": row, "token_type_ids": [0] * (len(row) - 1) + [1], "labels": number}
        | {name: draw(number, row) for name, draw in labels.items()}
        for number, row in enumerate(ids)
    ]


def make(given=None, **changes):
    given = rows() if given is None else given
    return TaskBatches(given, **{"batch_size": 3, "seed": 5, "pad_token_id": 0} | changes)


def same(left, right):
    left, right = list(left), list(right)
    return len(left) == len(right) and all(
        a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("epoch", [0, 1, 7])
def test_every_row_is_there_once_with_its_own_label(epoch):
    given, seen = rows(), []
    for batch in make(given).epoch(epoch):
        names = ("input_ids", "token_type_ids", "attention_mask")
        rows_of = zip(batch["labels"].tolist(), *(batch[name] for name in names), strict=True)
        for number, ids, types, mask in rows_of:
            length = int(mask.sum())
            assert ids[:length].tolist() == given[number]["input_ids"]
            assert types[:length].tolist() == given[number]["token_type_ids"]
            assert not ids[length:].any() and mask[:length].all()
            seen.append(number)
    assert sorted(seen) == list(range(11))


def test_an_epoch_goes_on_from_any_batch_and_the_next_has_another_order():
    batches = make()
    assert len(batches) == 4 == len(list(batches))
    for start in range(5):
        assert same(batches.epoch(1, start), islice(batches.epoch(1), start, None))
    assert same(make(), batches)
    assert not same(batches.epoch(0), batches.epoch(1))
    assert not same(make(seed=6), batches)


def test_labels_of_tokens_are_padded_with_what_asks_nothing_lists_and_fractions_are_kept():
    given = rows(
        tags=lambda number, row: [-100, *[number] * (len(row) - 2), -100],
        several=lambda number, row: [1.0, 0.0],
        number=lambda number, row: number / 2,
    )
    for batch in make(given, per_token=["tags"]):
        assert batch["several"].tolist() == [[1.0, 0.0]] * len(batch["labels"])
        assert batch["number"].dtype == torch.float32
        assert torch.equal(batch["number"] * 2, batch["labels"].float())
        assert batch["tags"].shape == batch["input_ids"].shape
        assert (batch["tags"][batch["attention_mask"] == 0] == -100).all()
        for number, tags in zip(batch["labels"].tolist(), batch["tags"], strict=True):
            assert {*tags.tolist()} == {-100, number}


def test_an_answer_beyond_its_row_is_no_answer_in_a_longer_row():
    given = [
        {"input_ids": [2, 7, 3], "start_positions": 1, "end_positions": 3},
        {"input_ids": [2, 7, 8, 9, 3], "start_positions": -100, "end_positions": 4},
        {"input_ids": [2, 3], "start_positions": 0, "end_positions": 1},
    ]
    given = [row | {"token_type_ids": [0] * len(row["input_ids"])} for row in given]
    (batch,) = make(given)
    ends = zip(*(batch[f"{end}_positions"].tolist() for end in ("start", "end")), strict=True)
    assert sorted(ends) == [(-100, 4), (0, 1), (1, -100)]


ROW = {"input_ids": [2, 7, 3], "token_type_ids": [0, 0, 0], "labels": 1}
BAD = [
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
    for given, options, words in BAD:
        with pytest.raises(ValueError, match=words):
            make(given, **options)
    for first, name in ((2, "spam"), ([0, 1, 0], ["O", "B", "O"])):
        words = r"row 1 has '(spam|O)' in 'labels', .* number the names, "
        with pytest.raises(TypeError, match=words):
            make([ROW | {"labels": first}, ROW | {"labels": name}])
