"""A game against a model: hidden answers, turns, and everybody's score. Chapters 11 and 12."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from minibert.text_files import packed_text

from .html import KEEP_KEYS, Html, key_of

GAME_STYLE = packed_text("bertbook/core/static/game.css")

# One turn is shown at a time. Whoever answers sees who was right, and all scores so far.
SCRIPT = packed_text("bertbook/core/static/game.js")


class Turn(NamedTuple):
    """One turn of a `game`.

    Args:
        prompt: What is asked; a new line begins a new line.
        options: What can be answered, two or more.
        right: Which option is right, from 0.
        others: Which option each of the other players takes. Of several that are equally good a
            player can only guess, and gets what guessing earns on average: 1/k if one of the k is
            right.
        why: What to say when the answer is there.
    """

    prompt: str
    options: Sequence[str]
    right: int
    others: Sequence[int | Sequence[int]]
    why: str = ""


def game(turns: Sequence[Turn], players: Sequence[str], *, caption: str) -> Html:
    """Let the reader play against others, one turn after the other; nothing is remembered.

    Args:
        turns: In the order of playing.
        players: Names of the others.
        caption: Text below: what to compare in the end.

    Returns:
        A displayable game. Without a script all turns are shown, and a fold with the answers.

    Raises:
        ValueError: If there is no turn, or one has no right option, or not one answer for each
            player.
    """
    if not turns:
        raise ValueError("a game needs at least one turn")
    for turn in turns:
        _require_whole(turn, players)
    key = key_of(repr((turns, caption)))
    scores = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>–</td></tr>' for name in ("you", *players)
    )
    answers = "; ".join(escape(turn.options[turn.right]) for turn in turns)
    content = (
        f'<figure class="mb-figure mb-game" {KEEP_KEYS} data-mb="{key}">'
        f"{''.join(map(_turn, turns))}"
        '<p class="mb-says" aria-live="polite"></p>'
        '<button type="button" class="mb-next" hidden>Next</button>'
        f"<table>{scores}</table>"
        f"<details><summary>The right answers, in turn</summary><p>{answers}.</p></details>"
        f"<figcaption>{escape(caption)}</figcaption></figure>\n<script>\n"
        f"{SCRIPT.replace('KEY', key)}</script>"
    )
    return Html(content, summary=caption, style=GAME_STYLE)


def _require_whole(turn: Turn, players: Sequence[str]) -> None:
    count = len(turn.options)
    named = (option for options in _taken(turn) for option in options)
    if not all(0 <= option < count for option in (turn.right, *named)):
        raise ValueError(f"{turn.prompt!r} has {count} options, counted from 0; one is not there")
    if len(turn.others) != len(players):
        raise ValueError(
            f"{turn.prompt!r} has {len(turn.others)} answers of others; the players are "
            f"{', '.join(players)}"
        )


def _taken(turn: Turn) -> list[list[int]]:
    """List the options that each of the others takes: one, or several to guess among."""
    return [[taken] if isinstance(taken, int) else [*taken] for taken in turn.others]


def _turn(turn: Turn) -> str:
    """Write one turn; its answers stand in the page's source, and nowhere else."""
    buttons = "".join(
        f'<button type="button" data-k="{k}">{escape(option)}</button>'
        for k, option in enumerate(turn.options)
    )
    return (
        f'<fieldset class="mb-turn" data-right="{turn.right}" data-others="{_taken(turn)}" '
        f'data-why="{escape(turn.why)}"><legend>{escape(turn.prompt)}</legend>{buttons}</fieldset>'
    )
