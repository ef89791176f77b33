"""Questions about passages: those of Chapter 18, and any file that is written as SQuAD is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from minibert.text_files import read_text

from .splits import split_text

KINDS = {
    "who": r"\bwho(m|se)?\b|谁",
    "where": r"\bwhere\b|哪里",
    "when": r"\bwhen\b|什么时候",
    "how many": r"\bhow (many|much|long|old|far|high|tall|wide|heavy|often)\b|几|多少",
    "why": r"\bwhy\b|为什么",
    "which": r"\bwhich\b|哪",
    "what": r"\bwhat\b|什么",
}
ASKED = re.compile(r"(?P<question>.+[?？]) (?P<sign>[=≠]) (?P<answer>.+)")


class Span(NamedTuple):
    """Some words of a passage, and where they stand.

    Args:
        text: The words.
        answer_start: Where their first character stands in the passage, counted from 0.
    """

    text: str
    answer_start: int


class Question(NamedTuple):
    """A question about a passage, under SQuAD's names.

    Args:
        id: Unique in its file.
        title: Topic and title of the passage.
        context: The passage.
        question: What is asked.
        answers: The accepted answers; none if the passage has no answer.
        plausible_answers: What could be taken for one, where there is none.
    """

    id: str
    title: str
    context: str
    question: str
    answers: tuple[Span, ...]
    plausible_answers: tuple[Span, ...] = ()

    @property
    def is_impossible(self) -> bool:
        """Whether the passage has no answer."""
        return not self.answers


def passage_questions(split: str) -> tuple[Question, ...]:
    """Return the questions of the book.

    Args:
        split: "train", "validation" or "test"; they share no passage and no topic.

    Returns:
        Passage after passage.

    Raises:
        ValueError: When there is no such split.

    >>> [len(passage_questions(split)) for split in ("train", "validation", "test")]
    [1282, 202, 423]
    """
    return parse_questions(split_text("passages_and_entities", "questions", split))


def parse_questions(text: str) -> tuple[Question, ...]:
    """Read passages and questions from the book's own text format.

    Below ``== Topic: Title`` stand the lines of a passage, then its questions, each with its answer
    after ``=``, or after ``≠`` words that only seem to answer it.
    """
    questions: list[Question] = []
    title, lines, first = "", [], 0
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line.startswith("== "):
            title, lines, first = line.removeprefix("== "), [], len(questions)
        elif match := ASKED.fullmatch(line):
            name = f"{_slug(title)}-{len(questions) - first + 1}"
            try:
                questions.append(_question(name, title, " ".join(lines), **match.groupdict()))
            except ValueError as error:
                raise ValueError(f"line {number} ({line!r}): {error}") from None
        elif title and len(questions) == first:
            lines.append(line)
        else:
            raise ValueError(
                f"line {number} ({line!r}) is no question with = or ≠ and an answer; a new passage "
                "begins with '== Topic: Title'"
            )
    return tuple(questions)


def read_squad(path: str | Path) -> tuple[Question, ...]:
    r"""Read a file of SQuAD, version 1.1 or 2.0, or one of the same make.

    Args:
        path: The JSON file.

    Returns:
        In the order of the file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is made otherwise, or an answer is not where ``answer_start`` says.
    """
    text = read_text(path)
    try:
        return tuple(_squad_questions(json.loads(text)))
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"{str(path)!r} is not made as SQuAD is ({type(error).__name__}: {error}); give a file "
            "like train-v1.1.json or dev-v2.0.json"
        ) from error


def question_kind(question: str) -> str:
    """Return the kind of a question: the first question word in it."""
    # 什么时候 holds 什么, so that of two kinds at one place the earlier one in the table counts.
    found = [
        (match.start(), rank, kind)
        for rank, (kind, pattern) in enumerate(KINDS.items())
        if (match := re.search(pattern, question, re.IGNORECASE))
    ]
    return min(found)[2] if found else "other"


def _question(
    name: str, title: str, context: str, question: str, sign: str, answer: str
) -> Question:
    found = (_find(context, answer, once=sign == "="),)
    return Question(name, title, context, question, *((found,) if sign == "=" else ((), found)))


def _find(context: str, answer: str, once: bool) -> Span:
    """Find an answer in a passage, by the words around it where they are given."""
    before, opened, rest = answer.partition("[")
    words, closed, after = rest.partition("]") if opened else (answer, "", "")
    if bool(opened) != bool(closed) or not words:
        raise ValueError(f"{answer!r} is no answer; write it alone or as 'before [answer] after'")
    before = before if opened else ""
    quoted = before + words + after
    times = len(re.findall(f"(?={re.escape(quoted)})", context))  # overlapping ones too
    if times == 0 or (once and times > 1):
        raise ValueError(
            f"the passage holds {quoted!r} {times} times; quote words around the answer until it "
            "is once, 'before [answer] after'"
        )
    return Span(words, context.index(quoted) + len(before))


def _slug(title: str) -> str:
    """Write a title in small letters and hyphens."""
    return "-".join(re.findall(r"\w+", title.lower()))


def _squad_questions(content: Any) -> Iterator[Question]:
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            context = paragraph["context"]
            for entry in paragraph["qas"]:
                answers, plausible = (
                    tuple(Span(a["text"], a["answer_start"]) for a in entry.get(field, ()))
                    for field in ("answers", "plausible_answers")
                )
                _require_placed(entry["id"], context, answers)
                title = article.get("title", "")
                yield Question(entry["id"], title, context, entry["question"], answers, plausible)


def _require_placed(name: str, context: str, answers: tuple[Span, ...]) -> None:
    for text, start in answers:
        if not text or start < 0 or not context.startswith(text, start):
            raise ValueError(
                f"question {name!r}: its answer {text!r} is not at character {start} of the "
                "context; correct answer_start"
            )
