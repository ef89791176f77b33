"""Time the tokenizer against transformers' and tokenizers', both written in Rust, and count pieces.

``python -m benchmarks.tokenizer`` prints two tables, in about two minutes. Every round runs each
candidate once, one after the other, and a ratio compares two runs of the same round. Give the
path of a vocab.txt to encode with a real vocabulary; without one a learned vocabulary is used.
"""

import argparse
import os
import random
import statistics
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics

os.environ.update({"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})

import tokenizers
import transformers
from tokenizers import BertWordPieceTokenizer

from minibert.fast import fast_parts
from minibert.parts import override
from minibert.text import split_words
from minibert.wordpiece import WordPieceTokenizer

ROUNDS, TRAINING_ROUNDS = 9, 3
CHARACTERS = 1_000_000
SIZES = (1000, 4000, 8192)


def prose() -> list[str]:
    """Return English prose that every Python brings along: the help on its own language."""
    return [" ".join(part.split()) for text in topics.values() for part in text.split("\n\n")]


def invent_words(number: int, rng: random.Random) -> list[str]:
    """Make up different words whose letters follow one another as in English."""
    follows = defaultdict(list)
    for word in (w for text in prose() for w in split_words(text) if w.isalpha() and w.isascii()):
        for i, letter in enumerate(word + "."):
            follows[word[max(i - 2, 0) : i]].append(letter)
    words: dict[str, None] = {}
    while len(words) < number:
        word = ""
        while (letter := rng.choice(follows[word[-2:]])) != ".":
            word += letter
        words[word] = None
    return list(words)


def invent_texts(rng: random.Random) -> list[str]:
    """Write sentences of made-up words; a few words are frequent, most are rare."""
    words = invent_words(25_000, rng)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    texts, length = [], 0
    while length < CHARACTERS:
        sentence = rng.choices(words, weights, k=rng.randint(5, 25))
        sentence[rng.randrange(len(sentence))] += rng.choice([",", ";", "'s", " -", ""])
        texts.append(" ".join(sentence).capitalize() + rng.choice([".", ".", "?", "!"]))
        length += len(texts[-1]) + 1
    return texts


def seconds(work: Callable) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def race(candidates: dict[str, Callable], rounds: int) -> dict[str, list[float]]:
    """Run all candidates in turn, round by round; return the seconds of each."""
    times = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, work in candidates.items():
            times[name].append(seconds(work))
    return times


def print_speeds(title: str, times: dict[str, list[float]], units: int, unit: str) -> None:
    """Print speeds relative to the first candidate: median, smallest and largest ratio."""
    first = next(iter(times.values()))
    print(f"\n{title}")
    for name, values in times.items():
        ratios = [a / b for a, b in zip(first, values, strict=True)]
        speed = units / statistics.median(values) / 1000
        spread = f"[{min(ratios):.2f}, {max(ratios):.2f}]"
        print(f"  {name:38} {statistics.median(ratios):6.2f} {spread:14} {speed:8.0f} k {unit}/s")


def compare_encoding(name: str, texts: list[str], vocab_path: str) -> None:
    """Encode the same texts everywhere, check that ids agree, and time it."""
    theirs = transformers.BertTokenizer(vocab=vocab_path)
    warm = WordPieceTokenizer.load(vocab_path)
    assert [warm.encode(t) for t in texts] == [e.ids for e in theirs._tokenizer.encode_batch(texts)]

    def encode_cold() -> list[list[int]]:
        warm._word_ids.clear()
        return [warm.encode(text) for text in texts]

    times = race(
        {
            "tokenizers, encode_batch, 1 thread": lambda: theirs._tokenizer.encode_batch(texts),
            "transformers, the call": lambda: theirs(texts),
            "minibert, nothing remembered": encode_cold,
            "minibert, warm": lambda: [warm.encode(text) for text in texts],
        },
        ROUNDS,
    )
    words = sum(len(text.split()) for text in texts)
    kind = f"vocabulary of {warm.vocab_size}"
    print_speeds(f"Encoding {name}, {words} words, {kind}: same ids", times, words, "words")


def train_theirs(texts: list[str], size: int) -> list[str]:
    """Train with the tokenizers library, which glues the most frequent pair."""
    trainer = BertWordPieceTokenizer()
    trainer.train_from_iterator(texts, vocab_size=size, min_frequency=2, show_progress=False)
    vocab = trainer.get_vocab()
    return sorted(vocab, key=vocab.get)


def pieces_per_word(pieces: list[str], texts: list[str]) -> float:
    """Count how many pieces a word takes on average with a vocabulary."""
    tokenizer = WordPieceTokenizer(pieces)
    words = Counter(word for text in texts for word in split_words(text))
    total = sum(count * len(tokenizer.tokenize(word)) for word, count in words.items())
    return total / words.total()


def compare_training(name: str, texts: list[str]) -> None:
    """Learn vocabularies of several sizes from 9 texts of 10, and try them on the tenth."""
    unseen = texts[::10]
    seen = [text for number, text in enumerate(texts) if number % 10]
    for size in SIZES:
        learned: dict[str, list[str]] = {}

        def ours(size=size, learned=learned):
            learned["minibert"] = list(WordPieceTokenizer.train(seen, size).pieces)

        def theirs(size=size, learned=learned):
            learned["tokenizers"] = train_theirs(seen, size)

        times = race({"tokenizers, 1 thread": theirs, "minibert": ours}, TRAINING_ROUNDS)
        characters = sum(map(len, seen))
        print_speeds(f"Training on {name}, {size} pieces", times, characters, "characters")
        for peer, pieces in learned.items():
            print(
                f"  {peer:38} {len(pieces)} pieces, pieces per word "
                f"{pieces_per_word(pieces, seen):.4f}, unseen {pieces_per_word(pieces, unseen):.4f}"
            )


def main() -> None:
    """Run both comparisons on prose and on invented text."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vocab", nargs="?", help="a vocab.txt")
    given = parser.parse_args().vocab
    corpora = {"prose": prose(), "invented text": invent_texts(random.Random(6))}
    print(f"tokenizers {tokenizers.__version__}, transformers {transformers.__version__}")
    with override(fast_parts()), tempfile.TemporaryDirectory() as folder:
        for name, texts in corpora.items():
            path = given or str(Path(folder) / "vocab.txt")
            if not given:
                WordPieceTokenizer.train(texts, 8192).save(path)
            compare_encoding(name, texts, path)
            compare_training(name, texts)


if __name__ == "__main__":
    main()
