"""What the program published with BERT's paper does with its rows, written small and anew."""

import random
from collections.abc import Callable

from torch import Tensor

MASKED_SHARE, MOST, TRIES = 0.15, 20, 10
NEVER_CHOSEN = ("[CLS]", "[SEP]")


def corrupt(tokens: list[str], words: list[str], rng: random.Random) -> dict[int, str]:
    """Choose as many tokens as the row's length demands; return what stands there afterwards."""
    number = min(MOST, max(1, round(MASKED_SHARE * len(tokens))))
    places = [place for place, token in enumerate(tokens) if token not in NEVER_CHOSEN]
    return {place: _fate(tokens[place], words, rng) for place in rng.sample(places, number)}


def _fate(token: str, words: list[str], rng: random.Random) -> str:
    if rng.random() < 0.8:
        return "[MASK]"
    return token if rng.random() < 0.5 else rng.choice(words)


def draw_partner(
    documents: list[list[str]], number: int, stretch: list[str], rng: random.Random
) -> tuple[str, bool]:
    """Draw what follows the first sentence of a stretch, and say whether it was drawn at random."""
    if len(stretch) > 1 and rng.random() >= 0.5:
        return stretch[1], False
    for _ in range(TRIES):
        other = rng.randrange(len(documents))
        if other != number:
            break
    return rng.choice(documents[other]), True


def masked_logits(states: Tensor, positions: Tensor, head: Callable[[Tensor], Tensor]) -> Tensor:
    """Take the vectors of some positions of each row first, and make logits for these alone."""
    batch, seq, hidden = states.shape
    flat = [row * seq + position for row in range(batch) for position in positions[row].tolist()]
    return head(states.reshape(batch * seq, hidden)[flat])
