"""Quizzes and flashcards: complete, escaped, and strict with their authors."""

import xml.etree.ElementTree as ElementTree

import pytest

from bertbook.show import flashcards, quiz, right, wrong


def test_quiz_shows_every_answer_with_its_reply_in_order():
    question = quiz("1 < 2?", wrong("no", "look again"), right("yes", "one is less"))
    texts = list(ElementTree.fromstring(question.content).itertext())
    assert texts == [
        "1 < 2?", "no", "Not this one.", " look again", "yes", "Right.", " one is less",
    ]  # fmt: skip
    assert repr(question) == "1 < 2?"


def test_answers_of_one_question_exclude_each_other_and_those_of_another_do_not():
    names = [
        {node.attrib["name"] for node in ElementTree.fromstring(question.content).iter("input")}
        for question in (
            quiz("a?", right("x", "r"), wrong("y", "r")),
            quiz("b?", right("x", "r"), wrong("y", "r")),
        )
    ]
    assert len(names[0]) == len(names[1]) == 1
    assert names[0] != names[1]


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (quiz, ["q?", right("a", "r")], "at least one wrong"),
        (quiz, ["q?", wrong("a", "r"), wrong("b", "r")], "0 right of 2"),
        (quiz, ["q?", right("a", "r"), right("b", "r")], "2 right of 2"),
        (quiz, ["q?", right("a", "r"), wrong("b", " ")], "no reply"),
        *((flashcards, cards, "both sides") for cards in ([], [("a", "")], [(" ", "b")])),
    ],
)
def test_incomplete_questions_and_empty_cards_are_refused(make, given, words):
    with pytest.raises(ValueError, match=words):
        make(*given)


def test_flashcards_open_without_a_script():
    cards = ElementTree.fromstring(flashcards(("a & b", "c"), ("d", "e")).content)
    assert [card[0].text for card in cards] == ["a & b", "d"]
    assert [card[1].text for card in cards] == ["c", "e"]
    assert all(card.tag == "details" for card in cards)
