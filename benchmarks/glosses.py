"""Which kind of thing does a definition define? WordNet's glosses, which nobody here wrote.

``python -m benchmarks.glosses --extract /usr/share/wordnet/data.noun`` prints the table
``glosses.csv`` of Chapters 16 and 19: of each of the ten largest kinds of nouns (WordNet's
lexicographer files) 200 glosses, without their examples. The file is in Debian's package
``wordnet-base``.

``--record`` lets the command of Chapter 19 learn from the table, with its rivals beside it, and
stores ``records/glosses.json`` (about 15 minutes of one core); with ``--folder my-classifier`` it
takes what ``minibert classify train`` has already made there. It needs the extra ``models``.
"""

import argparse
import csv
import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertbook.corpus import glosses_file
from bertbook.records import record_path
from berttools.__main__ import main as minibert
from berttools.classify.baselines import best_linear, frozen_encoder, vectorizer
from berttools.classify.saving import load_classifier
from berttools.classify.splitting import split_rows
from berttools.classify.table import LabeledTable, read_table
from berttools.classify.tuning import default_encoder
from minibert.disk import atomic_write
from minibert.loading import load_tokenizer
from minibert.tasks.inference import encode_rows, sentence_vectors

from .class_weights import class_weights
from .records import origin

RECORD, COMMAND = record_path("glosses"), "python -m benchmarks.glosses --record"
KINDS = {  # the ten largest lexicographer files of nouns, by number
    "06": "artifact", "18": "person", "20": "plant", "05": "animal", "04": "act",
    "10": "communication", "26": "state", "07": "attribute", "15": "location", "09": "cognition",
}  # fmt: skip
OF_EACH, SEED = 200, 20
LABELS_A_KIND, DRAWS = (2, 5, 20, 60), range(3)
OPTIONS = ()  # of the command, beside its defaults
RARE = 20  # rows of a kind to learn from, where it is made rare


