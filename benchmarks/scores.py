"""Score the taggers of Chapter 17, the readers of Chapter 18, and those who learn nothing."""

import math
from collections.abc import Sequence

from bertbook.core.metrics import score_answers, score_entities
from bertbook.corpus import Question, entity_sentences, passage_questions
from bertbook.topics.answer.answering import Answers
from bertbook.topics.tag.tagging import Entity, find_entities
from tests.baselines import capital_names, right_kind


def reader_scores(
    found: Sequence[Answers], asked: Sequence[Question], threshold: float
) -> dict[str, float]:
    """Score all questions, and those with and without an answer separately."""
    told = [answers.choose(threshold) for answers in found]
    forced = [answers.choose(math.inf) for answers in found]
    truths = [[span.text for span in q.answers] for q in asked]
    has = [number for number, q in enumerate(asked) if q.answers]
    none = [number for number, q in enumerate(asked) if not q.answers]

    def score(given: Sequence[str], numbers: Sequence[int]) -> list[float]:
        return list(score_answers([given[n] for n in numbers], [truths[n] for n in numbers]))

    every = score(told, range(len(asked)))
    answerable, always = score(told, has), score(forced, has)
    names = ("exact_match", "f1", "has_answer_exact_match", "has_answer_f1")
    values = dict(zip(names, [*every, *answerable], strict=True))
    values |= {
        "no_answer_accuracy": score(told, none)[0],
        "forced_exact_match": always[0],
        "forced_f1": always[1],
    }
    return {name: round(value, 4) for name, value in values.items()}


def tagger_scores(
    found: Sequence[Sequence[Entity]], true: Sequence[Sequence[Entity]]
) -> dict[str, dict[str, float]]:
    """Score all names, and those of each kind."""
    scores = {"all": score_entities(found, true)}
    for kind in ("PER", "LOC", "ORG"):
        both = ([[e for e in row if e.kind == kind] for row in rows] for rows in (found, true))
        scores[kind] = score_entities(*both)
    return {
        name: {field: round(value, 4) for field, value in score._asdict().items()}
        for name, score in scores.items()
    }


def entity_counts(
    found: Sequence[Sequence[Entity]], true: Sequence[Sequence[Entity]]
) -> list[list[int]]:
    """Count right, found and true names of each sentence: what an interval is drawn from."""
    return [[len({*f} & {*t}), len(f), len(t)] for f, t in zip(found, true, strict=True)]


def without_kinds(rows: Sequence[Sequence[Entity]]) -> list[list[tuple]]:
    """Keep where names begin and end."""
    return [[("", *name[1:]) for name in names] for names in rows]


def careless() -> dict[str, dict[str, float]]:
    """Score those who learn nothing, on the same questions and sentences."""
    asked, sentences = passage_questions("test"), entity_sentences("test")
    truths = [[span.text for span in q.answers] for q in asked]
    rules = [right_kind(q) for q in asked]
    readers = {"first of the right kind": rules, "never answers": [""] * len(asked)}
    true = [find_entities(sentence.tags) for sentence in sentences]
    persons = [capital_names(sentence, "PER") for sentence in sentences]
    ends = without_kinds(true)
    anything = [capital_names(sentence, "") for sentence in sentences]
    return {
        "readers": {
            name: {k: round(v, 4) for k, v in score_answers(told, truths)._asdict().items()}
            for name, told in readers.items()
        },
        "taggers": {
            "each run of capitals is a person": round(score_entities(persons, true).f1, 4),
            "the same, its kind not asked": round(score_entities(anything, ends).f1, 4),
        },
    }
