"""Sort the letters to a town hall, with folds by writer and a month that comes later (Chapter 19).

``python -m benchmarks.own_data`` fine-tunes the whole MiniLM encoder once and prints what it
reaches, in a few minutes. ``--record`` makes all runs of the chapter and stores them in
``records/own_data.json`` (40 minutes of one core); stopped, it goes on where it was. With
``--methods weights`` it renews the runs of one method, and keeps the others. The learning rate is
that of Chapter 16; class weights and resampling take the best of three, told with another seed on a
validation part. It needs the extra ``models``: ``pip install -e ".[models]"``. Run it
from the root of the repository; one thread, so that a run can be repeated.
"""

import argparse
import dataclasses
import itertools
import json
import time
from collections.abc import Collection
from random import Random

import numpy as np
import torch

from bertbook.corpus.datasets.letters import LETTER_LABELS, letters_file
from bertbook.records import record_path
from berttools.classify.duplicates import without_copies
from berttools.classify.saving import Classifier
from berttools.classify.splitting import linked_rows
from berttools.classify.table import LabeledTable, read_table
from berttools.classify.tuning import classifier_from, default_encoder, fine_tune_classifier
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import encode_rows, sentence_vectors

from .class_weights import class_weights, weigh
from .drafts import Draft
from .letter_frames import RULES, SEED, made_letters
from .records import minutes, origin

RECORD = record_path("own_data")
COMMAND = "python -m benchmarks.own_data --record"
FOLDS, SEEDS, CHOICE_SEED, EPOCHS = 5, range(5), 100, 3
RATE, RATES = 3e-4, (1e-4, 3e-4, 1e-3)  # that of Chapter 16, and what it is compared with
METHODS = ("plain", "weights", "resampled")
DANGER = LETTER_LABELS.index("Danger")
PENALTIES = (0.3, 1, 3, 10, 30, 100)  # C of scikit-learn's: how free a linear classifier is


def letters_of() -> tuple[LabeledTable, LabeledTable]:
    """Read the letters without copies: those until May, and those of June."""
    table = read_table(letters_file(), "text", "label", group="writer", time="date")
    table = table.take(without_copies(table))
    late = np.array(table.times) >= "2026-06"
    early, june = (table.take(np.flatnonzero(part).tolist()) for part in (~late, late))
    return dataclasses.replace(early, times=None), june


def deal_folds(table: LabeledTable, number: int) -> np.ndarray:
    """Give each writer, with all copies, to one of a few parts; the large ones first."""
    fold, sizes = np.zeros(len(table), dtype=int), np.zeros(number, dtype=int)
    for block in sorted(linked_rows(table), key=len, reverse=True):
        fold[block] = sizes.argmin()
        sizes[sizes.argmin()] += len(block)
    return fold


def numbers_of(table: LabeledTable) -> np.ndarray:
    """Give each label of a table its number."""
    return np.array([LETTER_LABELS.index(label) for label in table.labels])


