"""The record of the full run of Chapters 17 and 18, what it kept, and what the chapters type."""

import ast
import json
import re
from pathlib import Path

import pytest
import torch
from definitions import (
    EnoughError,
    assert_mean_and_sd,
    chapter_definitions,
    chapter_source,
    displayed,
    first_batches,
)

from bertbook.core.metrics import normalize_answer, score_answers, score_entities
from bertbook.corpus import entity_sentences, passage_questions
from bertbook.records import record_of
from bertbook.topics.answer.answering import Answer, Answers, merge_windows, sliding_windows
from bertbook.topics.tag.tagging import find_entities
from minibert.loading import load_tokenizer
from minibert.tasks import TaskBatches, best_spans
from minibert.training import BertTrainer

TAG, ANSWER = "17-tag", "18-answer"
ROOT = Path(__file__).resolve().parents[2]
RECORD = json.loads(
    (ROOT / "bertbook" / "records" / "tag_and_answer.json").read_text(encoding="utf-8")
)
STORED = record_of("answers")
SAID = record_of("tags")
RUNS = RECORD["runs"]
VALIDATION, TEST = passage_questions("validation"), passage_questions("test")
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
WINDOWS = {"max_length": 96, "stride": 32}


@pytest.fixture(scope="module")
def tagging():
    return chapter_definitions(TAG)


@pytest.fixture(scope="module")
def typed():
    return chapter_definitions(ANSWER)


@pytest.fixture(scope="module")
def tokenizer(minilm):
    return load_tokenizer(minilm)


def truths(questions):
    return [[span.text for span in asked.answers] for asked in questions]


# --- The record ----------------------------------------------------------------------------------


def test_the_means_of_the_record_are_those_of_its_runs():
    columns = {
        f"reader_{name}": [run["reader"]["test"][name] for run in RUNS]
        for name in RUNS[0]["reader"]["test"]
    }
    for name in ("precision", "recall", "f1"):
        columns[f"tagger_{name}"] = [run["tagger"]["test"]["all"][name] for run in RUNS]
    for name, told in (("shanghai", "test_answers"), ("shanghai_best_span", "test_best_spans")):
        columns[name] = [run["reader"][told][0] == "Shanghai" for run in RUNS]
    assert set(RECORD["summary"]) == set(columns)
    assert [run["seed"] for run in RUNS] == [*range(5)]
    for name, values in columns.items():
        assert_mean_and_sd(RECORD["summary"][name], values)


def test_scores_of_the_test_part_are_those_of_the_answers():
    has = [number for number, asked in enumerate(TEST) if asked.answers]
    none = [number for number, asked in enumerate(TEST) if not asked.answers]
    right = truths(TEST)
    for run in RUNS:
        told, reached = run["reader"]["test_answers"], run["reader"]["test"]
        every = score_answers(told, right)
        assert reached["exact_match"] == pytest.approx(every.exact_match, abs=6e-5)
        assert reached["f1"] == pytest.approx(every.f1, abs=6e-5)
        some = score_answers([told[n] for n in has], [right[n] for n in has])
        assert reached["has_answer_f1"] == pytest.approx(some.f1, abs=6e-5)
        # As SQuAD's own program has it, an article alone is no answer.
        silent = sum(normalize_answer(told[n]) == "" for n in none) / len(none)
        assert reached["no_answer_accuracy"] == pytest.approx(silent, abs=6e-5)
        spans = run["reader"]["test_best_spans"]
        for answer, span, asked in zip(told, spans, TEST, strict=True):
            assert answer in ("", span)
            assert span
            assert span in asked.context
        forced = score_answers([spans[n] for n in has], [right[n] for n in has])
        assert reached["forced_f1"] == pytest.approx(forced.f1, abs=6e-5)


def test_the_controls_are_scored_rightly_and_fall_short():
    for run in RECORD["every_window"]["runs"]:
        told = score_answers(run["reader"]["test_answers"], truths(TEST))
        assert run["reader"]["test"]["f1"] == pytest.approx(told.f1, abs=6e-5)
    early = RECORD["shifted"]
    assert early["plan"] == RECORD["plans"]["tagger"]
    for run, usual in zip(early["runs"], RUNS, strict=False):
        assert run["losses"][-1] < 0.15 < 1 < run["losses"][0]
        assert run["test"]["all"]["f1"] < usual["tagger"]["test"]["all"]["f1"] / 5
    share = round(sum(not asked.answers for asked in TEST) / len(TEST), 4)
    careless = RECORD["careless"]
    assert careless["readers"]["never answers"] == {"exact_match": share, "f1": share}
    for run in RUNS:
        best = max(reader["f1"] for reader in careless["readers"].values())
        assert run["reader"]["test"]["f1"] > best
        assert run["tagger"]["test"]["all"]["f1"] > max(careless["taggers"].values())
    assert RUNS[0]["reader"]["untrained"]["forced_f1"] < 0.1


def test_counts_of_names_give_the_scores_and_nonsense_costs():
    for run in RECORD["every_window"]["runs"]:
        f1 = {}
        for kept in ("counts", "nonsense_counts"):
            right, found, true = map(sum, zip(*run["names"][kept], strict=True))
            assert true == 203
            f1[kept] = 2 * right / (found + true)
        assert f1["counts"] == pytest.approx(run["tagger"]["test"]["all"]["f1"], abs=6e-5)
        assert f1["nonsense_counts"] < f1["counts"]


