"""How many labels are enough? The learning curve of Chapter 16: four methods, four sizes.

``benchmarks.classify`` makes it and stores it in its record. Every seed puts the 630 requests into
another order, each class in turn, and the smaller samples are the beginnings of the larger ones, so
all methods see the same labels. Nothing is chosen here: the fine-tuned encoder makes 60 updates
with the rate that was chosen for all labels, whatever their number, and keeps its last weights. Its
products are computed in bfloat16 while it trains.
"""

import itertools
import time
from collections.abc import Iterator, Sequence

import numpy as np

from bertbook.core import seed_everything
from bertbook.corpus import REQUEST_LABELS, service_requests
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.parts import override
from minibert.tasks import BertForSequenceClassification, TaskBatches
from minibert.training import BertTrainer, TrainingConfig

from .classify_baselines import SPLITS, chapter, frozen_vectors, linear_answers
from .weights import minilm_folder, short_products

SIZES, UPDATES, RATE = (20, 60, 200, 630), 60, 1e-4


def fine_tune(rows: list[dict], seed: int) -> BertForSequenceClassification:
    """Train the whole encoder on these rows for a fixed number of updates."""
    seed_everything(seed)
    with override(fast_parts()):
        model = load_pretrained(
            BertForSequenceClassification,
            minilm_folder(),
            new=("classifier",),
            id2label=dict(enumerate(REQUEST_LABELS)),
        )
    batches = TaskBatches(rows, batch_size=min(32, len(rows)), seed=seed, pad_token_id=0)
    plan = TrainingConfig(
        max_steps=UPDATES,
        warmup_steps=UPDATES // 10,
        learning_rate=RATE,
        seed=seed,
        logging_steps=UPDATES,
    )
    with short_products(model):
        BertTrainer(model, plan, device="cpu", show_progress=False).fit(batches)
    return model


def learning_curve(seeds: Sequence[int]) -> Iterator[dict]:
    """Answer the test part after learning from 20, 60, 200 and all requests."""
    texts = {s: [r.text for r in service_requests(s)] for s in SPLITS}
    labels = np.array([REQUEST_LABELS.index(r.label) for r in service_requests("train")])
    tokenizer, vectors = load_tokenizer(minilm_folder()), frozen_vectors("MiniLM")
    rows = {s: chapter.request_rows(tokenizer, s) for s in SPLITS}
    for seed, size in itertools.product(seeds, SIZES):
        cpu, taken = time.process_time(), chapter.draw_order(labels, seed)[:size]
        known, test = labels[taken], texts["test"]
        bayes = chapter.NaiveBayes([texts["train"][i] for i in taken], known, len(REQUEST_LABELS))
        model = fine_tune([rows["train"][i] for i in taken], seed)
        chances = {s: chapter.probabilities(model, rows[s], tokenizer) for s in SPLITS[1:]}
        answers = {
            "naive Bayes": [int(bayes.scores(text).argmax()) for text in test],
            "full": chances["test"].argmax(axis=1).tolist(),
        }
        run = {"seed": seed, "labels": size, "updates": UPDATES}
        run["test_answers"] = {name: "".join(map(str, told)) for name, told in answers.items()}
        add_frozen(run, vectors, taken)
        if size == len(labels):
            run["probabilities"] = {s: np.round(p, 3).tolist() for s, p in chances.items()}
        run["processor_seconds"] = round(time.process_time() - cpu, 1)
        print(seed, size, run["processor_seconds"], flush=True)
        yield run


def add_frozen(run: dict, vectors: dict[str, dict[str, np.ndarray]], taken: Sequence[int]) -> None:
    """Add what a linear classifier on fixed vectors answers to the test and validation parts."""
    answers = {name: linear_answers(given, taken) for name, given in vectors.items()}
    for split in SPLITS[1:]:
        told = run.setdefault(f"{split}_answers", {})
        told |= {name: "".join(map(str, found[split])) for name, found in answers.items()}
