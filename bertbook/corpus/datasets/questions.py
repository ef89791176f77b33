"""Questions about passages: those of Chapter 18."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .splits import split_text

ASKED = re.compile(r"(.+[?？]) ([=≠]) (.+)")
WORD = re.compile(r"\w+")


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

    >>> [len(passage_questions(split)) for split in ("train", "validation", "test")]
    [1282, 202, 423]
    """
    return tuple(_parse(split_text("passages_and_entities", "questions", split)))


def _parse(text: str) -> Iterator[Question]:
    """Read passages and questions.

    Below ``== Topic: Title`` stand the lines of a passage, then its questions, each with its answer
    after ``=``, or after ``≠`` words that only seem to answer it.
    """
    title, lines, number = "", [], 0
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("#"):
            continue
        if line.startswith("== "):
            title, lines, number = line.removeprefix("== "), [], 0
        elif match := ASKED.fullmatch(line):
            number += 1
            question, sign, answer = match.groups()
            found = (_find(" ".join(lines), answer, once=sign == "="),)
            name = f"{'-'.join(WORD.findall(title.lower()))}-{number}"
            both = (found, ()) if sign == "=" else ((), found)
            yield Question(name, title, " ".join(lines), question, *both)
        else:
            lines.append(line)


def _find(context: str, answer: str, once: bool) -> Span:
    """Find an answer in a passage, by the words around it where they are given: a [word] b."""
    before, opened, rest = answer.partition("[")
    words, _, after = rest.partition("]") if opened else (answer, "", "")
    before = before if opened else ""
    quoted = before + words + after
    times = len(re.findall(f"(?={re.escape(quoted)})", context))  # overlapping ones too
    if times == 0 or (once and times > 1):
        raise ValueError(
            f"the passage holds {quoted!r} {times} times; quote words around the answer until it "
            "is once, 'before [answer] after'"
        )
    return Span(words, context.index(quoted) + len(before))
