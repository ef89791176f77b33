"""How good are answers and entities? Exact match and F1, by the usual definitions.

For answers these are from Rajpurkar et al. (2016), section 6.1. Chapters 17 and 18.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


class AnswerScores(NamedTuple):
    """How well answers agree with the true ones, from 0 to 1.

    Args:
        exact_match: Share of the answers that are the true one, up to case, punctuation and
            articles; 0 to 1.
        f1: Mean F1 of the words in common, 0 to 1.
    """

    exact_match: float
    f1: float


class EntityScores(NamedTuple):
    """How well found entities agree with the true ones, from 0 to 1.

    Args:
        precision: Share of the found entities that are true, 0 to 1.
        recall: Share of the true entities that are found, 0 to 1.
        f1: Their harmonic mean.
        support: Number of true entities.
    """

    precision: float
    recall: float
    f1: float
    support: int


def normalize_answer(text: str) -> str:
    """Remove from an answer what does not count: case, punctuation, articles, white space.

    Args:
        text: An answer.

    Returns:
        Small letters and single spaces; of punctuation only that outside ASCII.

    >>> normalize_answer("The  Bund, in Shanghai.")
    'bund in shanghai'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(prediction: str, truth: str) -> float:
    """Return whether an answer is the true one, once both are normalized.

    Args:
        prediction, truth: Answers; an empty one means that there is none.

    Returns:
        1 or 0.

    >>> exact_match("the Bund", "Bund."), exact_match("the old Bund", "Bund.")
    (1.0, 0.0)
    """
    return float(normalize_answer(prediction) == normalize_answer(truth))


def answer_f1(prediction: str, truth: str) -> float:
    """Measure how far an answer overlaps with the true one, word by word.

    ``2 * shared / (words of the prediction + words of the truth)``, where a word is shared as often
    as it occurs in both: the harmonic mean of precision and recall.

    Args:
        prediction, truth: Answers; an empty one means that there is none, and agrees with an empty
            one only.

    Returns:
        From 0 to 1.

    Source: Rajpurkar et al. (2018), for answers that are empty.

    >>> answer_f1("the old Bund", "Bund."), answer_f1("", "Bund."), answer_f1("", "")
    (0.6666666666666666, 0.0, 1.0)
    """
    words, true_words = normalize_answer(prediction).split(), normalize_answer(truth).split()
    if not (words and true_words):
        return float(words == true_words)
    shared = (Counter(words) & Counter(true_words)).total()
    return 2 * shared / (len(words) + len(true_words))


def score_answers(predictions: Sequence[str], truths: Sequence[Sequence[str]]) -> AnswerScores:
    """Score answers to many questions, each against the true answer it matches best.

    Args:
        predictions: One answer for each question, "" where the passage has none.
        truths: The true answers to each question; none at all is the same as [""].

    Returns:
        Means over all questions.

    Raises:
        TypeError: If the true answers to a question are one string.
        ValueError: If there is no question, or predictions and truths are not equally many.

    >>> score_answers(["Shanghai", "in 1990"], [["Shanghai", "the city of Shanghai"], ["1990"]])
    AnswerScores(exact_match=0.5, f1=0.8333333333333333)
    """
    _require_equally_many("predictions", len(predictions), "truths", len(truths))
    exact = overlap = 0.0
    for number, (prediction, answers) in enumerate(zip(predictions, truths, strict=True)):
        if isinstance(answers, str):
            raise TypeError(
                f"the true answers to question {number} are the string {answers!r:.40}; give a "
                "list of strings"
            )
        exact += max(exact_match(prediction, truth) for truth in answers or [""])
        overlap += max(answer_f1(prediction, truth) for truth in answers or [""])
    return AnswerScores(exact / len(predictions), overlap / len(predictions))


def score_entities(
    predictions: Sequence[Collection[Hashable]], truths: Sequence[Collection[Hashable]]
) -> EntityScores:
    """Score found entities; one counts only if its kind, its beginning and its end are right.

    Precision and recall are shares of all entities of all sentences, not means over sentences.

    Args:
        predictions, truths: The entities of each sentence, as
            `bertbook.topics.tag.tagging.find_entities` gives them.

    Returns:
        For all kinds together; filter the entities first to score one kind.

    Raises:
        ValueError: If there is no sentence, or predictions and truths are not equally many.

    Source: Tjong Kim Sang and De Meulder (2003), section 2.4.

    >>> predicted, true = {("PER", 0, 2), ("LOC", 4, 5)}, {("PER", 0, 2), ("LOC", 3, 5)}
    >>> score_entities([predicted], [true])
    EntityScores(precision=0.5, recall=0.5, f1=0.5, support=2)
    """
    _require_equally_many("predictions", len(predictions), "truths", len(truths))
    predicted = sum(len(set(entities)) for entities in predictions)
    true = sum(len(set(entities)) for entities in truths)
    right = sum(len(set(p) & set(t)) for p, t in zip(predictions, truths, strict=True))
    return EntityScores(
        right / predicted if predicted else 0.0,
        right / true if true else 0.0,
        2 * right / (predicted + true) if predicted + true else 0.0,
        true,
    )


def _require_equally_many(name: str, count: int, other: str, others: int) -> None:
    if count != others:
        raise ValueError(f"{count} {name} and {others} {other} do not fit; give one for each")
    if not count:
        raise ValueError(f"there are no {name}, so there is no score; give at least one")
