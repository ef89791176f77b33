"""Which line is wrong? Code to choose a line of, with a reply to each; no script. Chapter 1."""

from __future__ import annotations

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
    r"""Show code and ask for one of its lines; choosing a line shows the reply to it.

    Parameters
    ----------
    question : str
        What to look for, plain text.
    source : callable or str
        A function, or code.
    right : str
        The line that is asked for, without its indentation.
    replies : dict from str to str
        A line, without its indentation, to what is said to those who choose it. `right` must have
        one; to the others a general sentence is said.

    Returns
    -------
    Html
        A displayable question.

    Raises
    ------
    ValueError
        If `right` is not exactly one line of the code, has no reply, or a reply answers no line.

    Examples
    --------
    >>> code = "def mean(x):\n    return sum(x) / 2"
    >>> hunt("Which line is wrong?", code, "return sum(x) / 2",
    ...      {"return sum(x) / 2": "Yes: not every x has two numbers."})
    Which line is wrong?
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
