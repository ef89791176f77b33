"""Time one query of each kind of search over the stories of Chapter 22, on one core.

What can be done before a query comes is done before: the index of words, the vectors of documents.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial

import bm25s
import numpy as np

from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.tasks.inference import sentence_vectors
from tests.book.definitions import chapter_definitions

from .encoder import measure
from .weights import SMALL_WORLD

QUERIES, ROUNDS, SHORT_LIST = 5, 20, 10

chapter = chapter_definitions("22-search-by-meaning")
Search = Callable[[str], np.ndarray]


def searches(documents: Sequence[str]) -> dict[str, Search]:
    """Give the searches that are compared: a query in, the numbers of documents out, best first."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    judge = load_pretrained(BertForPreTraining, SMALL_WORLD)
    index = bm25s.BM25()
    index.index([text.split() for text in documents], show_progress=False)
    vectors = sentence_vectors(judge.bert, tokenizer, documents)

    def by_words(query: str) -> np.ndarray:
        return index.get_scores(query.split())

    def by_vectors(query: str) -> np.ndarray:
        return (sentence_vectors(judge.bert, tokenizer, [query]) @ vectors.T)[0].numpy()

    def by_both(query: str, count: int) -> np.ndarray:
        begun = np.zeros((1, len(documents)))
        return chapter.rerank(judge, tokenizer, begun, [query], documents, count=count)[0]

    found = {"words in common (BM25)": by_words, "bi-encoder": by_vectors}
    for count in (SHORT_LIST, len(documents)):
        found[f"cross-encoder, {count} documents"] = partial(by_both, count=count)
    return {name: partial(_sorted, score) for name, score in found.items()}


def _sorted(score: Search, query: str) -> np.ndarray:
    return np.argsort(-score(query), kind="stable")


def seconds_per_query(pairs: Sequence[tuple[str, str]]) -> dict[str, list[float]]:
    """Time the searches in rounds, each in random order, in processor time."""
    queries, documents = zip(*pairs)

    def ask(search: Search) -> None:
        for query in queries[:QUERIES]:
            search(query)

    timed = {name: partial(ask, search) for name, search in searches(documents).items()}
    rounds = measure(timed, seconds=0, rounds=ROUNDS, clock=time.process_time)
    return {name: [round(t / QUERIES, 7) for t in times] for name, times in rounds.items()}
