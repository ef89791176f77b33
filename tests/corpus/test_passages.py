"""The names of Chapter 17 and the questions of 18: in their places, unshared, not for free."""

import re
from collections import Counter, defaultdict
from importlib import resources
from itertools import combinations

import pytest
from baselines import capital_names, first_name, known_words, right_kind, surface

from bertbook.core.metrics import score_answers, score_entities
from bertbook.corpus import entity_sentences, passage_questions
from bertbook.topics.tag.tagging import find_entities

SPLITS = {split: passage_questions(split) for split in ("train", "validation", "test")}
TAGGED = {split: entity_sentences(split) for split in SPLITS}
NAMES = {split: [find_entities(s.tags) for s in sentences] for split, sentences in TAGGED.items()}
LEGAL = re.compile(r"(O |B-(PER|LOC|ORG) (I-\2 )*)+")
EVERY = [asked for questions in SPLITS.values() for asked in questions]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENGLISH_TEST = [asked for asked in SPLITS["test"] if not CHINESE.search(asked.context)]
FOLDER = resources.files("bertbook.corpus.datasets") / "passages_and_entities"
SHEET = (FOLDER / "README.md").read_text("utf-8")


def test_each_answer_is_at_its_place_and_no_question_gives_it_away():
    for asked in EVERY:
        assert asked.is_impossible == (not asked.answers)
        spans = asked.answers or asked.plausible_answers
        assert len(spans) == len(asked.answers) + len(asked.plausible_answers) == 1
        text, start = spans[0]
        assert text == text.strip() != ""
        assert asked.context[start : start + len(text)] == text
        # no answer begins or ends inside a word, which tokens could not tell
        inside = re.compile(r"\w(?<![\u4e00-\u9fff])")
        assert not (inside.match(text[0]) and start and inside.match(asked.context[start - 1]))
        after = asked.context[start + len(text) :]
        assert not (inside.match(text[-1]) and inside.match(after))
        assert asked.question[-1] in "?？"
        assert not asked.answers or text.lower() not in asked.question.lower()


def test_the_datasheet_tells_the_counts():
    for split, questions in SPLITS.items():
        passages = {asked.context for asked in questions}
        row = [len(passages), len(questions), sum(asked.is_impossible for asked in questions)]
        row.append(sum(len(passage.split()) > 200 for passage in passages))
        row.append(sum(bool(CHINESE.search(passage)) for passage in passages))
        assert f"| {split} | {' | '.join(map(str, row))} |" in SHEET


def test_splits_share_neither_passage_nor_topic_nor_question():
    ways = (lambda asked: asked.title.partition(":")[0], lambda asked: asked.context)
    for of in ways:
        parts = [{of(asked) for asked in questions} for questions in SPLITS.values()]
        assert len(set.union(*parts)) == sum(map(len, parts))
    assert len({asked.id for asked in EVERY}) == len(EVERY)
    assert len({asked.question.lower() for asked in EVERY}) == len(EVERY)


def test_training_does_not_repeat_eight_words_in_a_row_of_another_part():
    def wordings(split):
        passages = {asked.context.lower() for asked in SPLITS[split]}
        told = [re.findall(r"\w+", passage) for passage in passages]
        return {tuple(words[at : at + 8]) for words in told for at in range(len(words) - 7)}

    assert not wordings("train") & (wordings("validation") | wordings("test"))


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (first_name, "longest name in the nearest sentence"),
        (right_kind, "first date, number, reason or name, as asked, in the nearest sentence"),
        (lambda asked: "", "never answers"),
    ],
)
def test_what_capitals_and_numbers_reach(read, told):
    answers = [read(asked) for asked in ENGLISH_TEST]
    truths = [[span.text for span in asked.answers] for asked in ENGLISH_TEST]
    answerable = [both for both in zip(answers, truths, strict=True) if both[1]]
    reached = [*score_answers(answers, truths), score_answers(*zip(*answerable)).exact_match]
    assert f"| {told} | {' | '.join(f'{score:.2f}' for score in reached)} |" in SHEET


def test_tags_are_legal_fit_the_words_and_are_as_many_as_the_datasheet_tells():
    for split, sentences in TAGGED.items():
        for words, tags in sentences:
            assert len(words) == len(tags) > 0
            assert LEGAL.fullmatch(" ".join(tags) + " ")
            # marks are words of their own; a dot stays with a title
            assert not any(re.search(r"\w[.,;?!]$", w) for w in words if w not in ("Mr.", "Dr."))
        kinds = Counter(kind for names in NAMES[split] for kind, _, _ in names)
        row = [len(sentences), sum(len(s.words) for s in sentences)]
        row += [kinds[kind] for kind in ("PER", "LOC", "ORG")]
        assert f"| {split} | {' | '.join(map(str, row))} |" in SHEET


def test_splits_share_no_name():
    surfaces = [
        {surface(s, name) for s, names in zip(TAGGED[split], NAMES[split]) for name in names}
        for split in TAGGED
    ]
    assert all(one & other == set() for one, other in combinations(surfaces, 2))


def test_what_capitals_and_known_words_reach():
    sentences, right = TAGGED["test"], NAMES["test"]
    persons = score_entities([capital_names(s, "PER") for s in sentences], right).f1
    assert f"| each run of capitals is a person | {persons:.2f} |" in SHEET
    ends = [[("", *name[1:]) for name in found] for found in right]
    runs = score_entities([capital_names(s, "") for s in sentences], ends).f1
    assert f"| each run of capitals is a name, its kind not asked | {runs:.2f} |" in SHEET
    counts = defaultdict(Counter)
    for words, tags in TAGGED["train"]:
        for word, tag in zip(words, tags):
            counts[word.lower()][tag] += 1
    tag_of = {word: count.most_common(1)[0][0] for word, count in counts.items()}
    assert score_entities([known_words(s, tag_of) for s in sentences], right).f1 == 0
