"""Scores of answers and entities against their published definitions, written anew here."""

import random
import re
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bertbook.core.metrics import (
    answer_f1,
    exact_match,
    normalize_answer,
    score_answers,
    score_entities,
)
from bertbook.topics.tag.tagging import find_entities

PARTS = ["the", "The", "a", "an", "Bund", "bund", "in", "1990", "Shang-hai", ",", ".", " ", "\t",
         "“", "théâtre", "A.", "theme", "上海", "'s"]  # fmt: skip
ANSWERS = st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join) | st.text(max_size=8)


def words_by_definition(text):
    kept = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return re.sub(r"\b(a|an|the)\b", " ", kept, flags=re.UNICODE).split()


def f1_by_definition(prediction, truth):
    found, true = words_by_definition(prediction), words_by_definition(truth)
    if len(found) == 0 or len(true) == 0:
        return int(found == true)
    same = sum(min(found.count(word), true.count(word)) for word in {*found})
    precision, recall = same / len(found), same / len(true)
    return 2 * precision * recall / (precision + recall) if same else 0


@given(prediction=ANSWERS, truth=ANSWERS)
@example(prediction="Bund Bund", truth="the Bund, old Bund!")
@example(prediction="上海", truth="上海。")
def test_answers_by_definition(prediction, truth):
    assert normalize_answer(prediction).split() == words_by_definition(prediction)
    assert exact_match(prediction, truth) == (
        " ".join(words_by_definition(prediction)) == " ".join(words_by_definition(truth))
    )
    assert answer_f1(prediction, truth) == pytest.approx(f1_by_definition(prediction, truth))
    assert answer_f1(prediction, truth) == pytest.approx(answer_f1(truth, prediction))


def test_the_nearest_true_answer_counts_and_every_question_counts_the_same():
    predictions = ["Shanghai", "", "old Bund", "in 1990"]
    truths = [["Peking", "the city of Shanghai", "Shanghai."], [], ["Bund", "old"], [""]]
    scores = score_answers(predictions, truths)
    assert scores.exact_match == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert scores.f1 == pytest.approx((1 + 1 + 2 / 3 + 0) / 4)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("score", "given", "error", "words"),
    [
        (score_answers, (["a"], [["a"], ["b"]]), ValueError, "1 predictions and 2 truths do not"),
        (score_answers, ([], []), ValueError, "there are no predictions, so there is no score"),
        (score_answers, (["a"], ["abc"]), TypeError, "question 0 are the string 'abc'; give a li"),
        (score_entities, ([[]], []), ValueError, "1 predictions and 0 truths do not fit"),
    ],
)
def test_what_has_no_score_is_named(score, given, error, words):
    with pytest.raises(error, match=words):
        score(*given)


def test_what_is_named_twice_counts_once_and_nothing_is_no_score():
    cat, dog = ("CAT", 0, 2), ("DOG", 3, 4)
    assert score_entities([[cat, cat, dog]], [[cat, cat]]) == (1 / 2, 1, 2 / 3, 1)
    assert score_entities([[]], [[cat]]) == (0, 0, 0, 1)
    assert score_entities([[]], [[]]) == (0, 0, 0, 0)


def test_entities_of_any_tags_by_seqeval():
    from seqeval import metrics as seqeval  # brings scikit-learn along, which takes a second

    rng, tags = random.Random(0), ["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    for _ in range(100):
        sentences = [rng.choices(tags, k=rng.randint(1, 9)) for _ in range(rng.randint(1, 6))]
        guesses = [[rng.choice([tag, tag, rng.choice(tags)]) for tag in row] for row in sentences]
        ours = score_entities(*(list(map(find_entities, rows)) for rows in (guesses, sentences)))
        if ours.support and ours.f1:  # else seqeval warns that it has nothing to divide
            assert ours.f1 == pytest.approx(seqeval.f1_score(sentences, guesses))
            assert ours.recall == pytest.approx(seqeval.recall_score(sentences, guesses))
            assert ours.precision == pytest.approx(seqeval.precision_score(sentences, guesses))
