"""Search the documentation of numpy and scipy by the words of PyTorch and Python, for Chapter 22.

Every library says in a sentence what a function does, and where two of them have a function of one
name, the two sentences say the same in other words. Nothing is copied: the texts are read from the
packages that are installed.
"""

import cmath
import inspect
import math
import operator
import re
import statistics
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import bm25s
import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.special
import torch
from torch import Tensor
from torch.nn import functional

from bertbook.topics.search.ranking import ranks_of_right
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.tasks.inference import sentence_vectors

from .weights import minilm_folder

SHELF = (
    *(np, np.linalg, np.fft, np.strings, scipy.special, scipy.linalg, scipy.signal),
    *(scipy.ndimage, scipy.integrate, scipy.optimize),
)
ASKED = (
    (torch, torch.linalg, torch.fft, torch.special),
    *((module,) for module in (math, cmath, statistics, operator, str)),
)
# One name, two meanings: found by reading all pairs.
FALSE_FRIENDS = {"bernoulli", "bilinear", "cond", "partition", "polar", "select", "split"}
MARKUP = re.compile(r":\w+:|[`*]|\.\. \w+::")
NO_PROSE = re.compile(r"[\w.]+\(.*|- |Args:|Before |.*(\\|https?:|lias)")
WORDS = re.compile(r"[a-z0-9]+")
FEWEST_WORDS = 4
ALIKE = 6  # digits of a cosine: the same text in another batch differs beyond them


class Entry(NamedTuple):
    """A function and what its library says about it."""

    name: str
    text: str


def first_sentence(documentation: str) -> str:
    """Take the first sentence of a docstring that is prose; empty if there is none."""
    for paragraph in documentation.strip().split("\n\n"):
        text = " ".join(MARKUP.sub("", paragraph).split())
        if text and not NO_PROSE.match(text):
            return re.split(r"(?<=[a-z)])\.(?:\s|$)", text, maxsplit=1)[0]
    return ""


def entries(modules: tuple[ModuleType | type, ...]) -> Iterator[Entry]:
    """Yield the functions of some modules, each name once and without the name in the text."""
    seen = set(FALSE_FRIENDS)
    for module in modules:
        for name in sorted(vars(module)):
            thing = getattr(module, name)
            if name.startswith("_") or name in seen or inspect.isclass(thing):
                continue
            text = first_sentence(inspect.getdoc(thing) or "") if callable(thing) else ""
            text = re.sub(rf"\b{re.escape(name)}\b", "it", text)
            if len(text.split()) >= FEWEST_WORDS:
                seen.add(name)
                yield Entry(name, text)


def questions_and_shelf() -> tuple[list[str], list[str], list[int]]:
    """Return what is asked, what is searched, and the number of the right text for each query."""
    shelf = list(entries(SHELF))
    place = {entry.name: number for number, entry in enumerate(shelf)}
    found = (entry for group in ASKED for entry in entries(group) if entry.name in place)
    asked = list({entry.text: entry for entry in found}.values())
    return (
        [entry.text for entry in asked],
        [entry.text for entry in shelf],
        [place[entry.name] for entry in asked],
    )


def word_scores(queries: list[str], documents: list[str]) -> np.ndarray:
    """Score every document by BM25."""
    index = bm25s.BM25()
    index.index([WORDS.findall(text.lower()) for text in documents], show_progress=False)
    return np.stack([index.get_scores(WORDS.findall(text.lower())) for text in queries])


def letter_scores(queries: list[str], documents: list[str]) -> np.ndarray:
    """Score every document by the tf-idf of its runs of three to five letters."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    counter = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    counter.fit([*queries, *documents])
    scores = counter.transform(queries) @ counter.transform(documents).T
    return scores.toarray().round(ALIKE)


def meaning_scores(queries: list[str], documents: list[str]) -> dict[str, np.ndarray]:
    """Score every document by cosines: of the mean of MiniLM's table rows, and of its vectors."""
    folder = minilm_folder()
    model, tokenizer = load_pretrained(BertModel, folder), load_tokenizer(folder)
    table = model.embeddings.word_embeddings.weight.detach()

    def mean_row(text: str) -> Tensor:
        return table[torch.tensor(tokenizer.encode(text)[1:-1])].mean(dim=0)

    rows, vectors = [], []
    for texts in (queries, documents):
        rows.append(functional.normalize(torch.stack([*map(mean_row, texts)])))
        vectors.append(sentence_vectors(model, tokenizer, texts))
    return {
        name: (first @ second.T).numpy().round(ALIKE)
        for name, (first, second) in {"table rows": rows, "MiniLM": vectors}.items()
    }


def real_ranks() -> dict[str, object]:
    """Rank the right text for each query by words, by table rows, and by meaning."""
    queries, documents, right = questions_and_shelf()
    texts = np.array(documents)
    rankings = {
        "words in common (BM25)": word_scores(queries, documents),
        "letters in common": letter_scores(queries, documents),
        **meaning_scores(queries, documents),
        "best possible": texts == texts[right][:, None],
    }
    found = {name: ranks_of_right(scores, right).tolist() for name, scores in rankings.items()}
    versions = {library.__name__: library.__version__ for library in (np, scipy, torch)}
    return {"versions": versions, "documents": len(documents), "ranks": found}
