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
    rows = list(zip(*(part.tolist() for part in found[:3]), strict=True))
    assert rows == all_legal(start_logits, end_logits, passage, longest)[:top_n]
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


def test_a_row_with_fewer_legal_spans_than_others_ends_in_none():
    """Once the first token, [CLS], took the place of those that cannot exist."""
    start_logits = torch.tensor([[0.0, 4.0, 1.0, 2.0], [0.0, 4.0, 1.0, 2.0], [9.0, 9.0, 9.0, 9.0]])
    passage = torch.tensor([[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]]).bool()
    best = best_spans(start_logits, torch.zeros(3, 4), passage, top_n=3)
    assert best.start.tolist() == [[1, -100], [1, 3], [-100, -100]] == best.end.tolist()
    assert best.score.tolist() == [[4, -math.inf], [4, 2], [-math.inf, -math.inf]]
    alone = best_spans(start_logits[2], torch.zeros(4), passage[2], top_n=3)
    assert alone.start.shape == alone.end.shape == alone.score.shape == (0,)
    assert alone.no_answer == 9


def test_a_score_of_minus_infinity_is_no_answer():
    start_logits = torch.tensor([0.0, -math.inf, 1.0])
    best = best_spans(start_logits, torch.zeros(3), torch.ones(3).bool(), top_n=9)
    assert 1 not in best.start.tolist()
    assert best.score.isfinite().all() and len(best.score) == 4


ONES = torch.ones(4, dtype=torch.bool)
GIVEN = {"start_logits": torch.zeros(3), "end_logits": torch.zeros(3), "passage": ONES[:3]}
BAD = [
    ({"passage": ONES}, r"start_logits must have the shape \(4,\), not \(3,\), that of passage"),
    ({"max_answer_length": 0}, r"max_answer_length \(0\) must be at least 1"),
    ({"start_logits": torch.zeros(0)}, r"start_logits must have the shape \(3,\), not \(0,\)"),
    ({"start_logits": torch.tensor([0, math.nan, 1])}, "start_logits are numbers, or .*, not nan"),
    ({"end_logits": torch.tensor([0, 1, math.inf])}, "end_logits are numbers, or .*, not inf"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, words):
    with pytest.raises(ValueError, match=words):
        best_spans(**GIVEN | changes)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"passage": [False, True, True]}, "passage must be a tensor, not a list"),
        (
            {"passage": ONES[:3].long()},
            r"passage must be torch\.bool, not torch\.int64",
        ),
        ({"end_logits": ONES[:3]}, r"end_logits must be torch\.float32 .*, not torch\.bool"),
    ],
)
def test_another_type_is_answered_in_words(changes, words):
    with pytest.raises(TypeError, match=words):
        best_spans(**GIVEN | changes)
