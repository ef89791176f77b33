"""Questions about passages: those of Chapter 18."""

import re
from typing import NamedTuple

from .splits import split_text

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
