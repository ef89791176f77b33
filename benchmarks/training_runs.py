"""The runs of Chapter 13: which peak, one odd batch, what a warm-up is for, one line changed.

``python -m benchmarks.training_runs --record`` makes them with the loop that the chapter types, and
stores them in ``records/training_runs.json`` (six minutes of one thread); named parts, as in
``--record peaks odd``, are made and the others kept. Without ``--record`` the sabotaged runs are
made, and what comes of them is printed.
"""

import argparse
import contextlib
import itertools
import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from bertbook.corpus import hundred_sentences
from bertbook.records import record_path
from minibert.config import BertConfig
from minibert.data import split_documents
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.training import TrainingConfig
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from tests.book.definitions import chapter_definitions, chapter_source

from .records import minutes, origin

RECORD = record_path("training_runs")
COMMAND = "python -m benchmarks.training_runs --record"
CHAPTER, SEEDS, ROWS = "13-the-training-loop", range(5), 20
DEPTHS, PEAKS, WARMUPS, UPDATES = (2, 12), (0.001, 0.003, 0.006, 0.01), (0, 25), 100
DEPTH, DROPOUT, STOPPED, ODD, ASKED = 6, 0.2, 60, 100, 40
TRIED = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1)
PLAN = TrainingConfig(max_steps=80, warmup_steps=8, learning_rate=0.01, seed=0)  # the chapter's
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


def climb(depth: int, peak: float, warmup: int, seed: int) -> float:
    """Train once; return the held-out loss at the end."""
    plan = TrainingConfig(max_steps=UPDATES, warmup_steps=warmup, learning_rate=peak, seed=seed)
    model, start = chapter.new_run(sizes(depth, 0.0), plan)
    log = chapter.Log(test_batches, every=UPDATES)
    data = chapter.SentenceBatches(tokenizer, train_texts, ROWS, seed)
    chapter.train(model, start, data, plan, log)
    return round(log.asked[UPDATES], 3)


def tried(peak: float) -> dict:
    """Train the chapter's model with one peak and every seed."""
    ends = []
    for seed in SEEDS:
        plan = replace(PLAN, learning_rate=peak, seed=seed)
        log = chapter.Log(test_batches, every=plan.max_steps)
        model, start = chapter.new_run(sizes(2, 0.1), plan)
        chapter.train(
            model, start, chapter.SentenceBatches(tokenizer, train_texts, 10, seed), plan, log
        )
        ends.append(round(log.asked[plan.max_steps], 3))
    return {"peak": peak, "held_out": ends}


def odd(longest: float, seed: int) -> dict:
    """Train the chapter's model with the odd batch; ``longest`` is what clipping allows."""
    plan = replace(PLAN, max_grad_norm=longest, seed=seed)
    log = chapter.Log(test_batches, every=5)
    model, start = chapter.new_run(sizes(2, 0.1), plan, chapter.WeightedMaskedLM)
    chapter.train(model, start, chapter.OneOddBatch(tokenizer, train_texts, 10, seed), plan, log)
    return {str(step): round(loss, 3) for step, loss in log.asked.items()}


def warm_up(depth: int, peak: float, warmup: int) -> dict:
    """Train with every seed."""
    ends = [climb(depth, peak, warmup, seed) for seed in SEEDS]
    return {"depth": depth, "peak": peak, "warmup": warmup, "held_out": ends}


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
    model, start = chapter.new_run(config, plan, chapter.WeightedMaskedLM)
    with contextlib.suppress(StoppedError):
        loop(model, start, data, plan, log)
    model, _ = chapter.new_run(config, replace(plan, seed=seed + 100), chapter.WeightedMaskedLM)
    loop(model, log.saved, data, plan, log)
    return {
        "losses": [round(loss, 3) for loss in log.losses],
        "norms": [round(norm, 3) for norm in log.norms],
        "asked": {str(step): round(loss, 3) for step, loss in log.asked.items()},
    }


def make_peaks() -> list[dict]:
    """Try ten peaks."""
    return [tried(peak) for peak in TRIED]


def make_odd() -> dict[str, list[dict]]:
    """Let the odd batch come by, with and without clipping."""
    limits = {"clipped": 1.0, "not clipped": float("inf")}
    return {name: [odd(longest, seed) for seed in SEEDS] for name, longest in limits.items()}


def make_warm_ups() -> list[dict]:
    """Train with and without a warm-up."""
    plans = itertools.product(DEPTHS, PEAKS, WARMUPS)
    return [warm_up(depth, peak, warmup) for depth, peak, warmup in plans]


def make_broken() -> dict:
    """Make the healthy run and the sabotaged ones."""
    return {"runs": {name: sabotaged(name, seed=0) for name in SABOTAGED}}


PARTS = {"peaks": make_peaks, "odd": make_odd, "warm_up": make_warm_ups, "broken": make_broken}


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", nargs="*", choices=PARTS, help="which parts to store; all")
    parts = parser.parse_args().record
    torch.set_num_threads(1)
    with override(fast_parts()):
        if parts is None:
            for name, run in make_broken()["runs"].items():
                print(name, run["asked"])
            return
        known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
        content = known | {"command": COMMAND, "origins": known.get("origins", {})}
        content["seeds"] = list(SEEDS)
        for name in parts or PARTS:
            before = minutes()
            content[name] = PARTS[name]()
            content["origins"][name] = origin(COMMAND, before)
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
