"""Train BERTs on the King James Bible with the package's own command, and compare them with counts.

``python -m benchmarks.english --record`` trains with three seeds, asks every guesser the same
questions about chapters and books that none has seen, and writes ``records/english.json``. A run
that is stopped goes on where it was when the command is given again. It takes some hours of a
processor, nearly all of them for the training; ``--runs FOLDER`` says where its runs are kept.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from benchmarks.records import minutes, origin
from bertbook.corpus.kjv.chapters import KjvParts, as_documents, kjv_parts
from bertbook.records import record_path
from bertbook.topics.english.counts import CountingGuesser
from bertbook.topics.english.forms import FORMS, form_questions, verbs_right
from bertbook.topics.english.guessing import answers, pair_losses, piece_losses
from bertbook.topics.english.questions import Places, Question, places_of, questions
from bertbook.topics.english.sharing import SharedWords
from berttools.pretrain.command import main as pretrain
from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

RECORD = record_path("english")
COMMAND = "python -m benchmarks.english --record"
SEEDS = (0, 1, 2)
STEPS = 20_000
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


def train(seed: int, folder: Path, text: Path) -> dict[str, Any]:
    """Train with one seed by the command, or go on; tell its seconds and its curve."""
    before, run = minutes(), folder / f"run-{seed}"
    given = ["--resume"] if (run / "run.json").is_file() else [str(text), *OPTIONS]
    options = [] if given == ["--resume"] else ["--max-steps", str(STEPS), "--seed", str(seed)]
    if status := pretrain([*given, *options, "--out", str(run)]):
        raise SystemExit(status)
    spent = folder / f"seconds-{seed}.txt"
    with spent.open("a", encoding="utf-8") as file:
        file.write(f"{60 * (minutes() - before):.0f}\n")
    seconds = sum(map(int, spent.read_text(encoding="utf-8").split()))
    lines = (run / "history.jsonl").read_text(encoding="utf-8").splitlines()
    return {"seed": seed, "seconds": seconds, "curve": curve([*map(json.loads, lines)])}


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
    return {
        "all": np.ones_like(hidden),
        "hidden": hidden,
        "four neighbors seen in training": hidden & seen,
        "four neighbors never seen": hidden & ~seen,
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

    def __init__(self, folder: Path, parts: KjvParts) -> None:
        self.folders = {f"BERT, seed {seed}": folder / f"run-{seed}" for seed in SEEDS}
        self.tokenizer = load_tokenizer(folder / f"run-{SEEDS[0]}")
        self.models = {
            name: load_pretrained(BertForPreTraining, run).eval()
            for name, run in self.folders.items()
        }
        tokenizer, tune = self.tokenizer, questions(parts.tune, self.tokenizer)
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
        asked, count = questions(chapters, self.tokenizer), len(chapters)
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
            "forms": verbs_right(forms, self.counts, self.models),
        }  # fmt: skip


def make_record(folder: Path) -> dict[str, Any]:
    """Train, ask and put together."""
    parts, text = kjv_parts(), folder / "train.txt"
    folder.mkdir(parents=True, exist_ok=True)
    if not text.is_file():
        text.write_text(as_documents(parts.train), encoding="utf-8")
    runs = [train(seed, folder, text) for seed in SEEDS]
    torch.set_num_threads(1)
    guessers = Guessers(folder, parts)
    first = guessers.models[f"BERT, seed {SEEDS[0]}"]
    return {
        "command": COMMAND,
        "text": {name: described(part) for name, part in parts._asdict().items()},
        "options": " ".join([*OPTIONS, "--max-steps", str(STEPS)]),
        "pieces": guessers.tokenizer.vocab_size,
        "parameters": sum(p.numel() for p in first.parameters()),
        "powers": [round(float(power), 3) for power in guessers.counts.powers],
        "runs": runs,
        "tests": {name: guessers.measure(getattr(parts, name)) for name in TESTS},
        "verbs": [list(pair) for pair in FORMS],
        "answers": {s: answers(s, first, guessers.counts, guessers.tokenizer) for s in SENTENCES},
    }


def described(chapters: Iterable) -> dict[str, int]:
    """Count the chapters and verses of a part."""
    verses = [len(chapter.verses) for chapter in chapters]
    return {"chapters": len(verses), "verses": sum(verses)}


def main() -> None:
    """Train, measure, and record if that is asked for."""
    parser = argparse.ArgumentParser(description="Train on a real book, and compare with counts.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--runs", type=Path, default=Path("build/english"), help="folder of runs")
    arguments = parser.parse_args()
    record = make_record(arguments.runs)
    spent = sum(run["seconds"] for run in record["runs"]) / 60
    record["origin"] = origin(COMMAND)
    record["origin"]["minutes"] = round(max(record["origin"]["minutes"], spent), 1)
    if arguments.record:
        text = json.dumps(record, ensure_ascii=False)
        RECORD.write_text(text + "\n", encoding="utf-8")
    for name, test in record["tests"].items():
        for guesser, kinds in test["losses"].items():
            mean = sum(kinds["all"]) / sum(test["places"]["all"])
            print(f"{name:9} {guesser:13} {mean:.3f}")


if __name__ == "__main__":
    main()
