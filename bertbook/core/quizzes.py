"""Questions with a reply for every answer, and flashcards; neither needs a script. Chapter 1."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from minibert.text_files import packed_text

from .html import KEEP_KEYS, Html, key_of

QUIZ_STYLE = packed_text("bertbook/core/static/quiz.css")
CARD_STYLE = packed_text("bertbook/core/static/cards.css")


class Answer(NamedTuple):
    """One answer of a quiz question.

    Args:
        text: What the reader chooses.
        reply: The reply: why it is right, or what is behind the mistake.
        is_right: Whether it is right.
    """

    text: str
    reply: str
    is_right: bool


def right(text: str, reply: str) -> Answer:
    """Make a right answer for `choice`.

    Args:
        text, reply: The answer, and what to say to those who choose it.

    Returns:
        An answer that is right.

    >>> right("Two", "Yes: one for each token.").is_right
    True
    """
    return Answer(text, reply, True)


def wrong(text: str, reply: str) -> Answer:
    """Make a wrong answer for `choice`.

    Args:
        text, reply: The answer, and what to say to those who choose it.

    Returns:
        An answer that is wrong.

    >>> wrong("One", "There are two tokens.").is_right
    False
    """
    return Answer(text, reply, False)


def choice(question: str, *answers: Answer) -> Html:
    """Draw `questions.quiz`: one question, and a reply to each answer, one of which is right."""
    require_answers(question, answers)
    key = key_of(question)
    options = "".join(option(key, answer) for answer in answers)
    content = (
        f'<fieldset class="mb-quiz" {KEEP_KEYS}><legend>{escape(question)}</legend>'
        f"{options}</fieldset>"
    )
    return Html(content, summary=question, style=QUIZ_STYLE)


def require_answers(question: str, answers: Sequence[Answer]) -> None:
    """Refuse a question that nobody can answer, or that does not reply to everybody."""
    rights = sum(answer.is_right for answer in answers)
    if rights != 1 or len(answers) < 2:
        raise ValueError(
            f"the question {question!r} has {rights} right of {len(answers)} answers; "
            "it needs exactly one right and at least one wrong"
        )
    if not all(answer.reply.strip() for answer in answers):
        raise ValueError(f"an answer to {question!r} has no reply; every answer needs one")


def option(key: str, answer: Answer, tag: str = "span") -> str:
    """Write one answer with its reply, which a screen reader announces when it appears.

    The reply is hidden by itself: of a notebook that JupyterLab does not trust, it drops the style,
    and attributes that are empty.
    """
    kind, word = ("mb-right", "Right.") if answer.is_right else ("mb-wrong", "Not this one.")
    return (
        f'<div class="mb-option"><label><input type="radio" name="{key}"/>'
        f"<{tag}>{escape(answer.text)}</{tag}></label>"
        f'<div aria-live="polite"><p class="{kind}" hidden="hidden"><strong>{word}</strong> '
        f"{escape(answer.reply)}</p></div></div>"
    )


def deck(*cards: tuple[str, str]) -> Html:
    """Draw `questions.flashcards`: cards whose back opens with a click or with Enter."""
    if not cards or not all(side.strip() for card in cards for side in card):
        raise ValueError("flashcards need at least one card, and text on both sides of each")
    sides = "".join(
        f"<details><summary>{escape(front)}</summary><p>{escape(back)}</p></details>"
        for front, back in cards
    )
    summary = f"{len(cards)} flashcards"
    content = f'<div class="mb-cards" {KEEP_KEYS}>{sides}</div>'
    return Html(content, summary=summary, style=CARD_STYLE)
