"""Questions with a reply for every answer, and flashcards; neither needs a script. Chapter 1."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from .html import KEEP_KEYS, Html, key_of

QUIZ_STYLE = """
.mb-quiz{border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));border-radius:8px;\
padding:1em;margin:1em 0}
.mb-quiz legend{float:left;width:100%;font-size:1em;font-weight:600;margin:0 0 .6em;padding:0}
.mb-quiz legend+*{clear:both}
.mb-option{margin:.2em 0}
.mb-option label{display:flex;gap:.6em;align-items:baseline;padding:.3em 0;margin:0;cursor:pointer}
.mb-option p{display:none;margin:.1em 0 .6em 1.6em;padding-left:.8em;border-left:3px solid}
.mb-option p.mb-right{border-color:#2a8f5b}
.mb-option p.mb-wrong{border-color:#c8681e}
.mb-option:has(input:checked) p{display:block}
"""

CARD_STYLE = """
.mb-cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15em,1fr));gap:.7em;\
margin:1em 0;align-items:start}
.mb-cards details{border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));\
border-radius:8px;padding:.7em .9em;margin:0}
.mb-cards summary{cursor:pointer;font-weight:600}
.mb-cards p{margin:.6em 0 0}
"""


class Answer(NamedTuple):
    """One answer of a quiz question.

    Parameters
    ----------
    text : str
        What the reader chooses.
    reply : str
        The reply: why it is right, or what is behind the mistake.
    is_right : bool
        Whether it is right.
    """

    text: str
    reply: str
    is_right: bool


def right(text: str, reply: str) -> Answer:
    """Make a right answer for :func:`quiz`.

    Parameters
    ----------
    text, reply : str
        The answer, and what to say to those who choose it.

    Returns
    -------
    Answer
        An answer that is right.
    """
    return Answer(text, reply, True)


def wrong(text: str, reply: str) -> Answer:
    """Make a wrong answer for :func:`quiz`.

    Parameters
    ----------
    text, reply : str
        The answer, and what to say to those who choose it.

    Returns
    -------
    Answer
        An answer that is wrong.
    """
    return Answer(text, reply, False)


def quiz(question: str, *answers: Answer) -> Html:
    """Ask one question; choosing an answer shows its reply.

    Parameters
    ----------
    question : str
        The question, plain text.
    *answers : Answer
        Made with :func:`right` and :func:`wrong`, in the order shown.

    Returns
    -------
    Html
        A displayable question.

    Raises
    ------
    ValueError
        If there is not exactly one right answer, or no wrong one, or a reply is missing.
    """
    rights = sum(answer.is_right for answer in answers)
    if rights != 1 or len(answers) < 2:
        raise ValueError(
            f"the question {question!r} has {rights} right of {len(answers)} answers; "
            "it needs exactly one right and at least one wrong"
        )
    if not all(answer.reply.strip() for answer in answers):
        raise ValueError(f"an answer to {question!r} has no reply; every answer needs one")
    key = key_of(question)
    options = "".join(option(key, answer) for answer in answers)
    content = (
        f'<fieldset class="mb-quiz" {KEEP_KEYS}><legend>{escape(question)}</legend>'
        f"{options}</fieldset>"
    )
    return Html(content, summary=question, style=QUIZ_STYLE)


def option(key: str, answer: Answer, tag: str = "span") -> str:
    """Write one answer with its reply, which a screen reader announces when it appears."""
    kind, word = ("mb-right", "Right.") if answer.is_right else ("mb-wrong", "Not this one.")
    return (
        f'<div class="mb-option"><label><input type="radio" name="{key}"/>'
        f"<{tag}>{escape(answer.text)}</{tag}></label>"
        f'<div aria-live="polite"><p class="{kind}"><strong>{word}</strong> '
        f"{escape(answer.reply)}</p></div></div>"
    )


def flashcards(*cards: tuple[str, str]) -> Html:
    """Lay out cards whose back opens with a click or with Enter.

    Parameters
    ----------
    *cards : pair of str
        Front and back of each card, plain text.

    Returns
    -------
    Html
        Displayable cards.

    Raises
    ------
    ValueError
        If a side is empty or there is no card.
    """
    if not cards or not all(side.strip() for card in cards for side in card):
        raise ValueError("flashcards need at least one card, and text on both sides of each")
    sides = "".join(
        f"<details><summary>{escape(front)}</summary><p>{escape(back)}</p></details>"
        for front, back in cards
    )
    summary = f"{len(cards)} flashcards"
    content = f'<div class="mb-cards" {KEEP_KEYS}>{sides}</div>'
    return Html(content, summary=summary, style=CARD_STYLE)
