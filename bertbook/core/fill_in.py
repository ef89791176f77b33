"""Sentences of the small world: a model's answers in the page, beside the best possible ones.

Chapters 11, 12, 14 and 20.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np
from jaxtyping import Float

from bertbook.corpus import Oracle, small_world

from .html import Html
from .live import live_figure

SHOWN = 5
STYLE = ".mb-unknown{text-decoration:underline wavy #c8681e}"


def fill_in(
    pairs: Sequence[tuple[str, str]],
    folder: str | Path,
    *,
    caption: str,
    silence: bool = False,
) -> Html:
    """Show sentences in which a reader hides any word, and what a model and the oracle say.

    The oracle's answers, ``p(word | the rest of the pair)``, are computed now; the model's in the
    page, which loads its weights when it is asked to.

    Args:
        pairs: Pairs of sentences of the small world; stars mark the word that is hidden at first,
            as in ``("anna kicks the blue ball over the wall", "a small dog finds the *blue* ball
            …")``.
        folder: A trained model in Hugging Face's layout. The pages of the book have the one in
            ``records/small-world``; in Jupyter any folder will do.
        caption: What to try and what to watch.
        silence: Whether a reader may silence heads, and see the answers move.

    Returns:
        A displayable figure; without a script it shows the best possible answers.

    Raises:
        ValueError: If a pair has no starred word or several, or the small world never tells it.
    """
    texts, words = told_at_best(pairs)
    stage = f'<div class="mb-stage">{_first_state(texts[0])}</div>'
    given = {"model": Path(folder).name, "texts": texts, "silence": silence, "words": words}
    return live_figure("fill-in-the-blank", stage, given, caption, folder, STYLE)


def told_at_best(pairs: Sequence[tuple[str, str]]) -> tuple[list[dict], str]:
    """Split starred pairs into texts with the best possible answers; name all words there are."""
    texts = [_without_stars(pair) for pair in pairs]
    oracle = Oracle(small_world())
    known = oracle.read([(" ".join(first), " ".join(second)) for (first, second), _ in texts]).words
    data = [
        {
            "sentences": sentences,
            "hidden": hidden,
            "best": [_likely(row, oracle.words) for row in chances],
        }
        for (sentences, hidden), chances in zip(texts, known, strict=True)
    ]
    return data, " ".join(oracle.words)


def next_sentence(
    pairs: Mapping[str, tuple[str, str]], folder: str | Path, *, caption: str
) -> Html:
    """Show pairs of sentences, and whether the second follows: for a model and for the oracle.

    Both answers to these pairs are computed now; those to what a reader types, in the page.

    Args:
        pairs: Pairs of sentences that the small world tells, under the short names that a list
            shows.
        folder: A trained model in Hugging Face's layout, as for :func:`fill_in`; it needs the head.
        caption: What to try and what to watch.

    Returns:
        A displayable figure; before a click it shows what both say of the first pair.

    Raises:
        ValueError: If the small world never tells one of the pairs.
    """
    from .watching import Watched  # PyTorch takes seconds to load, and most chapters do without

    best, watched = Oracle(small_world()).read([*pairs.values()]).is_next, Watched(folder)
    data = [
        [*pair, round(float(prob), 4), round(watched.is_next(*pair), 4)]
        for pair, prob in zip(pairs.values(), best, strict=True)
    ]
    first, second, at_best, by_model = data[0]
    rows = "".join(
        f'<tr><th scope="row">{name}</th><td>{prob:.2f}</td></tr>'
        for name, prob in (("the model", by_model), ("who knows the world", at_best))
    )
    stage = (
        f'<div class="mb-stage"><p>{escape(first)} | {escape(second)}</p>'
        f'<table class="mb-table">{rows}</table></div>'
    )
    given = {"model": Path(folder).name, "names": [*pairs], "pairs": data}
    return live_figure("next-sentence", stage, given, caption, folder)


def _without_stars(pair: tuple[str, str]) -> tuple[list[list[str]], int]:
    """Split a pair into words, and find the starred one."""
    words = [word for sentence in pair for word in sentence.split()]
    starred = [number for number, word in enumerate(words) if word.startswith("*")]
    if len(starred) != 1:
        raise ValueError(
            f"{' | '.join(pair)!r} has {len(starred)} starred words; put stars around the one that "
            "is hidden at first, as in *blue*"
        )
    return [sentence.replace("*", "").split() for sentence in pair], starred[0]


def _likely(
    chances: Float[np.ndarray, " words"], words: tuple[str, ...]
) -> list[tuple[str, float]]:
    """Name the likeliest words of a place."""
    order = np.argsort(-chances, kind="stable")[:SHOWN]
    return [(words[n], round(float(chances[n]), 4)) for n in order if chances[n] >= 0.0005]


def _blanked(text: dict) -> list[str]:
    """Write the sentences of a text with [MASK] in the place of the hidden word."""
    words = [word for sentence in text["sentences"] for word in sentence]
    words[text["hidden"]] = "[MASK]"
    first = len(text["sentences"][0])
    return [" ".join(words[:first]), " ".join(words[first:])]


def stored_answer(folder: str | Path, text: dict) -> dict:
    """Ask the model for the hidden word as the page does: what it says, and where it looked."""
    from .watching import Watched

    watched, given = Watched(folder), "|".join(_blanked(text))
    probs = watched.answers(given)
    truth = [word for sentence in text["sentences"] for word in sentence][text["hidden"]]
    likely = _likely(np.array([*probs.values()]), tuple(probs))
    words = dict([*likely, *text["best"][text["hidden"]], (truth, 1)])
    answers = [(word, round(probs[word], 4)) for word in words if word in probs]
    names, maps = watched.maps(given)
    place = names.index("[MASK]")
    weights: list[float] = []
    for name, weight in zip(names, maps[-1, :, place].mean(0).tolist(), strict=True):
        if name.startswith("##"):
            weights[-1] += weight
        elif name not in ("[CLS]", "[SEP]"):
            weights.append(weight)
    return {
        "answers": sorted(answers, key=lambda one: -one[1]),
        "weights": [round(weight, 4) for weight in weights],
    }


def _first_state(text: dict) -> str:
    """Draw the first sentence and what is known about it, for pages without a script."""
    rows = "".join(
        f'<tr><th scope="row">{escape(word)}</th><td>{prob:.2f}</td></tr>'
        for word, prob in text["best"][text["hidden"]]
    )
    heads = '<th scope="col">word</th><th scope="col">at best</th>'
    table = f'<table class="mb-table"><thead><tr>{heads}</tr></thead>{rows}</table>'
    return f"<p>{escape(' '.join(_blanked(text)))}</p>{table}"
