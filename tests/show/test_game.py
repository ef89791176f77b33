"""The game: everything in it once, strict with its author, and nothing told beforehand."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from bertbook.show import Turn, game

CHAPTERS = Path(__file__).parents[2] / "book" / "chapters"
TURNS = [
    Turn("one & [MASK]", ("a", "b"), 1, (0, 1), why="It is b."),
    Turn("two [MASK]", ("a", "b", "c"), 0, (0, (0, 2))),
]


def test_every_turn_has_its_options_and_everybodys_answers_without_a_script_too():
    content = game(TURNS, ["the model", "chance"], caption="Who wins?").content
    told = [("1", "[[0], [1]]"), ("0", "[[0], [0, 2]]")]
    assert re.findall(r'data-right="(\d)" data-others="([^"]*)"', content) == told
    assert content.count("data-k=") == 5
    assert "<legend>one &amp; [MASK]</legend>" in content
    assert re.findall(r'<th scope="row">([^<]*)<', content) == ["you", "the model", "chance"]
    assert '<p class="mb-says" aria-live="polite">' in content
    assert "<noscript>The right answers, in turn: b; a.</noscript>" in content


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([Turn("q", ("a", "b"), 2, (0, 1))], "'q' has 2 options, counted from 0; one is not there"),
        ([Turn("q", ("a", "b"), 0, (0, 2))], "'q' has 2 options"),
        ([Turn("q", ("a", "b"), 0, (0, (0, 2)))], "'q' has 2 options"),
        ([Turn("q", ("a", "b"), 0, (0,))], "'q' has 1 answers of others; the players are one, two"),
        ([], "at least one turn"),
    ],
)
def test_a_game_that_is_not_whole(turns, words):
    with pytest.raises(ValueError, match=words):
        game(turns, ["one", "two"], caption="c")


def test_nobody_is_better_than_the_best_possible():
    chapter = nbformat.read(CHAPTERS / "11-fill-in-the-blank.ipynb", as_version=4)
    outputs = [output for cell in chapter.cells for output in cell.get("outputs", [])]
    (content,) = (
        html
        for html in (output.get("data", {}).get("text/html", "") for output in outputs)
        if '<th scope="row">the best possible<' in html
    )
    points = [
        [(int(right) in taken) / len(taken) for taken in json.loads(others)]
        for right, others in re.findall(r'data-right="(\d)" data-others="([^"]*)"', content)
    ]
    model, best = map(sum, zip(*points, strict=True))
    assert len(points) == 10
    assert model <= best < 10
