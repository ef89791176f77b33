"""A small BERT of its own for Chapter 20: trained on stories that are told in four ways.

``python -m benchmarks.looking_inside.retold 0`` trains with the seed 0 (seven minutes of one core)
and stores what its heads do in ``records/retold.json``, beside those of other seeds.
"""

import argparse
import json
import time
from itertools import chain

import numpy as np
import torch

from bertbook.corpus import sample_documents, small_world
from bertbook.records import record_path
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer

from .. import small_world as training
from ..records import minutes, origin
from .encoders import Encoder
from .patching import patches_of
from .people import WAYS, Told, people_of

RECORD = record_path("retold")
COMMAND = "python -m benchmarks.looking_inside.retold 0"


def retold_documents(count: int, seed: int) -> list[tuple[str, str]]:
    """Sample documents of the small world, each told in one of the four ways."""
    rng, ways = np.random.default_rng(seed), list(WAYS.values())
    documents = []
    for first, second in sample_documents(small_world(), count, rng=rng):
        words = tuple(first.split())
        told = Told(0, (words, ()), (("hero", *[""] * (len(words) - 1)), ()))
        changed = ways[rng.integers(len(ways))](told, rng)
        documents.append((" ".join(changed.words[0]), second))
    return documents


def train(seed: int) -> dict:
    """Train the small BERT of Chapter 14 by its own plan, and ask its heads."""
    cpu, before = time.process_time(), minutes()
    documents = retold_documents(training.DOCUMENTS, seed)
    with override(fast_parts()):
        tokenizer = WordPieceTokenizer.train(
            chain.from_iterable(documents), vocab_size=training.VOCABULARY
        )
        model = training.chapter.small_bert(tokenizer, seed)
    plan = training.chapter.small_plan(training.STEPS, seed, training.EVERY)
    trainer = BertTrainer(model, plan, device="cpu", terms=training.TERMS, show_progress=False)
    history = trainer.fit(training.make_batches(documents, tokenizer, seed))
    model.eval()
    return {
        "seed": seed,
        "masked_lm_loss": round(history[-1]["masked_lm_loss"], 4),
        "chosen": people_of(Encoder(model.bert, tokenizer))["chosen"]["as ever"],
        "patches": patches_of(model, tokenizer),
        "processor_seconds": round(time.process_time() - cpu),
        "origin": origin(COMMAND, before),
    }


def main() -> None:
    """Train, print and store; a seed takes the place of an older run with it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("seeds", type=int, nargs="+", help="seeds to train with")
    seeds = parser.parse_args().seeds
    torch.set_num_threads(1)
    for seed in seeds:
        kept = json.loads(RECORD.read_text(encoding="utf-8"))["runs"] if RECORD.is_file() else []
        run = train(seed)
        print(json.dumps(run), flush=True)
        runs = sorted([r for r in kept if r["seed"] != seed] + [run], key=lambda r: r["seed"])
        content = {"command": COMMAND, "runs": runs}
        RECORD.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
