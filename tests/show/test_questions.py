"""Questions: every answer has its reply, nothing is told beforehand, and the author is checked."""

import html
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from bertbook.core import Turn, ask, flashcards, game, questions, quiz, which_line
from bertbook.core.bug_hunt import hunt
from bertbook.core.fields import answer_field
from bertbook.core.quizzes import choice, deck, right, wrong
from bertbook.topics.gradients.stepwise import stepwise

CHAPTERS = Path(__file__).parents[2] / "book" / "chapters"
CODE = """
    def half(x):
        y = x * 2

        return y
"""
REPLIES = {"y = x * 2": "It doubles.", "return y": "y is what is asked for."}
DRAWING = (
    '<svg role="img" aria-label="Two boxes."><text data-shown="0">1</text>'
    '<rect data-here="0"/><text data-open="1">?</text><text data-shown="1">2</text></svg>'
)
FIRST = ("1 < 2?", [wrong("<no>", "look again"), right("yes", "one is less")])
SECOND = ("2 < 1?", [right("no", "two is more"), wrong("yes", "look again")])


def half(x):
    return x * 2


def test_every_line_keeps_its_indentation_and_has_a_reply():
    root = ElementTree.fromstring(hunt("Which?", CODE, "y = x * 2", REPLIES).content)
    options = root.findall("div[@class='mb-option']")
    assert [(o.find("label/code").text, "".join(o.find("div/p").itertext())) for o in options] == [
        ("def half(x):", "Not this one. This line does what it should."),
        ("    y = x * 2", "Right. It doubles."),
        ("    return y", "Not this one. y is what is asked for."),
    ]


def test_every_answer_has_its_reply_and_cards_open_without_a_script():
    assert list(ElementTree.fromstring(choice(FIRST[0], *FIRST[1]).content).itertext()) == [
        "1 < 2?", "<no>", "Not this one.", " look again", "yes", "Right.", " one is less",
    ]  # fmt: skip
    cards = ElementTree.fromstring(deck(("a & b", "c"), ("d", "e")).content)
    found = [(card.tag, card[0].text, card[1].text) for card in cards]
    assert found == [("details", "a & b", "c"), ("details", "d", "e")]


def test_answers_of_one_question_exclude_each_other_and_those_of_another_do_not():
    made = [choice(FIRST[0], *FIRST[1]), choice(SECOND[0], *SECOND[1])]
    made += [stepwise(DRAWING, asked, caption="c") for asked in ([FIRST, SECOND], [SECOND, FIRST])]
    names = Counter(re.findall(r'name="([^"]*)"', "".join(one.content for one in made)))
    assert [*names.values()] == [2] * 6


def play(*turns):
    return game(turns, ["the model", "chance"], caption="Who wins?")


def test_every_turn_has_its_options_and_everybodys_answers_without_a_script_too():
    content = play(
        Turn("one & [MASK]", ("a", "b"), 1, (0, 1), why="It is b."),
        Turn("two [MASK]", ("a", "b", "c"), 0, (0, (0, 2))),
    ).content
    told = [("1", "[[0], [1]]"), ("0", "[[0], [0, 2]]")]
    assert re.findall(r'data-right="(\d)" data-others="([^"]*)"', content) == told
    assert content.count("data-k=") == 5
    assert "<legend>one &amp; [MASK]</legend>" in content
    assert "<summary>The right answers, in turn</summary><p>b; a.</p>" in content


def steps(*questions):
    return stepwise(DRAWING, questions, caption="c")


def field(answer, options):
    return answer_field("1 < 2 of 3?", answer, **{"why": "w", **options})


def parsed(asked):
    text = asked.content.split("\n<script>")[0]
    text = re.sub(r"<input ([^>]*)>", r"<input \1/>", text.replace('mb-try" hidden', 'mb-try"'))
    return ElementTree.fromstring(text)


