"""Batches: everything once an epoch, little padding, and the same ones after a new start."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
import torch
from effort import mostly_slow
from hypothesis import given
from hypothesis import strategies as st

from bertbook.corpus import hundred_sentences
from minibert.data import IS_NEXT, PretrainingBatches, bucket_by_length
from minibert.wordpiece import WordPieceTokenizer

KEYS = ["input_ids", "token_type_ids", "attention_mask", "labels", "next_sentence_label"]
SENTENCES = hundred_sentences()
CORPUS = [list(SENTENCES[at : at + 1 + at % 7]) for at in range(0, 90, 3)]
TOKENIZER = WordPieceTokenizer.train(SENTENCES, 150)


def make(corpus=CORPUS, **changes):
    options = {"batch_size": 4, "seed": 7, "batches_per_pool": 3} | changes
    return PretrainingBatches(corpus, TOKENIZER, **options)


def same(left, right):
    sides = ([(key, x.tolist()) for batch in s for key, x in batch.items()] for s in (left, right))
    return next(sides) == next(sides)


def texts(batch):
    """Undo the masking and read the rows."""
    ids = torch.where(batch["labels"] == -100, batch["input_ids"], batch["labels"])
    for row, types, keep in zip(ids, batch["token_type_ids"], batch["attention_mask"] == 1):
        ends = types[keep].tolist().index(1)
        yield TOKENIZER.decode(row[1 : ends - 1]), TOKENIZER.decode(row[keep][ends:-1])


@pytest.mark.parametrize("epoch", [0, 1])
@pytest.mark.parametrize(
    "options", [{}, {"batch_size": 5, "batches_per_pool": 1}, {"batch_size": 1000}]
)
def test_every_sentence_with_a_next_one_comes_once_an_epoch(epoch, options):
    wanted = Counter(sentence for document in CORPUS for sentence in document[:-1])
    batches = make(**options).epoch(epoch)
    assert Counter(first for batch in batches for first, _ in texts(batch)) == wanted


def test_shapes_padding_and_labels_fit_the_texts():
    following = {(a, b) for document in CORPUS for a, b in zip(document, document[1:])}
    batches, labels = make(), Counter()
    for epoch in range(4):
        sizes = []
        for batch in batches.epoch(epoch):
            assert list(batch) == KEYS
            assert {tensor.dtype for tensor in batch.values()} == {torch.int64}
            assert len({batch[key].shape for key in KEYS[:4]}) == 1
            assert batch["next_sentence_label"].shape == batch["input_ids"].shape[:1]
            padding = batch["attention_mask"] == 0
            assert (batch["input_ids"][padding] == TOKENIZER.pad_token_id).all()
            assert (batch["labels"][padding] == -100).all()
            assert (batch["labels"] != -100).any()
            sizes.append(len(batch["input_ids"]))
            for pair, label in zip(texts(batch), batch["next_sentence_label"].tolist()):
                labels[label] += 1
                assert label != IS_NEXT or pair in following
        assert len(sizes) == len(batches) == -(-batches.pairs // 4)
        assert sorted(sizes)[1:] == [4] * (len(sizes) - 1)
    assert labels[0] > 100 and labels[1] > 100
    for batch in make(max_length=8).epoch(0):
        assert batch["input_ids"].shape[1] <= 8
        assert ((batch["input_ids"] == TOKENIZER.sep_token_id).sum(1) == 2).all()


def test_documents_come_in_a_new_order_in_every_epoch_the_same_for_a_seed():
    assert same(make(), make().epoch(0)) and same(make().epoch(3), make().epoch(3))
    assert not same(make().epoch(3), make(seed=8).epoch(3))
    beginnings = {document[0] for document in CORPUS if len(document) > 1}
    orders = []
    for epoch in range(3):  # of first pairs; without pools nothing is sorted
        batches = make(batch_size=1, batches_per_pool=1).epoch(epoch)
        first = [first for batch in batches for first, _ in texts(batch)]
        orders.append(tuple(sentence for sentence in first if sentence in beginnings))
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(orders[2])
    assert len({*orders}) == 3


def test_partners_are_new_in_every_epoch_and_masks_in_every_batch():
    def seen(epoch):
        rows = [row for batch in make().epoch(epoch) for row in zip(texts(batch), batch["labels"])]
        return {pair: tuple((label != -100).nonzero().flatten().tolist()) for pair, label in rows}

    first, second = seen(0), seen(1)
    assert len(first.keys() - second.keys()) > len(first) / 4
    common = first.keys() & second.keys()
    assert sum(first[pair] != second[pair] for pair in common) > len(common) / 2
    corpus = [["the cat sits on the mat", "the cat sits on the mat"]] * 40
    batches = make(corpus, batch_size=1, max_length=15).epoch(0)
    assert len({tuple(batch["labels"].flatten().tolist()) for batch in batches}) > 20


@pytest.mark.parametrize("options", mostly_slow([{}, {"batches_per_pool": 1}, {"batch_size": 7}]))
def test_any_start_gives_the_rest_of_the_epoch(options):
    batches = make(**options)
    whole = list(batches.epoch(2))
    for start in [*range(6), len(batches) - 1, len(batches)]:
        assert same(batches.epoch(2, start), islice(whole, start, None))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 9), st.integers(0, 99))
def test_a_bucket_holds_neighbors_in_length(lengths, batch_size, seed):
    buckets = bucket_by_length(lengths, batch_size, rng=np.random.default_rng(seed))
    assert sorted(row for bucket in buckets for row in bucket) == list(range(len(lengths)))
    spans = sorted((min(lengths[r] for r in b), max(lengths[r] for r in b)) for b in buckets)
    assert all(left[1] <= right[0] for left, right in zip(spans, spans[1:]))
    assert sum(len(bucket) < batch_size for bucket in buckets) <= 1


def test_rows_of_one_length_stay_in_the_order_of_chance_and_buckets_are_not_in_that_of_length():
    # A sort that is not stable would shuffle them again, on each processor in its own way.
    lengths = [7, 8] * 500
    drawn = np.random.default_rng(0).permutation(1000).tolist()
    batches = bucket_by_length(lengths, 500, rng=np.random.default_rng(0))
    assert sorted(batches) == sorted([row for row in drawn if row % 2 == odd] for odd in (0, 1))
    buckets = bucket_by_length(range(1, 101), 2, rng=np.random.default_rng(0))
    firsts = [bucket[0] for bucket in buckets]
    assert firsts != sorted(firsts)


def test_what_makes_batches_the_same_is_told():
    other = [list(document) for document in CORPUS]
    other[3][0] += " again"
    changes = [{"seed": 8}, {"batch_size": 5}, {"max_length": 9}, {"corpus": CORPUS[1:]}]
    changes += [{"corpus": other}]
    assert make().identity == make().identity
    assert all(make(**change).identity != make().identity for change in changes)
    assert make(other).identity["pairs"] == sum(len(document) - 1 for document in CORPUS)
