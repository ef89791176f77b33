"""Pre-train the small BERT of Chapter 14, and hold what it learned against the best possible.

``python -m benchmarks.small_world`` trains with one seed and prints what came of it (ten minutes of
one core). ``--record`` trains with five seeds and stores the log in ``records/small_world.json``
and the first model in ``records/small-world``: Chapter 14 takes them from there (half an hour on
two cores). Run it from the root of the repository. The model, its plan and the questions are those
that the chapter types; one thread, so that a run can be repeated.
"""

import argparse
import dataclasses
import json
import multiprocessing
import os
import resource
import time
from itertools import chain

from bertbook.records import record_path

os.environ.setdefault("TQDM_DISABLE", "1")

import numpy as np
import torch
from safetensors.torch import save_model

from bertbook.corpus import (
    MaskingNoise,
    Oracle,
    corrupted_floors,
    hidden_once_floors,
    sample_documents,
    sample_pairs,
    small_world,
    world_ladder,
)
from minibert.data import PretrainingBatches
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .records import mean_and_sd, origin
from .weights import SMALL_WORLD

RECORD = record_path("small_world")
COMMAND = "python -m benchmarks.small_world --record"
STEPS, EVERY, SEEDS = 8_000, 250, 5
DOCUMENTS, BATCH, LONGEST, VOCABULARY = 60_000, 32, 40, 1200
HELD_OUT, HELD_OUT_DOCUMENTS, RIDDLES, FLOOR_PAIRS = 1_000_000, 6000, 100, 10_000
TERMS = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
KEPT = {  # of a record of the history: under which name
    "step": "step",
    "masked_lm_loss": "masked_lm_loss",
    "next_sentence_loss": "next_sentence_loss",
    "eval_masked_lm_loss": "hidden_once_loss",
    "eval_next_sentence_loss": "hidden_once_next_sentence_loss",
}

chapter = chapter_definitions("14-pre-train-a-small-world")
world = small_world()


def make_batches(documents: list, tokenizer: WordPieceTokenizer, seed: int) -> PretrainingBatches:
    """Pair sentences, hide words, sort by length."""
    return PretrainingBatches(documents, tokenizer, batch_size=BATCH, seed=seed, max_length=LONGEST)


def train(seed: int) -> dict:
    """Train one model, measure it, and keep the first."""
    torch.set_num_threads(1)
    wall, cpu = time.perf_counter(), time.process_time()
    documents = sample_documents(world, DOCUMENTS, rng=np.random.default_rng(seed))
    with override(fast_parts()):
        tokenizer = WordPieceTokenizer.train(chain.from_iterable(documents), vocab_size=VOCABULARY)
        model = chapter.small_bert(tokenizer, seed)
    trainer = BertTrainer(
        model,
        chapter.small_plan(STEPS, seed, EVERY),
        device="cpu",
        terms=TERMS,
        show_progress=False,
    )
    asked = sample_pairs(world, RIDDLES, rng=np.random.default_rng(HELD_OUT))
    riddles = list(chapter.hide_each_word(tokenizer, asked))
    history = trainer.fit(make_batches(documents, tokenizer, seed), riddles)
    if seed == 0:
        keep(trainer.model, tokenizer)
    run = {
        "seed": seed,
        "vocab_size": tokenizer.vocab_size,
        "parameters": sum(parameter.numel() for parameter in trainer.model.parameters()),
        "seconds": round(time.perf_counter() - wall),
        "processor_seconds": round(time.process_time() - cpu),
        "megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        **measure(trainer, tokenizer),
        "curve": [shorten(record) for record in history],
    }
    print({name: value for name, value in run.items() if name != "curve"}, flush=True)
    return run


def measure(trainer: BertTrainer, tokenizer: WordPieceTokenizer) -> dict[str, float]:
    """Ask a trained model about stories that it was not trained on."""
    rng = np.random.default_rng(HELD_OUT + 1)
    documents = sample_documents(world, HELD_OUT_DOCUMENTS, rng=rng)
    held_out = list(make_batches(documents, tokenizer, HELD_OUT))
    losses = trainer.evaluate(held_out)
    accuracy = chapter.next_sentence_accuracy(trainer.model, held_out)
    return {
        "masked_lm_loss": round(losses["masked_lm_loss"], 4),
        "next_sentence_loss": round(losses["next_sentence_loss"], 4),
        "accuracy": round(accuracy, 4),
    }


def keep(model: torch.nn.Module, tokenizer: WordPieceTokenizer) -> None:
    """Store a model in Hugging Face's layout."""
    SMALL_WORLD.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "bert", **dataclasses.asdict(model.config)}
    (SMALL_WORLD / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    save_model(model, str(SMALL_WORLD / "model.safetensors"), metadata={"format": "pt"})
    tokenizer.save(SMALL_WORLD / "vocab.txt")


def shorten(record: dict) -> dict[str, float]:
    """Keep what the curves show."""
    return {KEPT[name]: round(value, 4) for name, value in record.items() if name in KEPT}


def bounds() -> dict[str, dict]:
    """Compute what nobody can beat, and what knowing less brings."""
    rng, oracle = np.random.default_rng(HELD_OUT + 2), Oracle(world)
    pairs = sample_pairs(world, FLOOR_PAIRS, rng=rng)
    noise = MaskingNoise(random_words=1040)  # about as many as the vocabularies have
    floors = {
        "hidden_once": hidden_once_floors(oracle, pairs),
        "corrupted": corrupted_floors(oracle, pairs, noise, rng=rng),
    }
    rounded = {
        name: {
            part: {"value": round(estimate.value, 4), "error": round(estimate.error, 4)}
            for part, estimate in floor._asdict().items()
        }
        for name, floor in floors.items()
    }
    ladder = world_ladder(world, 1040)._asdict()
    return {"ladder": {rung: round(loss, 4) for rung, loss in ladder.items()}, "floors": rounded}


def summarize(runs: list[dict], limits: dict[str, dict]) -> dict[str, dict[str, float]]:
    """Say how close the models came, mean and standard deviation over the seeds."""
    unigram = limits["ladder"]["unigram"]
    floor = limits["floors"]["corrupted"]["masked_word"]["value"]
    ceiling = limits["floors"]["corrupted"]["accuracy"]["value"]
    columns = {
        "masked_lm_loss": [run["masked_lm_loss"] for run in runs],
        "share_of_gap_closed": [
            (unigram - run["masked_lm_loss"]) / (unigram - floor) for run in runs
        ],
        "accuracy": [run["accuracy"] for run in runs],
        "points_below_ceiling": [100 * (ceiling - run["accuracy"]) for run in runs],
    }
    return mean_and_sd(columns)


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="five seeds on two cores; store")
    record = parser.parse_args().record
    if record:
        with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=1) as pool:
            runs = pool.map(train, range(SEEDS), chunksize=1)
    else:
        runs = [train(0)]
    limits = bounds()
    summary = summarize(runs, limits)
    print(json.dumps(limits | summary, indent=1))
    if record:
        content = {"command": COMMAND, "origin": origin(COMMAND), **limits}
        content |= {"summary": summary, "runs": runs}
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
