"""The record of Chapter 23: everything in it that is not a time, measured again or in part."""

from itertools import chain

import pytest
from torch.utils.flop_counter import FlopCounterMode

from benchmarks import ladder
from benchmarks.ladder_steps import (
    ASIDE,
    LADDER,
    batches,
    build,
    loss_and_gradient,
    ragged_rows,
    rungs,
    some_buckets,
    useful_products,
)
from bertbook.records import record_of
from minibert.data import padding_share

NOT_EXACT = {"bfloat16", "compiled"}


@pytest.fixture(scope="module")
def record():
    return record_of("ladder")


@pytest.fixture(scope="module")
def short():
    """Make the texts of the short race, and its model's sizes."""
    size = ladder.SIZES["short"]
    rows, vocab = ragged_rows(size.rows * size.pool, size.longest, size.paragraphs)
    return some_buckets(rows, size.rows, size.batches), size.model(vocab_size=vocab), size


def same_texts(record, buckets):
    """Python's documentation changes with its version; skip where it is another one."""
    tokens = sum(len(row["labels"]) for row in chain.from_iterable(buckets))
    if tokens != record["short"]["tokens"]:
        pytest.skip(f"recorded with Python {record['short']['origin']['python']}")


@pytest.mark.usefixtures("unchecked")
def test_the_texts_are_padded_as_recorded(record, short):
    buckets, config, size = short
    assert list(record["short"]["steps"]) == [*LADDER, *ASIDE]
    same_texts(record, buckets)
    for name, told in record["short"]["steps"].items():
        share = padding_share(batches(buckets, size.longest, rungs()[name]))
        assert share == pytest.approx(told["padding"], abs=1e-4), name
        assert (told["gradient_difference"] < 1e-5) == (name not in NOT_EXACT), name
    rows = list(chain.from_iterable(buckets))
    assert useful_products(config, rows) == record["short"]["useful_products"]


@pytest.mark.parametrize("name", ["no padding", "no padding, no buckets"])
def test_what_is_useful_is_what_a_step_without_padding_computes(short, name):
    buckets, config, size = short
    rung = rungs()[name]
    some = [bucket for bucket in buckets if len({len(row["labels"]) for row in bucket}) > 1][:2]
    model = build(config, rung, "cpu").train()  # dropout keeps attention written out
    with FlopCounterMode(display=False) as counter:
        for batch in batches(some, size.longest, rung):
            model(**batch).loss.backward()
    rows = list(chain.from_iterable(some))
    assert counter.get_total_flops() == 2 * useful_products(config, rows)


@pytest.mark.parametrize("name", ["no padding", "gradient checkpointing", "bfloat16"])
def test_a_rung_has_the_gradient_of_the_one_before(short, name):
    buckets, config, size = short
    found = []
    for each in ("scores at labels only", name):
        rung = rungs()[each]
        made = batches(buckets[:3], size.longest, rung)
        found.append(loss_and_gradient(build(config, rung, "cpu"), made, rung)[1])
    off = ((found[1] - found[0]).norm() / found[0].norm()).item()
    assert off < (0.02 if name in NOT_EXACT else 1e-5)
