"""Train BERTs on the King James Bible with the package's own command, and compare them with counts.

``python -m benchmarks.english --record`` trains six models, asks every guesser the same questions
about chapters and books that none has seen, and writes ``records/english.json``. A thousand updates
take about two minutes of a processor, of the large model seven. A run that is stopped goes on when
the command is given again; ``--finished`` asks the models that are finished, and trains none;
``--runs FOLDER`` says where they are. Training takes all threads that PyTorch is given, asking
takes one.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.records import minutes, origin
from bertbook.corpus.kjv.chapters import KjvParts, as_documents, kjv_parts
from bertbook.records import record_path
from bertbook.topics.english.forms import FORMS, form_questions
from berttools.cli.options import is_finished
from berttools.pretrain.command import main as pretrain
from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

from .english_measures.agreement import forms_right
from .english_measures.counts import CountingGuesser
from .english_measures.guessing import (
    counted_answers,
    first_answers,
    pair_losses,
    piece_losses,
)
from .english_measures.questions import Places, Question, make_questions, places_of
from .english_measures.senses import SENSES, nearest_of_same_sense
from .english_measures.sharing import SharedWords

RECORD = record_path("english")
FOLDER = Path("build/english")
COMMAND = "python -m benchmarks.english --record"
# Which options, how many updates, which seed.
RUNS = (
    ("as it is", 5_000, 0),
    *(("wide", 3_000, seed) for seed in range(3)),
    ("wide", 20_000, 0),
    ("large", 8_000, 0),
)
# Four heads, no dropout, and first weights four times as large as BERT's.
CONFIG = {
    "model_type": "bert",
    "vocab_size": 6000,
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 512,
    "max_position_embeddings": 128,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "initializer_range": 0.08,
}
RATE = "0.002"
# Twice as many layers, each twice as wide; the first weights and the rate are smaller to fit.
LARGE_CONFIG = CONFIG | {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "intermediate_size": 1024,
    "initializer_range": 0.06,
}
CHANGED = {"wide": (CONFIG, RATE), "large": (LARGE_CONFIG, "0.001")}  # which are not as it is
OPTIONS = ("--vocab-size", "6000", "--held-out", "0")
TESTS = ("chapters", "books")
FREQUENT = 20  # so many pieces are called frequent
POINTS = 40  # of a curve
SENTENCES = (
    "the lord is my [MASK].",
    "the lord is my [MASK]",
    "and moses spake unto the children of [MASK], saying,",
    "in the beginning god created the [MASK] and the earth.",
    "and he said unto [MASK], go thy way.",
    "thou [MASK] not kill.",
    "the king of [MASK] came up against jerusalem.",
    "love thy [MASK] as thyself.",
    "a woman shall be [MASK].",
    "my computer is [MASK].",
)


class Run(NamedTuple):
    """A training: which options, how many updates, which seed, and its folder."""

    kind: str
    steps: int
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        """Name the model among the guessers."""
        return f"BERT {self.kind}, {self.steps:,} updates, seed {self.seed}"

    @property
    def is_finished(self) -> bool:
        """Say whether its model is saved."""
        return is_finished(self.folder)

    @property
    def seconds(self) -> Path:
        """Say where the seconds of a processor are noted, one line for each start."""
        return self.folder.with_suffix(".seconds")

    def train(self, text: Path) -> None:
        """Train by the command, or go on."""
        before = minutes()
        options = ["--max-steps", str(self.steps), "--seed", str(self.seed)]
        if self.kind in CHANGED:
            config, rate = self.folder.with_name(f"{self.kind}.json"), CHANGED[self.kind][1]
            config.write_text(json.dumps(CHANGED[self.kind][0]), encoding="utf-8")
            options += ["--config", str(config), "--learning-rate", rate]
        begun = (self.folder / "run.json").is_file()
        given = ["--resume"] if begun else [str(text), *OPTIONS, *options]
        status = pretrain([*given, "--out", str(self.folder)])
        note_seconds(self.seconds, before)
        if status:
            raise SystemExit(status)

    def told(self) -> dict[str, Any]:
        """Tell its seconds of a processor and its curve."""
        lines = (self.folder / "history.jsonl").read_text(encoding="utf-8").splitlines()
        return {
            "kind": self.kind,
            "updates": self.steps,
            "seed": self.seed,
            "seconds": noted_seconds(self.seconds),
            "curve": curve([*map(json.loads, lines)]),
        }


def note_seconds(file: Path, before: float) -> None:
    """Note the seconds of a processor since the program had taken so many minutes."""
    with file.open("a", encoding="utf-8") as notes:
        notes.write(f"{60 * (minutes() - before):.0f}\n")


def noted_seconds(file: Path) -> int:
    """Add the seconds that all starts of a training have noted."""
    return sum(map(int, file.read_text(encoding="utf-8").split()))


def curve(history: Sequence[dict[str, Any]]) -> list[list[float]]:
    """Average the loss of the training, masked words alone, over equal stretches."""
    pieces = np.array_split([[h["step"], h["masked_lm_loss"]] for h in history], POINTS)
    return [[int(p[-1, 0]), round(float(p[:, 1].mean()), 3)] for p in pieces if len(p)]


def names_among(parts: KjvParts, tokenizer: WordPieceTokenizer) -> set[int]:
    """Find the pieces that are names: in mid-verse, nine of ten times with a capital letter."""
    capital, small = Counter(), Counter()
    for chapter in parts.train:
        for verse in chapter.verses:
            for before, word in zip(verse.split(), verse.split()[1:]):
                if before[-1].isalpha() or before[-1] == ",":
                    plain = word.strip(".,:;?!()'")
                    (capital if plain[:1].isupper() else small)[plain.lower()] += 1
    return {
        tokenizer.vocab[word]
        for word, count in capital.items()
        if word in tokenizer.vocab and count >= 9 * small[word]
    }


def kinds_of(
    places: Places, counts: CountingGuesser, names: set[int], tokenizer: WordPieceTokenizer
) -> dict[str, np.ndarray]:
    """Sort the places: all, hidden ones, and the hidden ones by what the truth is."""
    hidden = places.shown == tokenizer.mask_token_id
    frequent = np.isin(places.truth, np.argsort(-counts.frequencies)[:FREQUENT])
    is_name = np.isin(places.truth, [*names])
    seen = counts.chains[2][-1].seen(places.window) > 0
    near = places.window[:, [1, 2, 4, 5]]
    gap = (near == tokenizer.mask_token_id).any(axis=1)
    return {
        "all": np.ones_like(hidden),
        "not hidden": ~hidden,
        "hidden": hidden,
        "four neighbors seen in training": hidden & seen,
        "four neighbors never seen": hidden & ~seen & ~gap,
        "one of the four hidden, too": hidden & gap,
        "frequent pieces": hidden & frequent,
        "names": hidden & is_name,
        "other pieces": hidden & ~frequent & ~is_name,
    }


def by_chapter(values: np.ndarray, chapters: np.ndarray, count: int) -> list[float]:
    """Sum values chapter by chapter."""
    return [round(float(x), 3) for x in np.bincount(chapters, values, count)]


def sums(
    losses: Float[np.ndarray, " places"], kinds: dict[str, np.ndarray], places: Places, count: int
) -> dict[str, list[float]]:
    """Sum losses by chapter, for each kind of place."""
    return {
        kind: by_chapter(losses[chosen], places.chapter[chosen], count)
        for kind, chosen in kinds.items()
    }


def of_pairs(losses: np.ndarray, asked: Sequence[Question], count: int) -> dict[str, list[float]]:
    """Sum over the pairs of each chapter: what was paid, and how many are right."""
    chapters = np.array([question.chapter for question in asked])
    right = losses < np.log(2)
    return {"loss": by_chapter(losses, chapters, count),
            "right": by_chapter(right, chapters, count)}  # fmt: skip


class Guessers:
    """All guessers, made once; the models are those of the runs."""

    def __init__(self, runs: Sequence[Run], parts: KjvParts) -> None:
        self.tokenizer = load_tokenizer(runs[0].folder)  # the same for all: of one text
        self.models = {
            run.name: load_pretrained(BertForPreTraining, run.folder).eval() for run in runs
        }
        tokenizer, tune = self.tokenizer, make_questions(parts.tune, self.tokenizer)
        rows = [tokenizer.encode(v)[1:-1] for chapter in parts.train for v in chapter.verses]
        self.counts = CountingGuesser(
            rows,
            vocab_size=tokenizer.vocab_size,
            edge=tokenizer.sep_token_id,
            mask_token_id=tokenizer.mask_token_id,
        )
        self.counts.tune(places_of(tune, tokenizer))
        self.shared = SharedWords(rows, tokenizer.vocab_size, tune)
        self.names = names_among(parts, tokenizer)

    def measure(self, chapters: Sequence) -> dict[str, Any]:
        """Ask all guessers all questions about some chapters."""
        asked, count = make_questions(chapters, self.tokenizer), len(chapters)
        places = places_of(asked, self.tokenizer)
        kinds = kinds_of(places, self.counts, self.names, self.tokenizer)
        uniform = np.full(len(places.truth), np.log(self.tokenizer.vocab_size))
        losses = {
            "uniform": uniform,
            "frequencies": -np.log(self.counts.frequencies[places.truth]),
            "counts": self.counts.losses(places),
            **{name: piece_losses(model, asked) for name, model in self.models.items()},
        }
        coin = np.full(len(asked), np.log(2))
        pairs = {
            "shared words": self.shared.losses(asked),
            **{name: pair_losses(model, asked) for name, model in self.models.items()},
        }
        verses = [verse for chapter in chapters for verse in chapter.verses]
        forms = form_questions(verses, self.tokenizer)
        return {
            "places": sums(np.ones(len(uniform)), kinds, places, count),
            "losses": {name: sums(paid, kinds, places, count) for name, paid in losses.items()},
            "pairs": of_pairs(coin, asked, count) | {"count": by_chapter(
                np.ones(len(asked)), np.array([q.chapter for q in asked]), count)},
            "next sentence": {name: of_pairs(paid, asked, count) for name, paid in pairs.items()},
            "forms": forms_right(forms, self.counts, self.models),
        }  # fmt: skip


def make_record(runs: Sequence[Run]) -> dict[str, Any]:
    """Ask the models of some runs, and put together what is known of them."""
    torch.set_num_threads(1)
    parts = kjv_parts()
    guessers = Guessers(runs, parts)
    return {
        "command": COMMAND,
        "text": {name: described(part) for name, part in parts._asdict().items()},
        "options": " ".join(OPTIONS),
        "changed": {kind: {"rate": rate, **sizes} for kind, (sizes, rate) in CHANGED.items()},
        "pieces": guessers.tokenizer.vocab_size,
        "powers": [round(float(power), 3) for power in guessers.counts.powers],
        "runs": {
            run.name: {"parameters": parameters_of(guessers.models[run.name]), **run.told()}
            for run in runs
        },
        "tests": {name: guessers.measure(getattr(parts, name)) for name in TESTS},
        "forms": [list(pair) for pair in FORMS],
        "answers": {s: answers_of(s, guessers) for s in SENTENCES},
        "senses": {
            name: {word: nearest_of_same_sense(word, m, guessers.tokenizer) for word in SENSES}
            for name, m in guessers.models.items()
        },
    }


def parameters_of(model: BertForPreTraining) -> int:
    """Count the parameters of a model."""
    return sum(parameter.numel() for parameter in model.parameters())


def answers_of(sentence: str, guessers: Guessers) -> dict[str, list]:
    """List the first answers of the counts and of every model."""
    batch = guessers.tokenizer(sentence)
    return {
        "counts": counted_answers(batch, guessers.counts, guessers.tokenizer),
        **{
            name: first_answers(batch, m, guessers.tokenizer) for name, m in guessers.models.items()
        },
    }


def described(chapters: Iterable) -> dict[str, int]:
    """Count the chapters and verses of a part."""
    verses = [len(chapter.verses) for chapter in chapters]
    return {"chapters": len(verses), "verses": sum(verses)}


def show(record: dict[str, Any]) -> None:
    """Print what each guesser pays for a piece."""
    for name, test in record["tests"].items():
        for guesser, kinds in test["losses"].items():
            mean = sum(kinds["all"]) / sum(test["places"]["all"])
            print(f"{name:9} {mean:.3f}  {guesser}", flush=True)


def main() -> None:
    """Train, measure after each run, and record if that is asked for."""
    parser = argparse.ArgumentParser(description="Train on a real book, and compare with counts.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--runs", type=Path, default=FOLDER, help="folder of the runs")
    parser.add_argument("--finished", action="store_true", help="train no further")
    arguments = parser.parse_args()
    arguments.runs.mkdir(parents=True, exist_ok=True)
    text = arguments.runs / "train.txt"
    if not text.is_file():
        text.write_text(as_documents(kjv_parts().train), encoding="utf-8")
    runs = [Run(*run, arguments.runs / "-".join(map(str, run)).replace(" ", "-")) for run in RUNS]
    for run in runs:
        if not (run.is_finished or arguments.finished):
            run.train(text)
    before = minutes()
    record = make_record([run for run in runs if run.is_finished])
    trained = sum(run["seconds"] for run in record["runs"].values()) / 60
    record["origin"] = origin(COMMAND, before - trained)
    show(record)
    if arguments.record:
        RECORD.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