def glosses_of(lines: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
    """Read WordNet's file of nouns: for each kind its words and their glosses."""
    found = defaultdict(dict)
    for line in lines:
        if not line.startswith("  "):  # that is how the license is set
            numbers, gloss = line.split(" | ", 1)
            _, kind, _, _, word, *_ = numbers.split()
            definition = gloss.split('; "')[0].strip()
            found[kind].setdefault(definition, word.replace("_", " "))
    return {
        kind: [(word, definition) for definition, word in pairs.items()]
        for kind, pairs in found.items()
    }


def table_of(lines: Iterable[str]) -> list[tuple[str, str, str]]:
    """Draw the same number of each of the ten largest kinds, and mix them."""
    found = glosses_of(lines)
    ten = sorted(found, key=lambda kind: -len(found[kind]))[: len(KINDS)]
    assert set(ten) == set(KINDS), ten
    rng = random.Random(SEED)
    rows = [
        (word, gloss, name)
        for kind, name in KINDS.items()
        for word, gloss in rng.sample(found[kind], OF_EACH)
    ]
    rng.shuffle(rows)
    return rows


def parts_of() -> dict[str, LabeledTable]:
    """Divide the table as the command does."""
    table = read_table(glosses_file(), "gloss", "kind")
    parts = split_rows(table, seed=0)
    return {name: table.take(getattr(parts, name)) for name in ("train", "validation", "test")}


def trained(folder: Path) -> Path:
    """Run the command of Chapter 19 on the table."""
    columns = ["--text", "gloss", "--label", "kind", "--model", str(default_encoder())]
    options = ["--out", str(folder), "--device", "cpu", *OPTIONS]
    if status := minibert(["classify", "train", str(glosses_file()), *columns, *options]):
        raise SystemExit(status)
    return folder


def told_by(folder: Path) -> dict[str, Any]:
    """Read what the command has made: its facts, its report, and its answers to the test part."""
    facts = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    report = (folder / "report.md").read_text(encoding="utf-8")
    answers = load_classifier(folder).logits(parts_of()["test"]).argmax(axis=-1)
    kept = ("classes", "rows", "rivals", "compared", "temperature", "answered")
    return {name: facts[name] for name in kept} | {
        "leads": [{"over": rival, "lead": lead} for rival, lead in facts["leads"].items()],
        "report": report.replace(str(folder), "my-classifier"),
        "answers": "".join(map(str, answers)),
    }


def features_of(parts: dict[str, LabeledTable]) -> dict[str, dict[str, np.ndarray]]:
    """Turn the glosses into vectors: of the whole encoder, and of its table of words alone."""
    tokenizer, encoder = load_tokenizer(default_encoder()), frozen_encoder(default_encoder())
    rows = encoder.embeddings.word_embeddings.weight.detach().double()

    def of_words(table: LabeledTable) -> np.ndarray:
        ids = [
            torch.tensor(ids[1:-1])
            for ids, _ in encode_rows(tokenizer, table.texts, max_length=128)
        ]
        means = torch.stack([rows[each].mean(dim=0) for each in ids])
        return torch.nn.functional.normalize(means).numpy()

    return {
        "word table": {name: of_words(table) for name, table in parts.items()},
        "frozen vectors": {
            name: sentence_vectors(encoder, tokenizer, table.texts, max_length=128).double().numpy()
            for name, table in parts.items()
        },
    }


class Rivals:
    """Linear classifiers on counted words, on rows of the table, and on frozen vectors."""

    def __init__(self) -> None:
        self.parts, self.classes = parts_of(), sorted(KINDS.values())
        self.labels = {
            name: np.array([self.classes.index(label) for label in table.labels])
            for name, table in self.parts.items()
        }
        self.features = features_of(self.parts)
        self.names = ("counted words", *self.features)

    def probabilities(self, name: str, taken: np.ndarray, balanced: bool = False) -> np.ndarray:
        """Learn from some rows of the training part, and ask about the test part."""
        labels = self.labels | {"train": self.labels["train"][taken]}
        count = len(self.classes)
        weights = class_weights(labels["train"], count) if balanced else torch.ones(count)
        if name == "counted words":
            texts = {part: table.texts for part, table in self.parts.items()}
            texts["train"] = [texts["train"][row] for row in taken]
            vectors = vectorizer().fit(texts["train"])
            rows = {part: vectors.transform(own) for part, own in texts.items()}
        else:
            rows = self.features[name] | {"train": self.features[name]["train"][taken]}
        logits = best_linear(rows, labels, weights).logits(rows["test"])
        return torch.softmax(torch.tensor(logits), dim=-1).numpy()

    def some_of_each(self, number: int, seed: int) -> np.ndarray:
        """Draw so many rows of each kind to learn from."""
        rng = np.random.default_rng(seed)
        own = (np.flatnonzero(self.labels["train"] == k) for k in range(len(self.classes)))
        return np.concatenate([rng.permutation(rows)[:number] for rows in own])

    def curve(self) -> list[dict[str, Any]]:
        """Count the right answers, learned from few rows of each kind and from many."""
        truth = self.labels["test"]
        return [
            {"name": name, "of each": number, "right": [
                round(float((self.probabilities(name, self.some_of_each(number, seed)).argmax(1)
                             == truth).mean()), 4) for seed in DRAWS]}
            for name in self.names for number in LABELS_A_KIND
        ]  # fmt: skip

    def whole(self) -> dict[str, str]:
        """Learn from all rows of the training part, and give the answers."""
        every = np.arange(len(self.labels["train"]))
        answers = {name: self.probabilities(name, every).argmax(axis=1) for name in self.names}
        return {name: "".join(map(str, each)) for name, each in answers.items()}

    def made_rare(self, kind: int) -> np.ndarray:
        """Take all rows to learn from, but few of one kind."""
        own = np.flatnonzero(self.labels["train"] == kind)
        dropped = np.random.default_rng(kind).permutation(own)[RARE:]
        return np.setdiff1d(np.arange(len(self.labels["train"])), dropped)

    def rare(self) -> list[dict[str, Any]]:
        """Make each kind rare in turn, and rank the glosses of the test part by its probability."""
        from sklearn.metrics import average_precision_score

        return [
            {"name": name, "weights": balanced, "average precision": [
                round(float(average_precision_score(
                    self.labels["test"] == kind,
                    self.probabilities(name, self.made_rare(kind), balanced)[:, kind])), 4)
                for kind in range(len(self.classes))]}
            for name in ("counted words", "frozen vectors") for balanced in (False, True)
        ]  # fmt: skip


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--extract", metavar="FILE", help="print the table")
    parser.add_argument("--record", action="store_true", help="make all runs, and store them")
    parser.add_argument("--folder", metavar="DIR", help="what the command has made already")
    asked = parser.parse_args()
    if asked.extract:
        with Path(asked.extract).open(encoding="utf-8") as lines:
            rows = table_of(lines)
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([("word", "gloss", "kind"), *rows])
        return
    torch.set_num_threads(1)
    rivals = Rivals()
    record = {"whole": rivals.whole(), "curve": rivals.curve(), "rare": rivals.rare()}
    if not asked.record:
        for name, answers in record["whole"].items():
            right = np.mean(np.array([*map(int, answers)]) == rivals.labels["test"])
            print(f"{name:15} {right:.3f}")
        return
    with tempfile.TemporaryDirectory() as place:
        made = Path(asked.folder) if asked.folder else trained(Path(place) / "my-classifier")
        record["classify"] = told_by(made)
    with atomic_write(RECORD) as draft:
        draft.write_text(
            json.dumps({"command": COMMAND, "origin": origin(COMMAND)} | record, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
