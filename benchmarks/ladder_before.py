"""What comes before the first step of ``benchmarks.ladder``: learning pieces.

The plain learner and the fast one make the same merges out of the same words.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice

from minibert.fast import fast_learn_merges
from minibert.text import split_words
from minibert.wordpiece import learn_merges

from .encoder import measure, spread
from .tokenizer import prose

CHARACTERS, MERGES = 100_000, 300


def some_words() -> Counter[str]:
    """Count the words at the beginning of Python's own documentation."""
    return Counter(split_words(" ".join(prose())[:CHARACTERS].lower()))


def learn(learner: Callable, words: Mapping[str, int]) -> list:
    """Make the first merges."""
    return list(islice(learner(words), MERGES))


def before_rows(clock: Callable[[], float], rounds: int) -> dict:
    """Measure both learners."""
    words = some_words()
    if learn(learn_merges, words) != learn(fast_learn_merges, words):
        raise ValueError("the two learners make different merges")
    runs = {
        "pieces, plain": lambda: learn(learn_merges, words),
        "pieces, fast": lambda: learn(fast_learn_merges, words),
    }
    times = measure(runs, 0, rounds, clock)
    print("pieces", spread(times["pieces, plain"], times["pieces, fast"]), flush=True)
    seconds = {name: [round(each, 5) for each in spent] for name, spent in times.items()}
    return {"characters": CHARACTERS, "merges": MERGES, "seconds": seconds}
