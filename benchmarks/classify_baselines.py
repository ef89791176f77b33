"""Sort requests and pairs of questions without fine-tuning: what Chapter 16 has to beat.

``benchmarks.classify`` takes its tasks and its baselines from here.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bertbook.corpus import PAIR_LABELS, REQUEST_LABELS, question_pairs, service_requests
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import encode_rows, sentence_vectors
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .weights import SMALL_WORLD, minilm_folder

SPLITS = ("train", "validation", "test")

chapter = chapter_definitions("16-classify")


class Task(NamedTuple):
    """What is to be classified."""

    labels: tuple[str, ...]
    rows: Callable
    examples: Callable


def pair_rows(tokenizer: WordPieceTokenizer, split: str) -> list[dict]:
    """Give ids, segments and the number of the class of each pair of questions."""
    pairs = question_pairs(split)
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    rows = encode_rows(tokenizer, first, second, max_length=64)
    return [
        {"input_ids": ids, "token_type_ids": types, "labels": PAIR_LABELS.index(pair.label)}
        for (ids, types), pair in zip(rows, pairs, strict=True)
    ]


TASKS = {
    "requests": Task(REQUEST_LABELS, chapter.request_rows, service_requests),
    "pairs": Task(PAIR_LABELS, pair_rows, question_pairs),
}


def folder_of(encoder: str) -> Path:
    """Say where the weights of an encoder are."""
    return minilm_folder() if encoder == "MiniLM" else SMALL_WORLD


def word_counts(task: Task) -> dict[str, dict[str, np.ndarray]]:
    """Answer without an encoder: one class for all, naive Bayes, bags of words."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    told = 1 if task.labels == REQUEST_LABELS else 2  # one text, or two questions
    texts = {s: [" ".join(example[:told]) for example in task.examples(s)] for s in SPLITS}
    truths = {s: [task.labels.index(e.label) for e in task.examples(s)] for s in SPLITS}
    bayes = chapter.NaiveBayes(texts["train"], truths["train"], len(task.labels))
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    features = vectorizer.fit_transform(texts["train"])
    linear = LogisticRegression(C=10, max_iter=1000).fit(features, truths["train"])
    return {
        "majority": {s: np.zeros(len(texts[s]), dtype=int) for s in SPLITS},
        "naive Bayes": {
            s: np.array([bayes.scores(text).argmax() for text in texts[s]]) for s in SPLITS
        },
        "bag of words": {s: linear.predict(vectorizer.transform(texts[s])) for s in SPLITS},
    }


def frozen_vectors(encoder: str) -> dict[str, dict[str, np.ndarray]]:
    """Make a vector of each request: the mean of the last layer, and that of the table's rows."""
    unused = ("pooler",) if encoder == "MiniLM" else ("cls", "pooler")
    options = {"unused": unused, "add_pooling_layer": False}
    with override(fast_parts()):
        model = load_pretrained(BertModel, folder_of(encoder), **options)
    tokenizer = load_tokenizer(folder_of(encoder), do_lower_case=True)
    texts = {s: [request.text for request in service_requests(s)] for s in SPLITS}
    table = model.embeddings.word_embeddings.weight.detach().double()
    return {
        "fixed vectors": {
            s: sentence_vectors(model, tokenizer, texts[s], max_length=40).double().numpy()
            for s in SPLITS
        },
        "word table": {s: chapter.table_vectors(table, tokenizer, texts[s]) for s in SPLITS},
    }


def linear_answers(
    vectors: dict[str, np.ndarray], taken: Sequence[int] | None = None
) -> dict[str, np.ndarray]:
    """Answer requests from fixed vectors by logistic regression, learned from some or from all."""
    from sklearn.linear_model import LogisticRegression

    taken = range(len(vectors["train"])) if taken is None else taken
    truths = [REQUEST_LABELS.index(request.label) for request in service_requests("train")]
    known = [truths[i] for i in taken]
    linear = LogisticRegression(C=10, max_iter=1000).fit(vectors["train"][[*taken]], known)
    return {s: linear.predict(vectors[s]) for s in SPLITS}


def similar_vectors() -> dict[str, np.ndarray]:
    """Call questions duplicates whose vectors are nearer than a threshold, that of the training."""
    options = {"unused": ("pooler",), "add_pooling_layer": False}
    with override(fast_parts()):
        model = load_pretrained(BertModel, minilm_folder(), **options)
    tokenizer, cosines = load_tokenizer(minilm_folder()), {}
    for split in SPLITS:
        sides = zip(*[pair[:2] for pair in question_pairs(split)], strict=True)
        first, second = (sentence_vectors(model, tokenizer, list(side)) for side in sides)
        cosines[split] = (first * second).sum(dim=1).numpy()
    truths = np.array([PAIR_LABELS.index(pair.label) for pair in question_pairs("train")])
    learned = cosines["train"]
    threshold = max(learned, key=lambda value: np.mean((learned >= value) == truths))
    return {s: (cosines[s] >= threshold).astype(int) for s in SPLITS}