@pytest.mark.parametrize(
    ("answer", "tolerance", "shown", "labels"),
    [
        (1 / 3, 0.05, "0.3.", None), (589824, 0.5, "589824.", None), (1 / 3, 0, "0.333333.", None),
        (torch.tensor([0.25, -1]), 0.005, "0.25, −1.", None), (np.float32(0.5), 0.05, "0.5.", None),
        ("una ##ffa", 0.005, "una ##ffa.", None), ((1, 2), 0.5, "1, 2.", ["<a>", "b"]),
    ],
)  # fmt: skip
def test_an_answer_is_reachable_as_exactly_as_it_is_asked_for_and_every_box_has_a_label(
    answer, tolerance, shown, labels
):
    asked = field(answer, {"tolerance": tolerance, "labels": labels})
    assert [*parsed(asked).find("details").itertext()] == ["Show me", shown, " w"]
    assert 'class="mb-try" hidden' in asked.content and repr(asked) == "1 < 2 of 3?"
    expected = answer if isinstance(answer, str) else np.asarray(answer).tolist()
    told = json.loads(html.unescape(re.search(r'data-answer="([^"]*)"', asked.content).group(1)))
    assert told["answer"] == expected and told.get("labels") == labels
    entries = len(expected) if isinstance(expected, list) else 1
    wanted = labels or (["Entry 1", "Entry 2"] if entries == 2 else ["Your answer"])
    assert [label.text.strip() for label in parsed(asked).findall(".//label")] == wanted


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (choice, ["q?", right("a", "r")], "at least one wrong"),
        (choice, ["q?", right("a", "r"), right("b", "r")], "2 right of 2"),
        (choice, ["q?", right("a", "r"), wrong("b", " ")], "no reply"),
        (deck, [], "both sides"),
        (hunt, ["?", CODE, "y = x", REPLIES], "'y = x' is 0 of the 4 lines"),
        (hunt, ["?", CODE, "y = x * 2", {}], "has no reply that says why"),
        (hunt, ["?", CODE, "return y", REPLIES | {"return x": "r"}], "which is no line"),
        (steps, [FIRST], r"after the questions \[0, 1\], and there are 1"),
        (steps, [FIRST] * 3, "there are 3, counted from 0; each must show something"),
        (play, [Turn("q", ("a", "b"), 2, (0, 1))], "'q' has 2 options, counted from 0; one is not"),
        (play, [Turn("q", ("a", "b"), 0, (0,))], "'q' has 1 answers of others"),
        (field, [1, {"why": " "}], "a reason"),
        (field, [1, {"mistakes": [(2, "")]}], "full replies"),
        (field, [1, {"tolerance": -0.5}], r"tolerance is -0.5; it must be at least 0"),
        (field, [" ", {}], "is empty"),
        (field, [np.eye(2), {}], r"of shape \(2, 2\)"),
        (field, [float("nan"), {}], "an answer is finite"),
        (field, [[1, 2], {"mistakes": [(1, "r")]}], r"another kind than the answer \[1, 2\]"),
        (field, [1, {"mistakes": [(1.004, "r")]}], "1.004 counts as the answer 1: it is right"),
        (field, ["una", {"labels": ["a"]}], "do not match the answer 'una'"),
        (field, [[1, 2], {"labels": ["a", " "]}], "one of the labels .* is empty"),
    ],
)
def test_what_no_reader_can_answer_is_refused(make, given, words):
    with pytest.raises(ValueError, match=words):
        make(*given)


def test_every_question_of_the_book_can_be_drawn_and_is_asked_once():
    asked = Counter(
        re.findall(r'^(\w+)\("([^"]+)"', cell.source, re.MULTILINE)[0]
        for path in sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
        for cell in nbformat.read(path, as_version=4).cells
        if re.match(r"(ask|flashcards|quiz|which_line)\(", cell.source)
    )
    there = {(kind, name) for kind in questions.KINDS for name in questions._entries(kind)}
    there |= {("flashcards", topic) for topic in questions._contents()}
    assert asked == dict.fromkeys(there, 1)
    drawn = {"quiz": quiz, "ask": ask, "flashcards": flashcards}
    assert all(drawn[kind](name).content for kind, name in asked if kind in drawn)


def test_the_lines_of_the_sabotaged_runs_stand_in_the_loop_of_the_chapter():
    chapter = nbformat.read(CHAPTERS / "13-the-training-loop.ipynb", as_version=4)
    (loop,) = (cell.source for cell in chapter.cells if cell.source.startswith("def train(model,"))
    for run in "abcd":
        for answer in questions._entries("quiz")[f"run-{run}"]["answers"]:
            assert answer.get("right", answer.get("wrong")) in loop


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Let the questions be those of some files, as long as a test runs."""

    def write(text, name="masks"):
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(questions.resources, "files", lambda package: tmp_path.parent)
        monkeypatch.setattr(questions, "FOLDER", f"bertbook/{tmp_path.name}")
        questions._contents.cache_clear()
        questions._entries.cache_clear()

    yield write
    questions._contents.cache_clear()
    questions._entries.cache_clear()


HUNT = """
[which_line.half]
question = "Which?"
right = "return x * 2"
replies = [{ line = "return x * 2", reply = "It doubles." }]
"""


def test_a_question_takes_its_code_from_the_chapter_or_brings_it_along(files):
    files(HUNT)
    assert repr(which_line("half", half)) == "Which?"
    with pytest.raises(ValueError, match="'half' has no code of its own; pass a function or code"):
        which_line("half")
    files(HUNT, "toy")
    with pytest.raises(ValueError, match=r"toy\.toml: another which_line is called 'half', too"):
        which_line("half", half)
    files("", "toy")
    files(HUNT + "code = '''\ndef half(x):\n    return x * 2'''")
    assert which_line("half").content.count("<code>") == 2


ASKED = '[ask.a]\nquestion = "q"\nanswer = 1\n'
MISTAKE = ASKED + 'why = "w"\nmistakes = [{ anser = 2, reply = "r" }]'
QUIZ = '[quiz.a]\nquestion = "q"\nanswers = [{ right = "1", reply = "r" }]'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ASKED, "masks.toml: the ask 'a' lacks why"),
        (ASKED + 'why = "w"\nwy = 1', "has wy; it may have answer, labels, m"),
        (f'{ASKED.replace("ask.a", "ask.z")}why = "w"', "no ask 'a'; it has z"),
        ("[ask.a]\nquestion = q", r"masks.toml is no TOML: .* line 2"),
        ("[aks.a]\nanswer = 1", "masks.toml has aks, which is not quiz, ask, which_line"),
        (QUIZ, r"no ask 'a'; ask for it by quiz\('a'\)"),
        (MISTAKE, "one with anser, reply among its mistakes; each has answer and reply"),
        ('[[flashcards]]\nfront = "f"\nbck = "b"', "one with front, bck among its flashcar"),
    ],
)
def test_a_mistake_in_a_file_or_a_name_is_told(files, text, words):
    files(text)
    with pytest.raises(ValueError, match=words):
        flashcards("masks") if "cards" in text else ask("a")
