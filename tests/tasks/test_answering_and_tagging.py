"""Answers from long passages, and tags of words: as transformers lays windows and labels."""

import math
import random
from itertools import product
from types import SimpleNamespace

import pytest
import torch
import transformers
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from odd_texts import odd_texts

from bertbook.topics.answer.answering import (
    Answer,
    answer_positions,
    answer_questions,
    merge_windows,
    sliding_windows,
)
from bertbook.topics.tag.tagging import find_entities, labels_of_words, tag_pieces
from minibert.tasks import best_spans
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from minibert.wordpiece.offsets import locate_pieces

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, *"abcdefghijklmnopqrst", "##x", "cafe", "上", "海"])


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_windows_are_those_of_transformers(minilm):
    path = minilm / "vocab.txt"
    ours, theirs = WordPieceTokenizer.load(path), transformers.BertTokenizer(vocab=str(path))
    rng = random.Random(0)
    for text in [*odd_texts(150, seed=2), "", "café " * 200, "中国" * 100]:
        question = " ".join(rng.choices(["what", "is", "financial", "café"], k=rng.randint(0, 6)))
        length = rng.randint(20, 60)
        stride = rng.randint(0, length - len(ours.encode(question)) - 2)
        options = {"max_length": length, "stride": stride}
        windows = sliding_windows(ours, question, text, **options)
        expected = theirs(
            [question], [text], truncation="only_second", return_overflowing_tokens=True,
            return_offsets_mapping=True, **options,
        )  # fmt: skip
        assert [list(window.input_ids) for window in windows] == expected["input_ids"]
        assert [window.token_type_ids for window in windows] == expected["token_type_ids"]
        for number, window in enumerate(windows):
            inside = [sequence == 1 for sequence in expected.sequence_ids(number)]
            assert [place is not None for place in window.offsets] == inside


