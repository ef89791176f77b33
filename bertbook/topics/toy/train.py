"""The toy BERT learns in the page, between the ladder and the floor. Chapter 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bertbook.core.html import Html, bars
from bertbook.core.live import live_figure
from bertbook.core.palette import PALETTE
from bertbook.corpus import hundred_sentences, masked_word_ladder


def train_toy(
    queries: Sequence[str],
    *,
    caption: str,
    groups: Mapping[str, str] | None = None,
    record: Mapping[str, Sequence[float]] | None = None,
) -> Html:
    """Show a figure in which the toy BERT of Chapter 5 learns while one watches.

    The page computes: forward, every gradient by hand, Adam. Nothing is loaded, no kernel is asked.
    It trains as `train_in_batches` does, with positions or without, and without dropout. A reader
    can ask a question of her own, of words that the hundred sentences have.

    Args:
        queries: Questions with one ``[MASK]``, of words that the hundred sentences have.
        caption: What to try and what to watch.
        groups: Words, with spaces between them, by the name of their group: their vectors are drawn
            on a map while they learn.
        record: Losses of earlier trainings, from first to last: they lie below the reader's, pale,
            the second one dashed.

    Returns:
        A displayable figure; without a script it shows the ladder.

    Raises:
        ValueError: If a question has no ``[MASK]`` or several.
    """
    for query in queries:
        if query.split().count("[MASK]") != 1:
            raise ValueError(f"{query!r} has {query.split().count('[MASK]')} [MASK]; write one")
    sentences = hundred_sentences()
    ladder = masked_word_ladder(sentences)
    lines = {name: getattr(ladder, name) for name in ("uniform", "unigram", "neighbors", "bag")}
    lines["floor"] = ladder.full
    stage = bars(list(lines), list(lines.values()), digits=3, largest=ladder.uniform)
    colored = [
        {"name": name, "color": color, "members": members.split()}
        for (name, members), color in zip((groups or {}).items(), PALETTE)
    ]
    data = {"sentences": sentences, "queries": list(queries), "ladder": lines, "groups": colored}
    data["record"] = {
        name: [round(x, 4) for x in losses] for name, losses in (record or {}).items()
    }
    return live_figure("train-the-toy", f'<div class="mb-stage">{stage}</div>', data, caption)