def test_whoever_knows_first_words_finds_ends_as_well_as_the_tagger(tagging):
    """The rival that the claim lacked: capitals, but for first words known in small letters."""
    common = {w for words, _ in entity_sentences("train") for w in words if w[0].islower()}
    right = found = there = 0
    for sentence in entity_sentences("test"):
        names = {(e.start, e.end) for e in find_entities(sentence.tags)}
        runs = {*tagging.names_by_rule_solution(sentence.words, common)}
        right, found, there = right + len(runs & names), found + len(runs), there + len(names)
    rival = 2 * right / (found + there)
    assert rival == pytest.approx(0.885, abs=1e-3)
    for run in RECORD["every_window"]["runs"]:
        hits, told, true = map(sum, zip(*run["names"]["end_counts"], strict=True))
        assert 2 * hits / (told + true) < rival


def test_the_kept_scores_are_those_of_the_first_tagger():
    test = entity_sentences("test")
    found = [
        find_entities([TAGS[max(range(7), key=word.__getitem__)] for word in words])
        for words in SAID["test"]
    ]
    kept = RUNS[SAID["seed"]]["tagger"]["test"]["all"]
    told = score_entities(found, [find_entities(sentence.tags) for sentence in test])
    assert told.f1 == pytest.approx(kept["f1"], abs=6e-5)
    assert [len(words) for words in SAID["test"]] == [len(sentence.words) for sentence in test]
    for text, beginnings in SAID["typed"].items():
        assert [len(words) for words in beginnings] == [*range(1, 1 + len(text.split()))]


# --- What is kept for figures --------------------------------------------------------------------


def test_the_kept_leads_give_the_threshold_and_the_scores(typed):
    found = [
        Answers([Answer(text, 0, len(text), 0.0)], no_answer=lead)
        for text, lead in zip(STORED["best_answers"], STORED["leads"], strict=True)
    ]
    assert len(found) == len(VALIDATION)
    reader = RUNS[0]["reader"]
    threshold = typed.best_threshold(found, VALIDATION)
    assert threshold == STORED["threshold"] == reader["threshold"]
    reached = typed.judge(found, VALIDATION, threshold)
    assert reached.f1 == pytest.approx(reader["validation"]["f1"], abs=6e-5)
    assert reached.exact_match == pytest.approx(reader["validation"]["exact_match"], abs=6e-5)
    for answers, asked in zip(found, VALIDATION, strict=True):
        assert answers.answers[0].text in asked.context


def test_the_kept_scores_give_the_answers_of_the_record():
    told = {a.id: answer for a, answer in zip(TEST, RUNS[0]["reader"]["test_answers"], strict=True)}
    for entry in STORED["questions"]:
        lead = entry["no_answer"] - entry["score"]
        assert told[entry["id"]] == ("" if lead > STORED["threshold"] else entry["answer"])
        inside = torch.tensor([place is not None for place in entry["offsets"]])
        ends = (torch.tensor(entry[f"{end}_logits"]) for end in ("start", "end"))
        best = best_spans(*ends, inside)
        assert best.score.item() == pytest.approx(entry["score"], abs=0.02)
        assert best.no_answer.item() > entry["no_answer"] - 0.02


def test_the_kept_windows_are_those_of_the_tokenizer(tokenizer):
    asked = {question.id: question for question in TEST}
    for entry in STORED["questions"]:
        question = asked[entry["id"]]
        windows = sliding_windows(tokenizer, question.question, question.context, **WINDOWS)
        window = windows[entry["window"]]
        assert entry["pieces"] == [tokenizer.pieces[number] for number in window.input_ids]
        assert [place and tuple(place) for place in entry["offsets"]] == window.offsets
        ends = [torch.tensor(entry[f"{end}_logits"]) for end in ("start", "end")]
        found = merge_windows(question.context, [window], [torch.stack(ends, -1)])
        assert found.answers[0].text == entry["answer"]


# --- What the chapter types ----------------------------------------------------------------------


@pytest.mark.usefixtures("one_thread")
def test_the_first_loss_of_the_record_comes_out_again(tagging, minilm, tokenizer, monkeypatch):
    """The first ten updates of seed 0's tagger, on this machine."""
    trainers = []

    def keep(*arguments, **settings):
        trainers.append(BertTrainer(*arguments, **settings))
        return trainers[-1]

    monkeypatch.setitem(tagging.fine_tune.__globals__, "BertTrainer", keep)
    torch.manual_seed(0)
    model, plan = tagging.new_tagger(minilm, TAGS), RECORD["plans"]["tagger"]
    rows = tagging.tag_rows(tokenizer, entity_sentences("train"), TAGS)
    size = {"batch_size": plan["batch_size"], "pad_token_id": 0, "per_token": ("labels",)}
    batches = TaskBatches(rows, seed=0, **size)
    wishes = {"epochs": plan["epochs"], "rate": plan["rate"], "terms": {"loss": "labels"}}
    with pytest.raises(EnoughError):
        tagging.fine_tune(model, first_batches(batches, len(batches) // 2 + 2), seed=0, **wishes)
    told = RUNS[0]["tagger"]["losses"][0]
    assert trainers[0].history[0]["loss"] == pytest.approx(told, abs=2e-3)


def test_both_chapters_train_in_the_same_way():
    one, other = (ast.parse(chapter_source(name, "fine_tune")).body[0] for name in (TAG, ANSWER))
    assert list(map(ast.unparse, one.body[1:])) == list(map(ast.unparse, other.body[1:]))


def test_the_chapters_read_the_record():
    summary = RECORD["summary"]
    of_reader = ("reader_exact_match", "reader_f1", "reader_no_answer_accuracy")
    for chapter, name in ((TAG, "tagger_f1"), *((ANSWER, name) for name in of_reader)):
        told = f"{summary[name]['mean']:.3f} ± {summary[name]['sd']:.3f}"
        assert told in re.sub(r"<[^>]*>", " ", displayed(chapter))