def parts_of(early: LabeledTable, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take the fold of a seed for the test, the next one for validation, the rest to learn from."""
    fold = deal_folds(early, FOLDS)
    test, validation = seed % FOLDS, (seed + 1) % FOLDS
    train = (fold != test) & (fold != validation)
    return tuple(np.flatnonzero(rows) for rows in (train, fold == validation, fold == test))


def resampled(rows: np.ndarray, labels: np.ndarray, seed: int) -> np.ndarray:
    """Draw as many rows with replacement, each class equally often on average."""
    counts = np.bincount(labels[rows], minlength=len(LETTER_LABELS))
    chances = 1 / counts[labels[rows]]
    return np.random.default_rng(seed).choice(rows, size=len(rows), p=chances / chances.sum())


def fine_tuned(
    seed: int, rate: float, method: str = "plain", ask: bool = True, epochs: int | None = None
) -> dict:
    """Train one model on its folds, and ask it about the others and about June."""
    cpu, before, epochs = time.process_time(), minutes(), epochs or EPOCHS
    early, june = letters_of()
    labels = numbers_of(early)
    train, validation, test = parts_of(early, seed)
    model, tokenizer = classifier_from(default_encoder(), LETTER_LABELS, seed=seed)
    watched = early.take(validation.tolist())
    learned = resampled(train, labels, seed) if method == "resampled" else train
    weights = class_weights(labels[train].tolist(), len(LETTER_LABELS))
    # What is resampled was drawn evenly already: only the loss to stop by is weighted then.
    weights = torch.ones_like(weights) if method == "plain" else weights
    weigh(model, weights, in_training=method != "resampled")
    trainer = fine_tune_classifier(
        model, tokenizer, early.take(learned.tolist()), watched, seed=seed, learning_rate=rate,
        epochs=epochs, patience=2 * epochs, show_progress=False, device="cpu",
    )  # fmt: skip
    found = {
        "method": method, "seed": seed, "learning_rate": rate, "updates": trainer.step,
        "best_update": trainer.best.step, "validation_loss": round(trainer.best.loss, 4),
    }  # fmt: skip
    if ask:
        asked = {"validation": watched, "test": early.take(test.tolist()), "june": june}
        classifier = Classifier(model, tokenizer, 128, "text")
        for part, table in asked.items():
            found[part] = np.round(classifier.logits(table), 2).tolist()
    cost = {"processor_seconds": round(time.process_time() - cpu)}
    return {"origin": origin(COMMAND, before)} | found | cost


def frozen_vectors(*names: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Turn the letters into vectors: of the whole encoder, or of its table of words alone."""
    tokenizer = load_tokenizer(default_encoder())
    with override(fast_parts()):
        encoder = load_pretrained(
            BertModel, default_encoder(), unused=("pooler",), add_pooling_layer=False
        )
    table = encoder.embeddings.word_embeddings.weight.detach()

    def of_words(texts: list[str]) -> np.ndarray:
        rows = encode_rows(tokenizer, texts, max_length=128)
        means = [table[ids[1:-1]].mean(dim=0) for ids, _ in rows]
        return torch.nn.functional.normalize(torch.stack(means)).double().numpy()

    def of_layers(texts: list[str]) -> np.ndarray:
        return sentence_vectors(encoder, tokenizer, texts).double().numpy()

    texts = [part.texts for part in letters_of()]
    ways = {"word table": of_words, "fixed vectors": of_layers}
    return {name: tuple(map(ways[name], texts)) for name in names or ways}


def linear(vectors: tuple[np.ndarray, np.ndarray], method: str, seed: int) -> dict:
    """Fit a linear classifier on vectors; the penalty is chosen on the validation part."""
    from sklearn.linear_model import LogisticRegression

    early, _ = letters_of()
    labels = numbers_of(early)
    train, validation, test = parts_of(early, seed)
    learned = resampled(train, labels, seed) if method == "resampled" else train
    weight = "balanced" if method == "weights" else None
    own, late = vectors
    fits = [
        LogisticRegression(C=penalty, max_iter=2000, class_weight=weight).fit(
            own[learned], labels[learned]
        )
        for penalty in PENALTIES
    ]
    counts = class_weights(labels[train].tolist(), len(LETTER_LABELS)).numpy()[labels[validation]]
    counts = np.ones(len(validation)) if method == "plain" else counts

    def loss(fit: object) -> float:
        chosen = fit.predict_log_proba(own[validation])[
            np.arange(len(validation)), labels[validation]
        ]
        return -float((counts * chosen).mean())

    best = min(range(len(PENALTIES)), key=lambda number: loss(fits[number]))
    chances, later = (fits[best].predict_proba(rows) for rows in (own[test], late))
    return {
        "method": method,
        "seed": seed,
        "penalty": PENALTIES[best],
        "test": "".join(map(str, chances.argmax(axis=1))),
        "june": "".join(map(str, later.argmax(axis=1))),
        "danger": np.round(chances[:, DANGER], 4).tolist(),
    }


def ceiling() -> float:
    """Compute what the best program gets right: it says what most readers would."""
    letters = made_letters(RULES.read_text(encoding="utf-8"), Random(SEED))
    return round(float(np.mean([max(letter.readers) for letter in letters])), 4)


def write(record: dict) -> None:
    """Store the record."""
    text = json.dumps(record, separators=(",", ":")).replace("},{", "},\n{") + "\n"
    with atomic_write(RECORD) as draft:
        draft.write_text(text, encoding="utf-8")


def complete(record: dict, draft: Draft) -> None:
    """Make the runs that are missing, and keep each: first those that choose a rate."""
    made = {(run["method"], run["learning_rate"]) for run in record["choices"]}
    for method, rate in itertools.product(METHODS, RATES):
        if (method, rate) not in made:
            record["choices"].append(fine_tuned(CHOICE_SEED, rate, method, ask=False))
            draft.keep(record)
    made = {(run["method"], run["seed"]) for run in record["runs"]}
    for method, seed in itertools.product(METHODS, SEEDS):
        if (method, seed) not in made:
            record["runs"].append(fine_tuned(seed, rate_of(record, method), method))
            draft.keep(record)


def rate_of(record: dict, method: str) -> float:
    """Give the rate that a method takes: plain that of Chapter 16, the others their best."""
    if method == "plain":
        return RATE
    own = [choice for choice in record["choices"] if choice["method"] == method]
    return min(own, key=lambda choice: choice["validation_loss"])["learning_rate"]


def linear_runs() -> dict:
    """Fit the linear classifiers on each kind of vectors, with every method and seed."""
    return {
        name: [linear(vectors, method, seed) for method in METHODS for seed in SEEDS]
        for name, vectors in frozen_vectors().items()
    }


def without(methods: Collection[str]) -> dict:
    """Read the record, and take out the trainings of some methods, to make them anew."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    for part in ("choices", "runs"):
        record[part] = [run for run in record[part] if run["method"] not in methods]
    return record


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="make all runs, and store them")
    parser.add_argument("--methods", nargs="+", choices=METHODS, help="renew these of the record")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if not asked.record:
        found = fine_tuned(0, RATE)
        labels = numbers_of(letters_of()[0])[parts_of(letters_of()[0], 0)[2]]
        right = np.mean(np.argmax(found["test"], axis=1) == labels)
        print(f"{right:.3f} of {len(labels)} letters right, {found['processor_seconds']} seconds")
        return
    draft = Draft(RECORD)
    nothing = {"choices": [], "runs": [], "linear": {}}
    record = draft.read(without(asked.methods) if asked.methods else nothing)
    if not record["linear"]:
        record |= {"ceiling": ceiling(), "linear": linear_runs()}
        record |= {"command": COMMAND, "origin": origin(COMMAND)}  # each training has its own
        draft.keep(record)
    complete(record, draft)
    write(record)
    draft.done()


if __name__ == "__main__":
    main()
