"""Classify requests and pairs of questions, from word counts to a fine-tuned encoder (Chapter 16).

``python -m benchmarks.classify`` fine-tunes the whole MiniLM encoder on the requests with one seed
and prints what it reaches, in about a minute. ``--record`` makes all runs of the chapter, five
seeds of each, and stores them in ``records/classify.json`` (an hour of one core). ``--only``
repeats one task and encoder, such as ``--only requests "small world"``, or the learning curve,
``--only curve``, and leaves the rest of the record as it is. Learning rates are chosen with
another seed, on the validation part; the test part is asked at the end of each run. It needs the
extra ``models``: ``pip install -e ".[models]"``. Run it from the root of the repository; the
functions are those that the chapter types; one thread, so that a run can be repeated.
"""

import argparse
import json
import time
from typing import NamedTuple

import numpy as np
import torch

from bertbook.core import seed_everything
from bertbook.corpus import REQUEST_LABELS
from bertbook.records import record_path
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import initialize_weights
from minibert.parts import override
from minibert.tasks import BertForSequenceClassification, train_from_top

from .classify_baselines import (
    SPLITS,
    TASKS,
    Task,
    chapter,
    folder_of,
    frozen_vectors,
    linear_answers,
    similar_vectors,
    word_counts,
)
from .label_curve import learning_curve
from .records import mean_and_sd, minutes, origin
from .removals import remove_words

RECORD = record_path("classify")
COMMAND = "python -m benchmarks.classify --record"
SEEDS, CHOICE_SEED = range(5), 100


class Plan(NamedTuple):
    """How long a method may train, and the learning rates to choose from."""

    epochs: int
    learning_rates: tuple[float, ...]
    patience: int = 3


PLANS = {  # task, encoder, method
    ("requests", "small world", "full"): Plan(30, (3e-4, 1e-3, 3e-3), 10),
    ("requests", "new weights", "full"): Plan(30, (3e-4, 1e-3, 3e-3), 10),
    ("requests", "MiniLM", "frozen"): Plan(6, (1e-3, 3e-3)),
    ("requests", "MiniLM", "full"): Plan(3, (1e-4, 3e-4)),
    ("pairs", "MiniLM", "full"): Plan(20, (5e-5, 1e-4)),
}


def new_model(encoder: str, labels: tuple[str, ...], seed: int) -> BertForSequenceClassification:
    """Put a new classifier on an encoder; everything is new if it has no weights of its own."""
    seed_everything(seed)
    with override(fast_parts()):
        model = load_pretrained(
            BertForSequenceClassification,
            folder_of(encoder),
            new=("classifier",),
            unused=() if encoder == "MiniLM" else ("cls",),
            id2label=dict(enumerate(labels)),
        )
    if encoder == "new weights":
        initialize_weights(model, model.config.initializer_range)
    return model


def train(task: Task, encoder: str, method: str, seed: int, rates: dict, plan: Plan) -> dict:
    """Train and ask one model; `rates` holds the learning rate of each method."""
    wall, cpu = time.perf_counter(), time.process_time()
    tokenizer = load_tokenizer(folder_of(encoder), do_lower_case=True)
    rows = {split: task.rows(tokenizer, split) for split in SPLITS}
    model = new_model(encoder, task.labels, seed)
    if method == "frozen":
        train_from_top(model, 0)
    wishes = {"learning_rate": rates[method], **plan._asdict()}
    del wishes["learning_rates"]
    trainer = chapter.tune(model, rows, tokenizer, seed=seed, **wishes)
    answers = {s: chapter.probabilities(model, rows[s], tokenizer) for s in SPLITS[1:]}
    run = {
        "seed": seed,
        "learning_rate": rates[method],
        "updates": trainer.step,
        "best_update": trainer.best.step,
        "validation_loss": round(trainer.best.loss, 4),
        "validation_losses": [
            round(r["eval_loss"], 3) for r in trainer.history if "eval_loss" in r
        ],
        **grade(task, {s: answers[s].argmax(axis=1) for s in answers}),
        "seconds": round(time.perf_counter() - wall, 1),
        "processor_seconds": round(time.process_time() - cpu, 1),
    }
    if (method, encoder, seed, task.labels) == ("full", "MiniLM", 0, REQUEST_LABELS):
        run["removals"] = remove_words(model, tokenizer)
    return run


