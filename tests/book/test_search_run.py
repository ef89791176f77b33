"""The record of Chapter 22, measured again in part."""

import json

import numpy as np
import pytest
import scipy
import torch

from benchmarks import real_search, search, search_runs
from benchmarks.weights import SMALL_WORLD
from bertbook.corpus import Oracle, small_world
from bertbook.topics.search.ranking import ranks_of_right, reciprocal_ranks
from bertbook.topics.search.tables import gains_of
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.parts import override
from minibert.pretraining import BertForPreTraining


@pytest.fixture(scope="module")
def record():
    return json.loads(search.RECORD.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def runs():
    return json.loads(search_runs.RECORD.read_text(encoding="utf-8"))["runs"]


def mrr(ranks):
    return reciprocal_ranks(np.array(ranks)).mean()


def test_words_rank_as_recorded(record):
    assert search.word_ranks() == record["small_world"]["words in common (BM25)"]


def test_the_stored_model_ranks_as_recorded(record, one_thread):
    with override(fast_parts()):
        model = load_pretrained(BertForPreTraining, SMALL_WORLD)
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    found = search.ranks(model.bert, tokenizer)
    assert mrr(found) == pytest.approx(mrr(record["small_world"]["before"]), abs=0.01)
    judged = search.judge_ranks(model, tokenizer)
    assert mrr(judged) == pytest.approx(mrr(record["judges"]["as pre-trained"]), abs=0.01)


def test_what_fits_as_well_is_counted_as_recorded(record):
    firsts, seconds = zip(*search.held_out())
    oracle, counted = Oracle(small_world()), record["small_world"]["best possible"]
    for number in (0, 7, 150):
        chances = oracle.read([(firsts[number], text) for text in seconds]).is_next
        behind = ranks_of_right(chances[None], [number])[0]
        better = int((chances > chances[number] + 1e-9).sum())
        assert counted["better"][number] == better
        assert counted["better"][number] + counted["tied"][number] == behind


def test_nobody_beats_the_best_possible_by_more_than_luck(record, runs):
    places = zip(*record["small_world"]["best possible"].values())
    best = np.array([np.mean(1 / np.arange(b + 1, b + tied + 1)) for b, tied in places])
    for name, made in runs.items():
        gains = gains_of(made).mean(axis=0)
        error = (gains - best).std() / len(best) ** 0.5
        assert gains.mean() < best.mean() + 3 * error, name


def test_no_story_is_searched_and_trained_on():
    searched = {sentence for pair in search.held_out() for sentence in pair}
    chosen = {sentence for pair in search_runs.development() for sentence in pair}
    assert len(search.held_out()) == len({second for _, second in search.held_out()}) == 300
    assert len(search_runs.development()) == 300 and searched.isdisjoint(chosen)
    assert all((searched | chosen).isdisjoint(pair) for pair in search_runs.training())


def test_the_real_text_ranks_as_recorded(record):
    real = record["real"]
    installed = {library.__name__: library.__version__ for library in (np, scipy, torch)}
    if installed != real["versions"]:
        pytest.skip(f"recorded with {real['versions']}, installed are {installed}")
    queries, documents, right = real_search.questions_and_shelf()
    assert len(queries) >= 300 and len(documents) == real["documents"]
    scores = real_search.word_scores(queries, documents)
    assert ranks_of_right(scores, right).tolist() == real["ranks"]["words in common (BM25)"]
