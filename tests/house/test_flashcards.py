"""A third of each chapter's cards ask why, and the answer is a reason with a number."""

import ast
import re
from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import code, says
from python_code import calls

ASKS_WHY = re.compile(r"Why\b.*\?|What would\b.*\bwithout\b.*\?", re.DOTALL)
SENTENCE_END = re.compile(r"[.?!](?=\s|$)")
SENTENCES = 3


def cards_that_ask_why(root: Path) -> list[str]:
    """Look at the questions of each chapter's cards, and at the answers to those that ask why."""
    return [
        f"{chapter.name}: {problem}" for chapter in chapters(root) for problem in _problems(chapter)
    ]


def _problems(chapter: Chapter) -> list[str]:
    cards = _cards(chapter)
    asked = {front: back for front, back in cards if ASKS_WHY.fullmatch(front)}
    found = [
        f"the card {front!r} gives a reason without a number. Take one from the chapter."
        for front, back in asked.items()
        if not re.search(r"\d", back)
    ]
    found += [
        f"the answer to the card {front!r} has more than {SENTENCES} sentences."
        for front, back in asked.items()
        if len(SENTENCE_END.findall(back)) > SENTENCES
    ]
    if 3 * len(asked) < len(cards):
        found.append(
            f"{len(asked)} of {len(cards)} cards ask why. Let at least a third begin with "
            "'Why', or ask what would be 'without', and answer with a number of the chapter."
        )
    return found


def _cards(chapter: Chapter) -> list[tuple[str, str]]:
    """List front and back of every card."""
    found = (card for cell in chapter.code for call in calls(cell.tree, "flashcards")
             for card in call.args)  # fmt: skip
    return [ast.literal_eval(card) for card in found]


def test_a_third_of_the_cards_ask_why(this_project):
    this_project.keeps(cards_that_ask_why)


WHY = "('Why two?', 'One gives 0.5. Two give 1.')"


@pytest.mark.parametrize(
    ("cards", "problem"),
    [
        (f"{WHY}, ('Two', 'A number.'), ('One', 'A number.')", ""),
        ("('What would you lose without it?', 'Of 3 words 1.')", ""),
        (f"{WHY}, ('a', 'b'), ('c', 'd'), ('e', 'f')", "1 of 4 cards ask why"),
        ("('Why two', 'Of 3 words 1.')", "0 of 1 cards ask why"),
        ("('Why two?', 'It is more than one.')", "'Why two?' gives a reason without a number"),
        ("('Why two?', 'Of 3 words 1. One. Two. Three.')", "has more than 3 sentences"),
    ],
)
def test_what_a_set_of_cards_must_ask(plot, cards, problem):
    says(cards_that_ask_why(plot.chapter("# A", code(f"flashcards({cards})"))), problem)
