"""Which line is wrong? Code to choose a line of, with a reply to each; no script. Chapter 1."""

import inspect
import textwrap
from collections.abc import Callable
from html import escape

from minibert.text_files import packed_text

from .html import KEEP_KEYS, Html, key_of
from .quizzes import QUIZ_STYLE, Answer, option

LINES_STYLE = QUIZ_STYLE + packed_text("bertbook/core/static/lines.css")
DOES_ITS_PART = "This line does what it should."


def hunt(question: str, source: Callable | str, right: str, replies: dict[str, str]) -> Html:
    """Draw `questions.which_line`: code, one line of it asked for, and a reply to each line.

    A line without a reply of its own gets a general one; lines are named without indentation.
    """
    code = source if isinstance(source, str) else inspect.getsource(source)
    lines = textwrap.dedent(code).strip("\n").splitlines()
    stripped = [line.strip() for line in lines]
    if stripped.count(right) != 1:
        raise ValueError(
            f"{right!r} is {stripped.count(right)} of the {len(lines)} lines; the question needs "
            "exactly one, without its indentation"
        )
    if strangers := [line for line in replies if line not in stripped]:
        raise ValueError(f"there is a reply to {strangers[0]!r}, which is no line of the code")
    if not replies.get(right, "").strip():
        raise ValueError(f"the right line, {right!r}, has no reply that says why")
    key = key_of(question, code)
    options = "".join(
        option(key, Answer(line, replies.get(text, DOES_ITS_PART), text == right), "code")
        if text
        else '<div class="mb-gap"></div>'
        for line, text in zip(lines, stripped)
    )
    content = (
        f'<fieldset class="mb-quiz mb-lines" {KEEP_KEYS}><legend>{escape(question)}</legend>'
        f"{options}</fieldset>"
    )
    return Html(content, summary=question, style=LINES_STYLE)
