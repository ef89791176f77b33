"""A usual mistake: a change of the solution's own lines, and the question that leads out of it.

A list of mistakes reads like a diff. Given this solution ::

    def mean(numbers, weights):
        total = sum(n * w for n, w in zip(numbers, weights))
        return total / sum(weights)

the line ``"sum(weights) → len(weights)": "By what do you divide?"`` stands for the reader who wrote
::

    -    return total / sum(weights)
    +    return total / len(weights)

The changed solution is compiled and run on the cases of the exercise, once. Whoever gives the same
answers in all of them gets the hint. Answers are compared, never texts, so a reader may have come
to the same numbers in another way.

======================================= ==========================================================
In a key                                Means
======================================= ==========================================================
``"n * w → n"``                         The text before the arrow, wherever it stands in the body,
                                        becomes the text after it. Names are whole: ``n`` is not
                                        found in ``numbers``. What stands nowhere is an error.
``"/ sum(weights) →"``                  Nothing after the arrow: the text is left out.
``"sum(…) → max(…)"``                   ``…`` is whatever stands there, brackets included, and
                                        stays as it is.
``"n * w → n || sum(weights) → 1"``     Two changes, both made by the same reader.
``"n * w → n ¦ w"``                     Two ways to make the (last) change, with one hint.
``"→ max(numbers)"``                    Nothing before the arrow: the whole body, or what it
                                        returns.
``"→ 2 * right(numbers, weights)"``     The same; ``right`` is the solution.
``("n * w → n", "n * w → w")``          Several mistakes with one hint.
``ZeroDivisionError``                   Whoever gets this error.
``np.sum``                              A function: whoever answers as it does.
======================================= ==========================================================

Two mistakes that touch different places may be made at once; the reader then gets both hints.
Exercises use it from Chapter 1 on.
"""

import ast
import inspect
import re
import textwrap
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import cycle, takewhile

import numpy as np

from .compare import form_problem

_GAP = r"((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))+?)"  # with each bracket, the one that closes it
_PARTS = re.compile(r"\w+|[-+*/@%<>=!&|^]+|.", re.DOTALL)  # names, signs, and the rest


@dataclass(frozen=True, eq=False)
class Mistake:
    """Usual wrong answer, and what to say about it: a question more often than the answer.

    `wrong` says what changes in the source of the right function; or it computes what readers with
    this misunderstanding compute; or it holds the switches of the right function that make it
    wrong, by name; or it is the error that they get. Where it can be made in many ways, `trace`
    says of an answer, the right one and the case if this one is.
    """

    wrong: str | Callable | Mapping | type
    hint: str
    trace: Callable | None = None

    @property
    def switches(self) -> Mapping:
        """Return the switches of the right function that make it wrong, if `wrong` is these."""
        return self.wrong if isinstance(self.wrong, Mapping) else {}

    def shows(self, answer: object, want: object, case: tuple) -> bool:
        """Return whether an answer of the right form shows the trace of this mistake."""
        trace = None if form_problem(answer, want) else self.trace
        return bool(trace and trace(np.asarray(answer), want, *case))


def as_mistakes(mistakes: Mapping | Sequence[Mistake]) -> list[Mistake]:
    """List mistakes, where a dict may give several wrong ways, in a tuple, one hint.

    A trace stands beside its hint.
    """
    if not isinstance(mistakes, Mapping):
        return [*mistakes]
    return [
        Mistake(way, *(hint if isinstance(hint, tuple) else (hint,)))
        for wrong, hint in mistakes.items()
        for each in (wrong if isinstance(wrong, tuple) else (wrong,))
        for way in (_ways(each) if isinstance(each, str) else [each])
    ]


def _ways(text: str) -> list[str]:
    """List the texts of one mistake each: what stands last may be written in several ways."""
    before, arrow, after = text.rpartition("→")
    return [before + arrow + way for way in after.split("¦")]


