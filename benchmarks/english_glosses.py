"""Add modern English to the King James Bible, and see whether that helps on either text.

``python -m benchmarks.english_glosses --record`` trains five models with one vocabulary: on the
Bible, on WordNet's definitions of nouns, on each of them twice as long, and on both. The last takes
as many updates as the longer ones, so that it sees each text about as often as the shorter do. All
are asked about chapters and definitions that none has seen, with counts of the same texts beside
them, and their losses are stored in ``records/english_glosses.json``. It takes most of an hour of a
processor, and the file of Debian's package ``wordnet-base``; ``--runs FOLDER`` keeps the models, so
that a stopped run goes on.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from bertbook.corpus.kjv.chapters import Chapter, kjv_parts
from bertbook.records import record_path
from minibert.config import BertConfig
from minibert.data import PretrainingBatches
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer, TrainingConfig
from minibert.wordpiece import WordPieceTokenizer

from .english import CONFIG, RATE, by_chapter, note_seconds, noted_seconds
from .english_measures.counts import CountingGuesser
from .english_measures.guessing import piece_losses
from .english_measures.questions import make_questions, places_of
from .glosses import glosses_of
from .records import minutes, origin

RECORD = record_path("english_glosses")
COMMAND = "python -m benchmarks.english_glosses --record"
WORDNET = Path("/usr/share/wordnet/data.noun")
FOLDER = Path("build/english-glosses")
SHORT, LONG, BOTH = 3_000, 6_000, "both"
TOGETHER, VOCABULARY, MAX_LENGTH = 20, 6_000, 128
EVERY, KEPT = 40, 3  # a test in so many documents; so that both texts have as many sentences


def gloss_documents(lines: Iterable[str]) -> list[Chapter]:
    """Cut WordNet's definitions, kind by kind in its own order, into documents of twenty."""
    rows = (f"{word}: {gloss}." for pairs in glosses_of(lines).values() for word, gloss in pairs)
    rows = list(rows)
    return [
        Chapter("glosses", number, rows[begin : begin + TOGETHER])
        for number, begin in enumerate(range(0, len(rows) - 1, TOGETHER))
    ]


class Part(NamedTuple):
    """A text in three parts: to train with, to tune the counts with, and to test."""

    train: Sequence[Chapter]
    tune: Sequence[Chapter]
    test: Sequence[Chapter]

    def verses(self) -> list[str]:
        """List the sentences to train with."""
        return [verse for chapter in self.train for verse in chapter.verses]


def texts() -> dict[str, Part]:
    """Read both texts; of the glosses a third is read, as much as of the Bible."""
    bible = kjv_parts()
    with WORDNET.open(encoding="utf-8") as lines:
        glosses = gloss_documents(lines)
    train = [document for document in glosses if document.number % EVERY > 1][::KEPT]
    tune, test = glosses[1::EVERY], glosses[::EVERY]
    return {
        "Bible": Part(bible.train, bible.tune, bible.chapters),
        "glosses": Part(train, tune, test),
    }


def learned_from(parts: dict[str, Part], name: str) -> list[Part]:
    """List the texts that a guesser of this name has read."""
    return [*parts.values()] if name == BOTH else [parts[name]]


def runs_of(name: str) -> list[tuple[str, int]]:
    """List the models that are asked about a text: what they have read, and their updates."""
    return [(name, SHORT), (name, LONG), (BOTH, LONG)]


def train(
    updates: int, parts: Sequence[Part], tokenizer: WordPieceTokenizer, folder: Path
) -> BertForPreTraining:
    """Train a model as the command does with the settings called wide, or go on."""
    documents = [chapter.verses for part in parts for chapter in part.train]
    batches = PretrainingBatches(documents, tokenizer, batch_size=32, max_length=MAX_LENGTH, seed=0)
    torch.manual_seed(0)
    sizes = {key: value for key, value in CONFIG.items() if key != "model_type"}
    config = BertConfig(**{**sizes, "vocab_size": tokenizer.vocab_size})
    with override(fast_parts()):
        model = BertForPreTraining(config)
    plan = TrainingConfig(
        max_steps=updates,
        seed=0,
        learning_rate=float(RATE),
        warmup_steps=updates // 10,
        save_steps=500,
    )
    trainer = BertTrainer(model, plan, folder=folder, device=torch.device("cpu"))
    before = minutes()
    if folder.is_dir():
        trainer.resume()
    trainer.fit(batches)
    note_seconds(folder.with_suffix(".seconds"), before)
    return model.eval()


def counts_of(
    parts: Sequence[Part], tune: Sequence[Chapter], tokenizer: WordPieceTokenizer
) -> CountingGuesser:
    """Count in some texts, and tune for one of them."""
    counts = CountingGuesser(
        [tokenizer.encode(verse)[1:-1] for part in parts for verse in part.verses()],
        vocab_size=tokenizer.vocab_size,
        edge=tokenizer.sep_token_id,
        mask_token_id=tokenizer.mask_token_id,
    )
    counts.tune(places_of(make_questions(tune, tokenizer), tokenizer))
    return counts


def measure(
    name: str,
    parts: dict[str, Part],
    models: dict[tuple[str, int], BertForPreTraining],
    tokenizer: WordPieceTokenizer,
) -> dict[str, Any]:
    """Ask everybody who has read a text about its test; losses are summed by document."""
    test = parts[name].test
    asked = make_questions(test, tokenizer)
    places = places_of(asked, tokenizer)
    losses = {}
    for read in (name, BOTH):
        counts = counts_of(learned_from(parts, read), parts[name].tune, tokenizer)
        losses[f"counts, {read}"] = counts.losses(places)
    for read, updates in runs_of(name):
        losses[f"BERT, {read}, {updates:,} updates"] = piece_losses(models[read, updates], asked)
    return {
        "places": {"all": by_chapter(np.ones(len(places.truth)), places.chapter, len(test))},
        "losses": {
            guesser: {"all": by_chapter(paid, places.chapter, len(test))}
            for guesser, paid in losses.items()
        },
    }


def make_record(folder: Path) -> dict[str, Any]:
    """Train, ask, and put together what is known."""
    torch.set_num_threads(1)
    folder.mkdir(parents=True, exist_ok=True)
    parts = texts()
    sentences = chain.from_iterable(part.verses() for part in parts.values())
    with override(fast_parts()):
        tokenizer = WordPieceTokenizer.train(sentences, VOCABULARY, True)
    models = {
        (read, updates): train(
            updates, learned_from(parts, read), tokenizer, folder / f"{read}-{updates}"
        )
        for read, updates in dict.fromkeys(run for name in parts for run in runs_of(name))
    }
    before = minutes()
    tests = {name: measure(name, parts, models, tokenizer) for name in parts}
    trained = sum(map(noted_seconds, folder.glob("*.seconds"))) / 60
    return {
        "command": COMMAND,
        "origin": origin(COMMAND, before - trained),
        "pieces": tokenizer.vocab_size,
        "texts": {
            name: {"documents": len(part.train), "sentences": len(part.verses())}
            for name, part in parts.items()
        },
        "tests": tests,
    }


def main() -> None:
    """Print the losses, and record them if that is asked for."""
    parser = argparse.ArgumentParser(description="Add modern English to the Bible.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--runs", type=Path, default=FOLDER, help="folder of the models")
    arguments = parser.parse_args()
    record = make_record(arguments.runs)
    for name, test in record["tests"].items():
        for guesser, paid in test["losses"].items():
            mean = sum(paid["all"]) / sum(test["places"]["all"])
            print(f"{name:8} {mean:.3f}  {guesser}", flush=True)
    if arguments.record:
        RECORD.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
