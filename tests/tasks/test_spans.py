"""The best legal span against all pairs of tokens, and what no answer scores."""

import math
from itertools import product

import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.tasks import best_spans


def all_legal(start_logits, end_logits, passage, longest):
    """Try every pair; best first, then the earlier start, then the shorter span."""
    seq = len(passage)
    found = [
        (-(start_logits[i] + end_logits[j]), i, j)
        for i, j in product(range(seq), repeat=2)
        if i <= j < i + longest and all(passage[i : j + 1])
    ]
    return [(i, j, -cost) for cost, i, j in sorted(found)]


@examples(150)
@given(data=st.data(), seq=st.integers(1, 12), longest=st.integers(1, 14), top_n=st.integers(1, 9))
def test_no_pair_is_better(data, seq, longest, top_n):
    scores = st.lists(st.integers(-3, 3), min_size=seq, max_size=seq)  # with many ties
    start_logits, end_logits = data.draw(scores), data.draw(scores)
    passage = data.draw(st.lists(st.booleans(), min_size=seq, max_size=seq))
    found = best_spans(
        torch.tensor(start_logits, dtype=torch.float64),
        torch.tensor(end_logits, dtype=torch.float64),
        torch.tensor(passage),
        max_answer_length=longest,
        top_n=top_n,
    )
    rows = zip(*(part.tolist() for part in found[:3]), strict=True)
    legal = [row for row in rows if row[2] > -math.inf]
    assert legal == all_legal(start_logits, end_logits, passage, longest)[:top_n]
    assert found.no_answer == start_logits[0] + end_logits[0]


def test_rows_of_a_batch_do_not_know_each_other():
    generator = torch.Generator().manual_seed(0)
    start_logits, end_logits = torch.randn(2, 3, 4, 20, generator=generator)
    passage = torch.rand(3, 4, 20, generator=generator) < 0.8
    whole = best_spans(start_logits, end_logits, passage, max_answer_length=5, top_n=3)
    for i, j in product(range(3), range(4)):
        alone = best_spans(
            start_logits[i, j], end_logits[i, j], passage[i, j], max_answer_length=5, top_n=3
        )
        assert all(torch.equal(a[i, j], b) for a, b in zip(whole, alone, strict=True))


ONES = torch.ones(4, dtype=torch.bool)
GIVEN = {"start_logits": torch.zeros(3), "end_logits": torch.zeros(3), "passage": ONES[:3]}
BAD = [
    ({"passage": ONES}, r"shapes \(3,\), \(3,\) and \(4,\); they need"),
    ({"max_answer_length": 0}, r"max_answer_length \(0\) must be at least 1"),
    ({name: value[:0] for name, value in GIVEN.items()}, r"shapes \(0,\), .* at least one token"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, words):
    with pytest.raises(ValueError, match=words):
        best_spans(**GIVEN | changes)
