"""Labels written by hand, and labels made by rules: what each buys (Chapter 16).

``python -m benchmarks.label_origins --record`` stores ``records/label_origins.json`` (three minutes
of one core). The methods are those of the learning curve, and the encoder is fine-tuned as there;
the training part is cut by the origin of its requests. Beside the table of words and the frozen
layers stand their controls: a table drawn by chance, the table's rows in another order, and the
trained table below layers drawn by chance.
"""

import argparse
import itertools
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
from .label_curve import fine_tune
from .records import minutes, origin
from .weights import minilm_folder

RECORD, COMMAND = record_path("label_origins"), "python -m benchmarks.label_origins --record"
SEEDS, TUNED_SEEDS, TUNED = range(5), range(3), ("180 by hand", "450 by rules")


def of_origins() -> dict[str, list[int]]:
    """Give the rows of each sample: all by hand, all made by rules, and all."""
    by_hand = [request.origin == "hand" for request in service_requests("train")]
    rows = range(len(by_hand))
    return {
        "180 by hand": [row for row in rows if by_hand[row]],
        "450 by rules": [row for row in rows if not by_hand[row]],
        "all 630": [*rows],
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
    for sample, taken in of_origins().items():
        found[sample] = {"naive Bayes": [hits(naive_bayes(taken))]} | {
            name: [hits(linear_answers(given, taken))] for name, given in vectors.items()
        }
    return found


def fine_tuned() -> dict[str, list[str]]:
    """Fine-tune the whole encoder on all requests of one origin, three seeds each."""
    tokenizer, samples = load_tokenizer(minilm_folder()), of_origins()
    rows = {split: chapter.request_rows(tokenizer, split) for split in SPLITS}
    found: dict[str, list[str]] = {name: [] for name in TUNED}
    for seed, name in itertools.product(TUNED_SEEDS, TUNED):
        model = fine_tune([rows["train"][row] for row in samples[name]], seed)
        chances = {s: chapter.probabilities(model, rows[s], tokenizer) for s in SPLITS[1:]}
        found[name].append(hits({s: told.argmax(axis=1) for s, told in chances.items()}))
        print(name, seed, f"{found[name][-1][:180].count('1') / 180:.3f}", flush=True)
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
    report: dict = {"cheap": cheap(), "controls": controls()}
    before = minutes()
    tuned = {"runs": fine_tuned(), "origin": origin(COMMAND, before)}
    for name, runs in report["controls"].items():
        print(name, *(f"{np.mean([*map(int, run[:180])]):.3f}" for run in runs))
    for sample, own in report["cheap"].items():
        for name, runs in own.items():
            print(sample, name, *(f"{np.mean([*map(int, run[:180])]):.3f}" for run in runs))
    if asked.record:
        with atomic_write(RECORD) as draft:
            draft.write_text(
                json.dumps(
                    {"command": COMMAND, "origin": origin(COMMAND), **report, "fine-tuned": tuned},
                    indent=1,
                )
                + "\n",
                encoding="utf-8",
            )


if __name__ == "__main__":
    main()
