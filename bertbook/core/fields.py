"""A field to type into: the reader's number, vector or word, and a reply to it. Chapter 1."""

import json
import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from minibert.text_files import packed_text

from .html import KEEP_KEYS, Html, key_of, with_minus

FIELD_STYLE = packed_text("bertbook/core/static/field.css")

# Reads what people write for a number, calculates it, judges it, and replies. Of several readings
# the one closest to the answer counts: a comma is a decimal comma or one of thousands; ln 1/8 has
# the fraction in the logarithm or below it; 50% is 0.5, or 50 where the answer is above 1; a unit
# is not read, but "million" may multiply.
SCRIPT = packed_text("bertbook/core/static/field.js").replace(
    "NUMBERS", packed_text("bertbook/core/static/numbers.js").strip()
)


def answer_field(
    question: str,
    answer: Any,
    *,
    why: str,
    tolerance: float = 0.005,
    mistakes: Sequence[tuple[Any, str]] = (),
    labels: Sequence[str] | None = None,
) -> Html:
    """Draw `questions.ask`: a field for a number, a vector or a word, and a reply to what is typed.

    In words neither case, quotation marks, brackets nor commas count. Mistakes are pairs of a wrong
    answer of the same kind and the reply to it; labels stand before the boxes of a vector, which
    are counted otherwise.
    """
    if not all(text.strip() for text in (question, why, *(reply for _, reply in mistakes))):
        raise ValueError(f"the question {question!r} needs a text, a reason and full replies")
    if tolerance < 0:
        raise ValueError(f"tolerance is {tolerance:g}; it must be at least 0")
    target = _plain(answer)
    usual = [(_plain(value), reply) for value, reply in mistakes]
    for value, _ in usual:
        _refuse_bad_mistake(value, target, tolerance)
    names = _names_of_boxes(target, labels)
    facts: dict[str, Any] = {
        "answer": target, "mistakes": usual, "tolerance": tolerance, "why": why
    }  # fmt: skip
    if labels is not None:
        facts["labels"] = names
    told = json.dumps(facts, ensure_ascii=False)
    key = key_of(question, told)
    boxes = _boxes(names, are_for_words=isinstance(target, str))
    content = (
        f'<fieldset class="mb-ask" {KEEP_KEYS} data-mb="{key}" data-answer="{escape(told)}">'
        f"<legend>{escape(question)}</legend>"
        f'<div class="mb-try" hidden>{boxes}<button type="button">Check</button></div>'
        f'<p class="mb-reply" role="status"></p>'
        f"<details><summary>Show me</summary><p><strong>{escape(_written(target, tolerance))}"
        f"</strong> {escape(why)}</p></details></fieldset>"
        f"\n<script>\n{SCRIPT.replace('KEY', key)}</script>"
    )
    return Html(content, summary=question, style=FIELD_STYLE)


def _plain(answer: Any) -> float | list[float] | str:
    """Turn an answer into what JSON can hold."""
    if isinstance(answer, str):
        if not answer.strip():
            raise ValueError("an answer in words is empty")
        return answer
    values = np.asarray(answer)
    if values.ndim > 1 or values.size == 0 or values.dtype.kind not in "iuf":
        raise ValueError(
            f"an answer is a number, a vector of numbers or a string, not {answer!r} "
            f"of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"nobody can type {answer!r}; an answer is finite")
    return values.tolist()


def _refuse_bad_mistake(value: Any, target: Any, tolerance: float) -> None:
    """Complain about a mistake that no reader can make."""
    if isinstance(value, str) != isinstance(target, str) or np.shape(value) != np.shape(target):
        raise ValueError(f"the mistake {value!r} is of another kind than the answer {target!r}")
    if isinstance(value, str):
        is_right = value.lower() == target.lower()
    else:
        is_right = bool(np.all(np.abs(np.subtract(value, target)) <= tolerance))
    if is_right:
        raise ValueError(f"the mistake {value!r} counts as the answer {target!r}: it is right")


def _names_of_boxes(target: float | list[float] | str, labels: Sequence[str] | None) -> list[str]:
    """Give what stands before each box, and complain about labels that do not match the answer."""
    if labels is None:
        count = len(target) if isinstance(target, list) else 0
        return [f"Entry {i}" for i in range(1, count + 1)] or ["Your answer"]
    if not isinstance(target, list) or len(labels) != len(target):
        raise ValueError(
            f"the labels {labels!r} do not match the answer {target!r}: a vector has one for each "
            "number, and another answer has none"
        )
    if not all(label.strip() for label in labels):
        raise ValueError(f"one of the labels {labels!r} is empty")
    return list(labels)


def _boxes(names: Sequence[str], *, are_for_words: bool) -> str:
    """Write one field for each name."""
    kind = 'class="mb-word" ' if are_for_words else ""
    return "".join(
        f'<label>{escape(name)} <input {kind}type="text" autocomplete="off" autocapitalize="off" '
        'spellcheck="false" enterkeyhint="done"></label>'
        for name in names
    )


def _written(target: float | list[float] | str, tolerance: float) -> str:
    """Write an answer with as many digits as the tolerance asks for."""
    if isinstance(target, str):
        return f"{target}."
    digits = max(0, math.ceil(-math.log10(2 * tolerance))) if tolerance else 6
    numbers = target if isinstance(target, list) else [target]
    texts = [with_minus(n, 0 if n == int(n) else digits) for n in numbers]
    return f"{', '.join(texts)}."
