"""Labels written by hand, and labels made by rules: what each buys (Chapter 16).

``python -m benchmarks.label_origins --record`` stores ``records/label_origins.json`` (a minute of
one core). The methods are those of the learning curve that need no fine-tuning; the training part
is cut by the origin of its requests. Beside the table of words and the frozen layers stand their
controls: a table drawn by chance, the table's rows in another order, and the trained table below
layers drawn by chance.
"""

import argparse
import json

import numpy as np
import torch

from bertbook.corpus import REQUEST_LABELS, service_requests
from bertbook.records import record_path
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import sentence_vectors

from .classify_baselines import SPLITS, chapter, frozen_vectors, linear_answers
from .records import origin
from .weights import minilm_folder

RECORD, COMMAND = record_path("label_origins"), "python -m benchmarks.label_origins --record"
SEEDS, BY_HAND = range(5), 180


def of_origins() -> dict[str, list[list[int]]]:
    """Give the rows of each sample: all by hand, as many made by rules, all of these, and all."""
    train = service_requests("train")
    labels = np.array([REQUEST_LABELS.index(request.label) for request in train])
    hand = np.array([request.origin == "hand" for request in train])

    def drawn(rows: np.ndarray, number: int, seed: int) -> list[int]:
        order = chapter.draw_order(labels[rows], seed)  # each class in turn
        return rows[order[:number]].tolist()

    by_hand, by_rules = np.flatnonzero(hand), np.flatnonzero(~hand)
    assert len(by_hand) == BY_HAND
    return {
        "60 by hand": [drawn(by_hand, 60, seed) for seed in SEEDS],
        "180 by hand": [by_hand.tolist()],
        "180 by rules": [drawn(by_rules, BY_HAND, seed) for seed in SEEDS],
        "450 by rules": [by_rules.tolist()],
        "all 630": [list(range(len(train)))],
    }


def hits(answers: dict[str, np.ndarray]) -> str:
    """Say of each request of test and validation part whether it is right."""
    found = []
    for split in SPLITS[:0:-1]:
        truth = [REQUEST_LABELS.index(request.label) for request in service_requests(split)]
        found += (np.asarray(answers[split]) == truth).astype(int).tolist()
    return "".join(map(str, found))


def naive_bayes(taken: list[int]) -> dict[str, np.ndarray]:
    """Count words in some requests of the training part, and answer the others."""
    train = service_requests("train")
    known = [REQUEST_LABELS.index(train[row].label) for row in taken]
    bayes = chapter.NaiveBayes([train[row].text for row in taken], known, len(REQUEST_LABELS))
    return {
        split: np.array([bayes.scores(each.text).argmax() for each in service_requests(split)])
        for split in SPLITS[1:]
    }


def cheap() -> dict[str, dict[str, list[str]]]:
    """Learn from each sample without fine-tuning."""
    vectors, found = frozen_vectors("MiniLM"), {}
    for sample, draws in of_origins().items():
        own = found[sample] = {"naive Bayes": [hits(naive_bayes(taken)) for taken in draws]}
        for name, given in vectors.items():
            own[name] = [hits(linear_answers(given, taken)) for taken in draws]
    return found


def controls() -> dict[str, list[str]]:
    """Learn from all requests on tables and layers that chance has drawn."""
    tokenizer = load_tokenizer(minilm_folder())
    texts = {split: [each.text for each in service_requests(split)] for split in SPLITS}
    options = {"unused": ("pooler",), "add_pooling_layer": False}
    with override(fast_parts()):
        trained = load_pretrained(BertModel, minilm_folder(), **options)
    table = trained.embeddings.word_embeddings.weight.detach().double()
    found: dict[str, list[str]] = {}

    def learn(name: str, of_texts) -> None:
        vectors = {split: of_texts(texts[split]) for split in SPLITS}
        found.setdefault(name, []).append(hits(linear_answers(vectors)))

    for seed in SEEDS:
        torch.manual_seed(seed)
        by_chance, mixed = torch.randn_like(table), table[torch.randperm(len(table))]
        for name, rows in {"table by chance": by_chance, "rows in another order": mixed}.items():
            learn(name, lambda some, rows=rows: chapter.table_vectors(rows, tokenizer, some))
        with override(fast_parts()):
            fresh = BertModel(trained.config, add_pooling_layer=False).eval()
        fresh.embeddings.load_state_dict(trained.embeddings.state_dict())
        learn("trained table, layers by chance", lambda some, model=fresh: sentence_vectors(
            model, tokenizer, some, max_length=40).double().numpy())  # fmt: skip
    return found


def main() -> None:
    """Make all runs, and print or store what is right."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="store the result")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    report = {"cheap": cheap(), "controls": controls()}
    for name, runs in report["controls"].items():
        print(name, *(f"{np.mean([*map(int, run[:180])]):.3f}" for run in runs))
    for sample, own in report["cheap"].items():
        for name, runs in own.items():
            print(sample, name, *(f"{np.mean([*map(int, run[:180])]):.3f}" for run in runs))
    if asked.record:
        with atomic_write(RECORD) as draft:
            draft.write_text(
                json.dumps({"command": COMMAND, "origin": origin(COMMAND), **report}, indent=1)
                + "\n",
                encoding="utf-8",
            )


if __name__ == "__main__":
    main()
