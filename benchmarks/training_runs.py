"""The runs of Chapter 13: what a warm-up is for, and four runs with one line changed.

``python -m benchmarks.training_runs --record`` makes them with the loop that the chapter types, and
stores them in ``benchmarks/training_runs.json`` (four minutes of one thread). Without ``--record``
it makes the sabotaged runs with one seed and prints how they end.
"""

import argparse
import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from bertbook.corpus import hundred_sentences
from minibert.config import BertConfig
from minibert.data import split_documents
from minibert.fast import switch_on
from minibert.training import TrainingConfig
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from tests.book.definitions import chapter_definitions, chapter_source

from .records import origin

RECORD = Path(__file__).with_suffix(".json")
COMMAND = "python -m benchmarks.training_runs --record"
CHAPTER, SEEDS, ROWS = "13-the-training-loop", range(5), 20
DEPTHS, PEAKS, WARMUPS, UPDATES, EVERY = (2, 12), (0.001, 0.003, 0.006, 0.01), (0, 25), 100, 10
DEPTH, DROPOUT, STOPPED, ODD, ASKED = 6, 0.2, 60, 100, 40
SABOTAGED = {  # which line of the loop a run has not got, and what it has in its place
    "healthy": ("", ""),
    "A": ("        set_rate(optimizer, plan.learning_rate_at(step))\n", ""),
    "B": ("        model.train()\n", ""),
    "C": ('    optimizer.load_state_dict(state["optimizer"])\n', ""),
    "D": ("plan.max_grad_norm)", 'float("inf"))'),
}

chapter = chapter_definitions(CHAPTER)
sentences = hundred_sentences()
words = sorted({word for text in sentences for word in text.split()})
tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, *words])
learned, held_out = split_documents(
    [[text] for text in sentences], 20, rng=np.random.default_rng(0)
)
train_texts, test_texts = ([text for (text,) in part] for part in (learned, held_out))
test_data = chapter.SentenceBatches(tokenizer, test_texts, 20, seed=1)
test_batches = [batch for number in range(6) for batch in test_data.epoch(number)]


def sizes(layers: int, dropout: float) -> BertConfig:
    """Return the chapter's configuration with other layers and another dropout."""
    return BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=layers,
        num_attention_heads=2,
        max_position_embeddings=16,
        initializer_range=0.1,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )


def climb(depth: int, peak: float, warmup: int, seed: int) -> list[float]:
    """Train once; return the held-out loss every ten updates."""
    plan = TrainingConfig(max_steps=UPDATES, warmup_steps=warmup, learning_rate=peak, seed=seed)
    model, start = chapter.begin(sizes(depth, 0.0), plan)
    log = chapter.Log(test_batches, every=EVERY)
    data = chapter.SentenceBatches(tokenizer, train_texts, ROWS, seed)
    chapter.train(model, start, data, plan, log)
    return [round(loss, 3) for loss in log.asked.values()]


def warm_up(depth: int, peak: float, warmup: int) -> dict:
    """Train with every seed."""
    curves = [climb(depth, peak, warmup, seed) for seed in SEEDS]
    return {
        "depth": depth,
        "peak": peak,
        "warmup": warmup,
        "held_out": [curve[-1] for curve in curves],
        "curves": curves,
    }


def changed_loop(name: str) -> Callable:
    """Return the chapter's loop with the line of one run changed."""
    source, (line, instead) = chapter_source(CHAPTER, "train") + "\n", SABOTAGED[name]
    assert line in source, f"the loop of the chapter has no line {line!r}"
    space = dict(vars(chapter))
    exec(source.replace(line, instead) if line else source, space)
    return space["train"]


class StoppedError(Exception):
    """Ends a run half-way."""


class LogUntilStopped(chapter.Log):
    """Note the state of the run, then end it."""

    def __call__(self, step, *seen):
        """Keep what is seen."""
        super().__call__(step, *seen)
        if step == self.save_at:
            raise StoppedError


def sabotaged(name: str, seed: int) -> dict:
    """Make one run: stopped after some updates, gone on with, and met by the odd batch."""
    plan = TrainingConfig(max_steps=160, warmup_steps=30, learning_rate=0.01, seed=seed)
    log = LogUntilStopped(test_batches, every=ASKED, save_at=STOPPED)
    loop, config = changed_loop(name), sizes(DEPTH, DROPOUT)
    data = chapter.OneOddBatch(tokenizer, train_texts, ROWS, seed)
    data.odd = ODD
    model, start = chapter.begin(config, plan, chapter.WeightedMaskedLM)
    with contextlib.suppress(StoppedError):
        loop(model, start, data, plan, log)
    model, _ = chapter.begin(config, replace(plan, seed=seed + 100), chapter.WeightedMaskedLM)
    loop(model, log.saved, data, plan, log)
    return {
        "losses": [round(loss, 3) for loss in log.losses],
        "norms": [round(norm, 3) for norm in log.norms],
        "asked": {str(step): round(loss, 3) for step, loss in log.asked.items()},
    }


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"five seeds each; {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    start = time.process_time()
    with switch_on():
        runs = {}
        for name in SABOTAGED:
            made = [sabotaged(name, seed) for seed in (SEEDS if record else SEEDS[:1])]
            runs[name] = {**made[0], "ends": [run["asked"]["160"] for run in made]}
            print(name, runs[name]["ends"], runs[name]["asked"], flush=True)
        if not record:
            return
        warm_ups = []
        for depth in DEPTHS:
            for peak in PEAKS:
                for warmup in WARMUPS:
                    warm_ups.append(warm_up(depth, peak, warmup))
                    print(depth, peak, warmup, warm_ups[-1]["held_out"], flush=True)
    content = {
        "command": COMMAND,
        "origin": origin(),
        "seconds": round(time.process_time() - start, 1),
        "seeds": list(SEEDS),
        "warm_up": warm_ups,
        "broken": {
            "depth": DEPTH,
            "stopped": STOPPED,
            "odd": ODD,
            "lines": {name: line.strip() for name, (line, _) in SABOTAGED.items()},
            "runs": runs,
        },
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