@examples(200)
@given(data=st.data(), room=st.integers(2, 7))
def test_positions_lead_back_to_the_answer(data, room):
    words = data.draw(st.lists(st.sampled_from(["a", "bx", "cxx", "上海", "CAFÉ"]), min_size=1))
    passage = " ".join(words)
    places = [(piece.start, piece.end) for piece in locate_pieces(TINY, passage)]
    first = data.draw(st.integers(0, len(places) - 1))
    last = data.draw(st.integers(first, len(places) - 1))
    start, end = places[first][0], places[last][1]
    for window in sliding_windows(TINY, "d", passage, max_length=room + 4, stride=room // 2):
        found = answer_positions(window, start, end)
        if {*places[first : last + 1]} <= {*window.offsets}:
            assert window.offsets[found[0]][0] == start
            assert window.offsets[found[1]][1] == end
            assert found[1] - found[0] == last - first
        else:
            assert found == (0, 0)


def test_a_passage_without_pieces_has_no_answer():
    windows = sliding_windows(TINY, "d", " \u200b ")
    found = merge_windows(" \u200b ", windows, [torch.ones(4, 2)], top_n=3)
    assert found == ([], 2.0) and found.choose(float("inf")) == ""


def test_an_answer_may_begin_inside_a_piece_and_takes_its_last_accent_along():
    (window,) = sliding_windows(TINY, "a", "cafe bx")
    assert answer_positions(window, 2, 6) == (3, 4)
    assert answer_positions(window, 6, 7) == (5, 5)
    passage, logits = "a cafe\u0301 b", torch.zeros(8, 2)
    logits[4] = 9.0
    (answer,) = merge_windows(passage, sliding_windows(TINY, "d", passage), [logits]).answers
    assert answer == ("cafe\u0301", 2, 7, 18.0)


BAD = [  # a passage, how it is cut, and where the answer stands
    (
        "c d e",
        {"max_length": 8, "stride": 3},
        (),
        r"\(8\) has room for 3 .*\(3\) must be from 0 to 2",
    ),
    ("c d e", {"max_length": 5, "stride": 0}, (), r"has 2 pieces, .* max_length \(5\); shorten it"),
    ("b c", {}, (-1, 3), "from character -1 to 3 is empty"),
    ("b c", {}, (1, 2), "no token comes from the characters 1 to 2 of the passage"),
]


@pytest.mark.parametrize(("passage", "options", "answer", "words"), BAD)
def test_what_has_no_room_or_is_no_answer_is_named(passage, options, answer, words):
    with pytest.raises(ValueError, match=words):
        answer_positions(sliding_windows(TINY, "a b", passage, **options)[0], *answer)


class Searcher(torch.nn.Module):
    """Know one answer by heart, and prefer none a little to anything else."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(()))

    def forward(self, input_ids, token_type_ids, attention_mask):
        wanted = torch.tensor([TINY.vocab["上"], TINY.vocab["海"]])
        first, last = (5.0 * (input_ids == token).float() for token in wanted)
        no_answer = torch.nn.functional.one_hot(torch.tensor(0), input_ids.shape[1])
        return SimpleNamespace(start_logits=first + no_answer, end_logits=last + no_answer)


def test_questions_are_answered_in_their_order_and_need_a_passage_each():
    passages = ["a " * 30 + "上海" + " b" * 9, "a b c", "c 上海 c", "c " * 50]
    found = answer_questions(
        Searcher(), TINY, ["a", "b c", "d", "e"], passages, max_length=16, stride=4, max_tokens=64
    )
    assert [answers.choose() for answers in found] == ["上海", "", "上海", ""]
    assert [answers.no_answer for answers in found] == [2.0] * 4
    assert found[0].answers[0][1:3] == (60, 62)
    with pytest.raises(ValueError, match="2 questions and 1 passages do not fit"):
        answer_questions(Searcher(), TINY, ["a", "b"], ["c"])


def all_legal(start_logits, end_logits, passage, longest):
    """Try every pair; best first, then the earlier start, then the shorter span."""
    found = [
        (-(start_logits[i] + end_logits[j]), i, j)
        for i, j in product(range(len(passage)), repeat=2)
        if i <= j < i + longest and all(passage[i : j + 1])
    ]
    return [(i, j, -cost) for cost, i, j in sorted(found)]


@examples(150)
@given(data=st.data(), seq=st.integers(1, 12), longest=st.integers(1, 14), top_n=st.integers(1, 9))
def test_no_pair_is_better(data, seq, longest, top_n):
    scores = st.lists(st.integers(-3, 3), min_size=seq, max_size=seq)  # with many ties
    start_logits, end_logits = data.draw(scores), data.draw(scores)
    passage = data.draw(st.lists(st.booleans(), min_size=seq, max_size=seq))
    logits = torch.tensor([start_logits, end_logits], dtype=torch.float64)
    options = {"max_answer_length": longest, "top_n": top_n}
    found = best_spans(*logits, torch.tensor(passage), **options)
    rows = list(zip(*(part.tolist() for part in found[:3]), strict=True))
    assert rows == all_legal(start_logits, end_logits, passage, longest)[:top_n]
    assert found.no_answer == start_logits[0] + end_logits[0]


@examples(100)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), longest=st.integers(1, 5))
def test_no_answer_in_any_window_is_better(data, seed, longest):
    words = data.draw(st.lists(st.sampled_from(["a", "bx", "上海"]), max_size=9))
    passage, top_n = " ".join(words), data.draw(st.integers(1, 30))
    windows = sliding_windows(TINY, "d", passage, max_length=8, stride=2)
    generator = torch.Generator().manual_seed(seed)
    logits = [torch.randn(11, 2, generator=generator, dtype=torch.float64) for _ in windows]
    found = merge_windows(passage, windows, logits, max_answer_length=longest, top_n=top_n)
    best = {}
    for window, scores in zip(windows, logits, strict=True):
        for i, j, score in all_legal(*scores.T.tolist(), [*map(bool, window.offsets)], longest):
            place = window.offsets[i][0], window.offsets[j][1]
            best[place] = max(score, best.get(place, score))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:top_n]
    assert found.answers == [Answer(passage[i:j], i, j, score) for (i, j), score in ranked]
    assert found.no_answer == min(scores[0].sum().item() for scores in logits)


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
    start_logits[0, 1] = -math.inf  # is no answer
    best = best_spans(start_logits[0], torch.zeros(4), torch.ones(4).bool(), top_n=9)
    assert 1 not in best.start.tolist()
    assert best.score.isfinite().all() and len(best.score) == 7


ONES = torch.ones(4, dtype=torch.bool)
SPANS = {"start_logits": torch.zeros(3), "end_logits": torch.zeros(3), "passage": ONES[:3]}
BAD_SPANS = [
    ({"passage": ONES}, r"start_logits must have the shape \(4,\), not \(3,\), that of passage"),
    ({"max_answer_length": 0}, r"max_answer_length \(0\) must be at least 1"),
    ({"start_logits": torch.tensor([0, math.nan, 1])}, "start_logits are numbers, or .*, not nan"),
    ({"end_logits": torch.tensor([0, 1, math.inf])}, "end_logits are numbers, or .*, not inf"),
    ({"passage": [False, True, True]}, "passage must be a tensor, not a list"),
    ({"passage": ONES[:3].long()}, r"passage must be torch\.bool, not torch\.int64"),
    ({"end_logits": ONES[:3]}, r"end_logits must be torch\.float32 .*, not torch\.bool"),
]


@pytest.mark.usefixtures("unchecked")
def test_bad_input_is_answered_in_words():
    for changes, words in BAD_SPANS:
        is_type = "a tensor" in words or "must be torch" in words
        with pytest.raises(TypeError if is_type else ValueError, match=words):
            best_spans(**SPANS | changes)


# Labels between words and pieces against transformers' word numbers, and entities


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
def test_labels_are_those_of_the_usual_recipe(minilm):
    path = minilm / "vocab.txt"
    ours, theirs = WordPieceTokenizer.load(path), transformers.BertTokenizer(vocab=str(path))
    rng = random.Random(0)
    for text in odd_texts(300, seed=1):
        words = [word for word in text.split() if len(word) < 100]
        labels = [rng.randrange(9) for _ in words]
        expected = theirs(words, is_split_into_words=True)
        row = tag_pieces(ours, words, labels)
        assert row.input_ids == expected["input_ids"]
        ids, row_labels = expected.word_ids(), []
        for before, word in zip([None, *ids], ids):  # the recipe of everybody who uses them
            row_labels.append(-100 if word is None or word == before else labels[word])
        assert row.labels == row_labels
        places = [ids.index(number) if number in ids else None for number in range(len(words))]
        assert row.first_pieces == places
        back = [-1 if place is None else label for place, label in zip(places, labels)]
        assert labels_of_words(row.first_pieces, row.labels, missing=-1) == back


@pytest.mark.usefixtures("unchecked")
def test_words_and_tags_that_do_not_fit_are_named():
    with pytest.raises(TypeError, match="give a list of words, not the one string 'is big'"):
        tag_pieces(TINY, "is big", [1, 1])
    with pytest.raises(ValueError, match="2 words and 1 labels do not fit; give one each"):
        tag_pieces(TINY, ["is", "big"], [1])
    for tag in ("PER", "E-PER", "B-", "B", "", "o", "O-PER"):
        with pytest.raises(ValueError, match=f"tag 1 is {tag!r}; a tag is O, or B- or I- and a ki"):
            find_entities(["O", tag])


@pytest.mark.parametrize(
    ("tags", "entities"),
    [
        (["O", "B-X-Y", "I-X-Y", "O", "B-PER"], [("X-Y", 1, 3), ("PER", 4, 5)]),
        (["I-PER", "I-PER"], [("PER", 0, 2)]),
        (["I-PER", "B-PER"], [("PER", 0, 1), ("PER", 1, 2)]),
        (["B-PER", "O", "I-PER"], [("PER", 0, 1), ("PER", 2, 3)]),
        (["B-PER", "I-LOC", "I-PER"], [("PER", 0, 1), ("LOC", 1, 2), ("PER", 2, 3)]),
    ],
)
def test_tags_that_no_person_would_write(tags, entities):
    assert find_entities(tags) == entities