def grade(task: Task, guesses: dict[str, np.ndarray]) -> dict:
    """Keep every answer to the test part, and count."""
    truths = {s: [task.labels.index(e.label) for e in task.examples(s)] for s in guesses}
    table = chapter.confusion_matrix(truths["test"], guesses["test"], len(task.labels))
    right = {s: float(np.mean(guesses[s] == np.array(truths[s]))) for s in guesses}
    return {
        "validation_accuracy": round(right["validation"], 4),
        "test_accuracy": round(right["test"], 4),
        "macro_f1": round(float(chapter.macro_f1(table)), 4),
        "confusion": table.tolist(),
        "test_answers": "".join(map(str, guesses["test"])),
    }


def baselines() -> list[dict]:
    """Grade everything that has no seed."""
    found = []
    for name, task in TASKS.items():
        answers = {("none", method): told for method, told in word_counts(task).items()}
        if name == "requests":
            for method, vectors in frozen_vectors("MiniLM").items():
                answers["MiniLM", method] = linear_answers(vectors)
        else:
            answers["MiniLM", "similarity"] = similar_vectors()
        for (encoder, method), told in answers.items():
            about = {"task": name, "encoder": encoder, "method": method}
            asked = {s: told[s] for s in SPLITS[1:]}
            found.append(about | {"runs": [{"seed": None} | grade(task, asked)]})
            print(name, encoder, method, found[-1]["runs"][0]["test_accuracy"], flush=True)
    return found


def choose(name: str, encoder: str, method: str) -> list[dict]:
    """Try each learning rate with one seed that is not used again; look at validation only."""
    plan, kept = PLANS[name, encoder, method], ("learning_rate", "best_update", "updates")
    told = ("validation_loss", "validation_accuracy", "processor_seconds")
    found = []
    for rate in plan.learning_rates:
        run = train(TASKS[name], encoder, method, CHOICE_SEED, {method: rate}, plan)
        found.append({key: run[key] for key in (*kept, *told)})
        print("choice", name, encoder, method, found[-1], flush=True)
    return found


def best_rate(choices: list[dict]) -> float:
    """Take the learning rate with the lowest validation loss."""
    return min(choices, key=lambda choice: choice["validation_loss"])["learning_rate"]


def summarize(runs: list[dict]) -> dict[str, dict[str, float]]:
    """Give mean and standard deviation over the seeds."""
    columns = ("validation_accuracy", "test_accuracy", "macro_f1")
    return mean_and_sd({column: [run[column] for run in runs] for column in columns})


def measure(name: str, encoder: str, method: str, known: dict[str, float]) -> dict:
    """Choose a learning rate and make the five runs of a method; `known` gets the rate."""
    plan, before = PLANS[name, encoder, method], minutes()
    choices = choose(name, encoder, method)
    known[method] = best_rate(choices)
    runs = []
    for seed in SEEDS:
        runs.append(train(TASKS[name], encoder, method, seed, known, plan))
        shown = {k: v for k, v in runs[-1].items() if k not in ("removals", "test_answers")}
        print(name, encoder, method, shown, flush=True)
    about = {"task": name, "encoder": encoder, "method": method, "patience": plan.patience}
    made = {"origin": origin(COMMAND, before), "choices": choices, "runs": runs}
    return about | made | {"summary": summarize(runs)}


def make(only: list[str] | None) -> dict:
    """Make all runs but the learning curve, or those of one task and encoder."""
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if only else {}
    made = [] if only else baselines()
    kept = kept or {"origin": origin(COMMAND)}
    for method in made:
        method["summary"] = summarize(method["runs"])
    rates: dict[str, dict[str, float]] = {}  # of each encoder, chosen on the requests
    for name, encoder, method in PLANS:
        if not only or only == [name, encoder]:
            made.append(measure(name, encoder, method, rates.setdefault(encoder, {})))
    again = {(m["task"], m["encoder"]) for m in made if "choices" in m}
    others = [m for m in kept.get("methods", ())
              if "choices" not in m or (m["task"], m["encoder"]) not in again]  # fmt: skip
    places = {about: place for place, about in enumerate(PLANS)}
    methods = sorted(
        [*others, *made], key=lambda m: places.get((m["task"], m["encoder"], m["method"]), -1)
    )
    return kept | {"command": COMMAND, "methods": methods}


def write(content: dict) -> None:
    """Store the record."""
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="all runs, five seeds each; store")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="a task and encoder, or: curve")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if not arguments.record:
        rates, plan = {"full": 1e-4}, PLANS["requests", "MiniLM", "full"]
        print(json.dumps(train(TASKS["requests"], "MiniLM", "full", 0, rates, plan), indent=1))
        return
    only, content = arguments.only, make(arguments.only)
    if not only or only == ["curve"]:
        before, runs = minutes(), [*learning_curve(SEEDS)]
        content["learning_curve"] = {"origin": origin(COMMAND, before), "runs": runs}
    write(content)


if __name__ == "__main__":
    main()
