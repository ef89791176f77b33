"""How words are hidden from a guesser, and how well each explains what is seen. Chapter 14."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from bertbook.corpus.toy.ladder import MASK_TOKEN

from .grammar import untagged

STRANGER = "[STRANGER]"  # a random piece that is no word of the world


class MaskingNoise(NamedTuple):
    """The masking of pre-training for words: each is chosen independently, as in `corrupt_tokens`.

    Args:
        random_words: Number of words and pieces from which a random one is drawn, the world's words
            included.
        chosen: Chance of a word to be chosen.
        masked, random: Shares of the chosen words that are shown as [MASK], and as a random word.
            The rest stays.

    Source: Devlin et al. (2019), section 3.1, task 1.

    >>> MaskingNoise(random_words=1000).chosen
    0.15
    """

    random_words: int
    chosen: float = 0.15
    masked: float = 0.8
    random: float = 0.1


def hide_words(
    words: Sequence[str], noise: MaskingNoise, known: Sequence[str], *, rng: np.random.Generator
) -> tuple[list[str], Bool[np.ndarray, " words"]]:
    """Mask a sentence, as pre-training does, and return which words were chosen.

    ``[STRANGER]`` stands for a random piece that is no word of the world.
    """
    if noise.random_words < len(known):
        raise ValueError(
            f"random_words is {noise.random_words}, but the world has "
            f"{len(known)}; give at least as many"
        )
    chosen = rng.random(len(words)) < noise.chosen
    fates = rng.random(len(words))
    strangers = [STRANGER] * (noise.random_words - len(known))
    drawn = [[*known, *strangers][n] for n in rng.integers(noise.random_words, size=len(words))]
    seen = [
        word if not hit or fate >= noise.masked + noise.random
        else MASK_TOKEN if fate < noise.masked
        else stray
        for word, hit, fate, stray in zip(words, chosen, fates, drawn, strict=True)
    ]  # fmt: skip
    return seen, chosen


def likelihoods(
    seen: Sequence[Sequence[str]], words: Sequence[str], noise: MaskingNoise | None = None
) -> tuple[Float[np.ndarray, "batch positions words"], Float[np.ndarray, "batch positions words"]]:
    """Compute the likelihood of what is seen at each place, for each true word.

    Without noise a word that is seen is true: 1 for it, 0 for all others. With noise it is
    ``(1 - chosen) [seen = word] + chosen * p(seen | word, chosen)``. A [MASK] gives all words 1.
    """
    shown = [untagged(word) for word in words]
    if noise is None:
        if strange := {word for text in seen for word in text} - {*shown, MASK_TOKEN}:
            raise ValueError(
                f"{min(strange)!r} is none of the {len(words)} words of this world; hide it behind "
                f"{MASK_TOKEN}, or take another"
            )
        noise = MaskingNoise(random_words=1, chosen=0.0)
        if_chosen = (1.0, 0.0)
    else:
        kept = 1 - noise.masked - noise.random
        if_chosen = (noise.random / noise.random_words, kept)
    always = (noise.chosen * if_chosen[0], 1 - noise.chosen + noise.chosen * if_chosen[1])
    hidden = np.array(seen)[..., None] == MASK_TOKEN
    same = np.array(seen)[..., None] == np.array(shown)
    always, if_chosen = (
        np.where(hidden, 1.0, base + hit * same) for base, hit in (always, if_chosen)
    )
    return always, if_chosen
