"""What comes before the first step of ``benchmarks.ladder``: learning pieces, building a model.

The plain learner and the fast one make the same merges out of the same words. A model of plain
parts draws PyTorch's weights and then BERT's over them, one of fast parts only BERT's.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice

from minibert.config import BertConfig
from minibert.fast import fast_learn_merges, switch_on
from minibert.pretraining import BertForMaskedLM
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


def build_fast() -> BertForMaskedLM:
    """Build the model of the ladder out of fast parts."""
    with switch_on():
        return BertForMaskedLM(BertConfig.mini(vocab_size=8192))


def before_rows(clock: Callable[[], float], rounds: int) -> dict:
    """Measure both pairs."""
    words = some_words()
    if learn(learn_merges, words) != learn(fast_learn_merges, words):
        raise ValueError("the two learners make different merges")
    runs = {
        "pieces, plain": lambda: learn(learn_merges, words),
        "pieces, fast": lambda: learn(fast_learn_merges, words),
        "model, plain": lambda: BertForMaskedLM(BertConfig.mini(vocab_size=8192)),
        "model, fast": build_fast,
    }
    times = measure(runs, 0, rounds, clock)
    for name in ("pieces", "model"):
        print(name, spread(times[f"{name}, plain"], times[f"{name}, fast"]), flush=True)
    seconds = {name: [round(each, 5) for each in found] for name, found in times.items()}
    return {"characters": CHARACTERS, "merges": MERGES, "seconds": seconds}
