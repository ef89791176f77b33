"""Tune MiniLM on a few hundred pairs of a real text, for Chapter 22: before, after, and a control.

``python -m benchmarks.search_own`` stores the places of every right document in
``records/search_own.json``. The pairs are those of ``real_search``, in five parts; pairs with one
document are in one part. The first part chooses the rate. Each of the others is searched by an
encoder that has learned from the remaining four. The control learns from the same sentences,
paired by chance.
"""

import json
from typing import NamedTuple

import numpy as np
import torch

from bertbook.records import record_path
from bertbook.topics.search.ranking import ranks_of_right, reciprocal_ranks
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from tests.book.definitions import chapter_definitions

from .real_search import questions_and_shelf
from .records import origin
from .weights import minilm_folder

RECORD = record_path("search_own")
COMMAND = "python -m benchmarks.search_own"
PARTS, ROWS, STEPS, RATES = 5, 32, 16, (2e-5, 6e-5, 2e-4, 6e-4, 2e-3)

chapter = chapter_definitions("22-search-by-meaning")


class Texts(NamedTuple):
    """What is asked, what is searched, and which document is right."""

    queries: list[str]
    documents: list[str]
    right: list[int]

    def pairs(self, rows: np.ndarray) -> list[tuple[str, str]]:
        """Give some queries with their documents."""
        return [(self.queries[row], self.documents[self.right[row]]) for row in rows]


def parts_of(texts: Texts) -> np.ndarray:
    """Say for each query in which part it is; equal documents are in one part."""
    answers = [texts.documents[number] for number in texts.right]
    kinds = list(dict.fromkeys(answers))
    drawn = np.random.default_rng(0).permutation(len(kinds)) % PARTS
    return drawn[[kinds.index(answer) for answer in answers]]


def tuned(pairs: list[tuple[str, str]], rate: float) -> BertModel:
    """Train MiniLM on pairs, as the chapter trains its own encoder."""
    torch.manual_seed(0)
    model, tokenizer = load_pretrained(BertModel, minilm_folder()), load_tokenizer(minilm_folder())
    chapter.train_to_search(
        model.train(), tokenizer, pairs, seed=0, rate=rate, steps=STEPS, rows=ROWS
    )
    return model.eval()


def places(model: BertModel, texts: Texts, rows: np.ndarray) -> list[list[int]]:
    """Search all documents for some of the queries."""
    tokenizer = load_tokenizer(minilm_folder())
    asked = chapter.sentence_vectors(model, tokenizer, [texts.queries[row] for row in rows])
    shelf = chapter.sentence_vectors(model, tokenizer, texts.documents)
    right = [texts.right[row] for row in rows]
    return ranks_of_right((asked @ shelf.T).numpy().round(6), right).tolist()


def by_chance(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pair each query with the document of another one."""
    firsts, seconds = zip(*pairs)
    return list(zip(firsts, np.roll(seconds, len(seconds) // 2).tolist()))


def chosen_rate(texts: Texts, parts: np.ndarray) -> tuple[float, dict[str, float]]:
    """Try each rate on the first part."""
    asked, known = np.flatnonzero(parts == 0), np.flatnonzero(parts != 0)
    found = {}
    for rate in RATES:
        model = tuned(texts.pairs(known), rate)
        found[rate] = round(float(reciprocal_ranks(places(model, texts, asked)).mean()), 4)
        print(f"rate {rate:g}: MRR {found[rate]:.3f}", flush=True)
    return max(found, key=found.__getitem__), {f"{rate:g}": mrr for rate, mrr in found.items()}


def searched(texts: Texts, parts: np.ndarray, rate: float) -> dict[str, list[list[int]]]:
    """Search each part but the first: before, after, and after learning from chance pairs."""
    before = load_pretrained(BertModel, minilm_folder())
    found = {"before": [], "after": [], "pairs by chance": []}
    for part in range(1, PARTS):
        asked, known = np.flatnonzero(parts == part), texts.pairs(np.flatnonzero(parts != part))
        for name, model in (
            ("before", before),
            ("after", tuned(known, rate)),
            ("pairs by chance", tuned(by_chance(known), rate)),
        ):
            found[name] += places(model, texts, asked)
        print(part, {n: round(float(reciprocal_ranks(r).mean()), 3) for n, r in found.items()},
              flush=True)  # fmt: skip
    return found


def main() -> None:
    """Choose the rate, search with it, and store."""
    torch.set_num_threads(1)
    texts = Texts(*questions_and_shelf())
    parts = parts_of(texts)
    with override(fast_parts()):
        rate, tried = chosen_rate(texts, parts)
        found = searched(texts, parts, rate)
    pairs = round(len(texts.queries) * (PARTS - 1) / PARTS)
    content = {"command": COMMAND, "origin": origin(COMMAND), "pairs": pairs, "rates": tried,
               "rate": rate, "steps": STEPS, "rows": ROWS, "ranks": found}  # fmt: skip
    with atomic_write(RECORD) as path:
        path.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