def fit_together(function: Callable, *wrong: object) -> bool:
    """Return whether changes of a function's source touch different places, and make sense.

    A new body fits if it computes with what the others make of the function.
    """
    texts = [text for text in wrong if isinstance(text, str)]
    if len(texts) < len(wrong):
        return False
    if any(text.startswith("→") and "right(" not in text for text in texts):
        return False
    if _overlap([edit for text in texts for edit in _edits(function, text)]):
        return False
    try:
        rewritten(function, *texts)
    except SyntaxError:
        return False
    return True


@cache
def rewritten(function: Callable, *wrong: str) -> Callable:
    """Compile a function after some changes in its source."""
    head, body = _head_and_body(function)
    edits = [edit for text in wrong for edit in _edits(function, text)]
    if _overlap(edits):
        raise ValueError(f"{' and '.join(wrong)} change the same place of {function.__name__}")
    for start, end, new in sorted(edits, reverse=True):
        body = body[:start] + new + body[end:]
    made = _compiled(function, head + body)
    for text in wrong:
        if text.startswith("→"):
            made = _compiled(function, head + _indented(text.removeprefix("→").strip()), right=made)
    return made


@cache
def _head_and_body(function: Callable) -> tuple[str, str]:
    """Split the source of a function where its docstring ends, or else its first lines."""
    source = textwrap.dedent(inspect.getsource(function))
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    first = definition.body[1 if ast.get_docstring(definition) else 0]
    lines = source.splitlines(keepends=True)
    return "".join(lines[: first.lineno - 1]), "".join(lines[first.lineno - 1 :])


@cache
def _edits(function: Callable, text: str) -> list[tuple[int, int, str]]:
    """Say from where to where the body changes, and to what, without what stays the same."""
    if text.startswith("→"):
        return []
    _, body = _head_and_body(function)
    edits = []
    for change in text.split("||"):
        old, _, new = map(str.strip, change.partition("→"))
        found = [*re.finditer(_as_whole_names(old), body)]
        if not old or not found:
            raise ValueError(f"{function.__name__} has no {old!r} to change")
        edits += [_edit(match, new) for match in found]
    return edits


def _edit(match: re.Match, new: str) -> tuple[int, int, str]:
    """Say what changes where a text was found, with what stands there in its gaps."""
    old, gaps = match.group(), cycle(match.groups() or "…")
    new = re.sub("…", lambda _: next(gaps), new)
    head = _shared(_PARTS.findall(old), _PARTS.findall(new))
    tail = _shared(_PARTS.findall(old[head:])[::-1], _PARTS.findall(new[head:])[::-1])
    return match.start() + head, match.end() - tail, new[head : len(new) - tail]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the letters in the names and signs with which both begin."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one, other))
    return sum(len(part) for part, _ in pairs)


def _as_whole_names(old: str) -> str:
    """Match a text, but not the beginning or the end of a longer name."""
    before = r"(?<!\w)" if re.match(r"\w", old) else ""
    text = _GAP.join(map(re.escape, old.split("…")))
    return before + text + (r"(?!\w)" if re.search(r"\w$", old) else "")


def _overlap(edits: Sequence[tuple[int, int, str]]) -> bool:
    """Return whether two edits touch the same place."""
    ordered = sorted(edits)
    return any(
        later[0] < earlier[1] or later[0] == earlier[0]
        for earlier, later in zip(ordered, ordered[1:])
    )


def _indented(body: str) -> str:
    """Write what a function does, or only returns, as its body."""
    body = body if re.search(r"\b(return|yield|raise)\b", body) else f"return {body}"
    return textwrap.indent(textwrap.dedent(body), "    ")


def _compiled(function: Callable, source: str, **names: Callable) -> Callable:
    names = {**inspect.unwrap(function).__globals__, **names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two mistakes at once may look odd to the compiler
        exec(compile(source, f"<{function.__name__}, rewritten>", "exec"), names)
    return names[function.__name__]
