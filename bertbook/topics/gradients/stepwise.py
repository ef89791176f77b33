"""A drawing that fills step by step, where each step is asked for before it is shown. Chapter 4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from bertbook.core.html import KEEP_KEYS, STYLE, Html, key_of
from bertbook.core.quizzes import QUIZ_STYLE, Answer, option, require_answers
from minibert.text_files import packed_text

STEPWISE_STYLE = STYLE + QUIZ_STYLE + packed_text("bertbook/core/static/stepwise.css")

# One question is there at a time, and of the drawing only what has been answered.
SCRIPT = packed_text("bertbook/core/static/stepwise.js")


def stepwise(
    drawing: str, questions: Sequence[tuple[str, Sequence[Answer]]], *, caption: str
) -> Html:
    """Show a drawing that fills with the answers to questions, one after the other.

    Without a script all questions stand there, and the drawing is full.

    Args:
        drawing: An `<svg>`. Elements with ``data-shown="0"`` appear when the first question is
            answered; those with ``data-here="0"`` mark the place that it asks about, and those with
            ``data-open="0"`` say that nothing is known there yet.
        questions: In their order; the answers are made with ``right`` and ``wrong`` of
            ``bertbook.core.quizzes``.
        caption: Text below: what to watch.

    Returns:
        A displayable figure.

    Raises:
        ValueError: If there is no question, one has not exactly one right answer and a reply to
            each, or the drawing has nothing that one of them shows.
    """
    if not questions:
        raise ValueError("a drawing that fills step by step needs at least one question")
    for question, answers in questions:
        require_answers(question, answers)
    shown = {int(number) for number in re.findall(r'data-shown="(\d+)"', drawing)}
    if shown != {*range(len(questions))}:
        raise ValueError(
            f"the drawing shows something after the questions {sorted(shown)}, and there are "
            f"{len(questions)}, counted from 0; each must show something"
        )
    key = key_of(drawing, repr(questions), caption)
    stages = "".join(
        f'<fieldset class="mb-stage"><legend>{escape(question)}</legend>'
        f"{''.join(option(f'{key}-{number}', answer) for answer in answers)}</fieldset>"
        for number, (question, answers) in enumerate(questions)
    )
    content = (
        f'<figure class="mb-figure mb-stepwise" {KEEP_KEYS} data-mb="{key}"><div class="mb-both">'
        f'<div class="mb-stages">{stages}<p class="mb-turns" hidden>'
        '<button type="button" data-by="-1">Back</button><button type="button" data-by="1">Next'
        '</button><button type="button" data-by="0">Show all</button><span></span></p></div>'
        f'<div class="mb-drawing">{drawing}</div></div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>\n<script>\n"
        f"{SCRIPT.replace('KEY', key)}</script>"
    )
    return Html(content, summary=caption, style=STEPWISE_STYLE)
