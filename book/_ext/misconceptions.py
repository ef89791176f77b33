"""The table of misconceptions on the page for teachers: wrong answers counted by their hints.

Each wrong answer that a checker knows by name has a hint. A misconception is a pattern of hints; a
hint that fits several belongs to the first of them, so the narrow ones stand before the wide ones.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode
from teachers import BOOK, checker_of

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.mistake import as_mistakes
from bertbook.reader.module.mutants import MUTATIONS
from berttools.grade.exercises import tasks_of

TABLE = "<!-- misconceptions by frequency -->"
CHAPTER = re.compile(r"Chapter (\d+)")


class WrongAnswer(NamedTuple):
    """One wrong answer that a checker knows: where it is asked, and what it is told."""

    chapter: int
    exercise: str
    hint: str


MISCONCEPTIONS = {
    "What a mask hides, with which sign, and that it comes before the softmax":
        r"\bmask\b(?! is a token)|\bhides?\b|triangle|look at (itself|the future|padding)|lowest "
        r"finite|step (into the future|ahead)|most negative|may (see|look)",
    "Padding or positions with the label −100 count, or the word with id 0 does not":
        r"[-−]100|[Pp]adding|label 0|no label|without a label|labeled positions?|id 0|[Ww]ord 0",
    "The gradient takes all paths, adds up where they meet, and is cleared before the next step":
        r"[Gg]radients? |gradient\.|gradients\.|gradient[,:]|moves? (when|with)|when an entry|"
        r"zero_grad|paths meet|twice\. Both count|probability is there twice|probabilities move|"
        r"its own probability|does the loss move",
    "A loss is minus a natural logarithm: of which probability, in nats or in bits":
        r"logarithm|\bnats\b|perplexity|[Ss]urprise|squared error|Bits",
    "What a layer adds, drops and normalizes, how often, and in which order":
        r"[Rr]esidual|[Dd]ropout|dropped|LayerNorm|normalized?\b|activation|pre-norm|acts? twice|"
        r"attend twice|transformed twice|[Hh]ow often does BERT|Which part",
    "What is divided by: √d and not d, the length, the spread, the temperature":
        r"\broots?\b|√|[Tt]emperature|\blengths?\b|variance|spread|ε|scores are (not )?divided|"
        r"division by",
    "Along which axis a sum, a softmax or a mean runs, and who has one of its own":
        r"\baxis|\baxes|[Ee]ach (row|query|vector|position|request) (has|needs|is)|columns|"
        r"runs over|over the (keys|words|heads)|transposed|One row for all|One number for all",
    "A mean is a sum divided by how many, and a mean of means is another number":
        r"\b[Mm]ean\b|[Aa]verage|[Tt]his is a sum|is the sum|add up|Divide by|[Bb]y what (do|must)|"
        r"[Bb]y how many|How many (are|other|positions)",
    "What floats cannot hold: nan, infinity, overflow":
        r"\bnan\b|infini|overflow|underflow|tiny|exp\(1000",
    "Turned around: the sign, the side, the order, two arguments":
        r"[Tt]urned around|[Oo]ther way|wrong way|mirrored|direction|[Mm]inus|\bsign|Which of the "
        r"two|from (its|the) end|before minus after|order|changed places|reversed",
    "One too many or too few: from 0 or 1, the first and the last, equal or below":
        r"too (many|long|few|far|soon)|exactly|counted from|[Cc]ount from|one step|first "
        r"window|last (window|pieces|word|step)|behind the|[Bb]egins? behind|How many (steps|bytes|"
        r"tokens)|equal (loss|gains)|one evaluation|[Rr]ounds? (up|down)",
    "Repetitions and ties: counted twice, or not as often as they come":
        r"\btwice\b|\bonce\b|as often as|[Ee]qual|alike|How often",
    "An answer knows what it may not: the test, the hidden word, the next block":
        r"leak|on the passage itself|earlier blocks|sees the other word|hidden as well|other "
        r"documents|false negative|must not be drawn|w(as|ere) told",
    "The first case decides for all: a return in a loop, one cut, one try":
        r"stop at|return too early|in(side)? the loop|try one cut|greedy|Only the last|is enough|"
        r"All must|[Bb]egin again|another may",
    "The right work and another result: an index for a score, one of two values":
        r"\bReturn\b|is asked for|is wanted|^That is|^Those are|^These are|what was said",
}  # fmt: skip


def wrong_answers(notebooks: Mapping[str, NotebookNode], chapters: Path) -> Iterator[WrongAnswer]:
    """Yield all wrong answers that the checkers of the exercises and of classes know."""
    for name in notebooks:
        for task in tasks_of(chapters / f"{name}.ipynb"):
            checker = checker_of(task)
            for mistake in checker.mistakes if isinstance(checker, Exercise) else ():
                yield WrongAnswer(int(name[:2]), task.title, mistake.hint)
    for role, slips in MUTATIONS.items():
        chapter = CHAPTER.search(sys.modules[role.__module__].__doc__ or "")
        for slip in as_mistakes(slips):
            yield WrongAnswer(int(chapter[1]) if chapter else 9, role.__name__, slip.hint)


def sort_by_misconception(answers: list[WrongAnswer]) -> dict[str, list[WrongAnswer]]:
    """Give each wrong answer to the first misconception whose pattern its hint fits."""
    found: dict[str, list[WrongAnswer]] = {title: [] for title in MISCONCEPTIONS}
    for answer in answers:
        for title, pattern in MISCONCEPTIONS.items():
            if re.search(pattern, answer.hint):
                found[title].append(answer)
                break
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def fill(text: str, notebooks: Mapping[str, NotebookNode]) -> str:
    """Put the table in its place, the most frequent misconception first."""
    if TABLE not in text:
        return text
    answers = list(wrong_answers(notebooks, BOOK / "chapters"))
    found = sort_by_misconception(answers)
    lines = ["| Misconception | Ways | Exercises | Chapters |", "| --- " * 4 + "|"]
    for title, own in found.items():
        chapters = ", ".join(map(str, sorted({answer.chapter for answer in own})))
        asked = len({answer.exercise for answer in own})
        lines.append(f"| {title} | {len(own)} | {asked} | {chapters} |")
    rest = len(answers) - sum(map(len, found.values()))
    lines.append(f"| *what belongs to one exercise alone* | {rest} | | |")
    return text.replace(TABLE, "\n".join(lines))
