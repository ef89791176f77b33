"""A drawing that fills step by step: whole, escaped, and strict with its author."""

import re

import pytest

from bertbook.show import right, stepwise, wrong

DRAWING = (
    '<svg role="img" aria-label="Two boxes."><text data-shown="0">1</text>'
    '<rect data-here="0"/><text data-open="1">?</text><text data-shown="1">2</text></svg>'
)
FIRST = ("1 < 2?", [wrong("no", "look again"), right("yes", "one is less")])
SECOND = ("2 < 1?", [right("no", "two is more"), wrong("yes", "look again")])


def test_every_question_has_its_answers_and_names_of_its_own():
    figure = stepwise(DRAWING, [FIRST, SECOND], caption="Fill it.")
    assert figure.content.count('class="mb-stage"') == 2
    assert "<legend>1 &lt; 2?</legend>" in figure.content
    names = re.findall(r'name="([^"]*)"', figure.content)
    assert len(names) == 4 and len({*names}) == 2
    assert DRAWING in figure.content and repr(figure) == "Fill it."


def test_two_drawings_have_names_of_their_own():
    keys = [
        re.search(r'data-mb="(\w+)"', stepwise(DRAWING, [FIRST, other], caption="c").content)[1]
        for other in (FIRST, SECOND)
    ]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("drawing", "questions", "words"),
    [
        (DRAWING, [], "at least one question"),
        (DRAWING, [FIRST], r"after the questions \[0, 1\], and there are 1"),
        (DRAWING, [FIRST] * 3, "there are 3, counted from 0; each must show something"),
        (DRAWING, [FIRST, ("q?", [right("a", "r")])], "at least one wrong"),
        (DRAWING, [FIRST, ("q?", [right("a", "r"), wrong("b", " ")])], "has no reply"),
    ],
)
def test_what_is_not_whole_is_refused(drawing, questions, words):
    with pytest.raises(ValueError, match=words):
        stepwise(drawing, questions, caption="c")
