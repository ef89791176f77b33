"""Which line: every line can be chosen, every choice has a reply, and the author is checked."""

import xml.etree.ElementTree as ElementTree

import pytest

from bertbook.show import which_line

CODE = """
    def half(x):
        y = x * 2

        return y
"""
REPLIES = {"y = x * 2": "It doubles.", "return y": "y is what is asked for."}


def half(x):
    return x * 2


def lines_of(hunt):
    root = ElementTree.fromstring(hunt.content)
    return [
        (node.find("label/code").text, "".join(node.find("div/p").itertext()))
        for node in root.findall("div[@class='mb-option']")
    ]


def test_every_line_keeps_its_indentation_and_has_a_reply():
    assert lines_of(which_line("Which?", CODE, "y = x * 2", REPLIES)) == [
        ("def half(x):", "Not this one. This line does what it should."),
        ("    y = x * 2", "Right. It doubles."),
        ("    return y", "Not this one. y is what is asked for."),
    ]


def test_a_function_is_shown_with_its_source():
    hunt = which_line("Which?", half, "return x * 2", {"return x * 2": "It doubles."})
    assert [line for line, _ in lines_of(hunt)] == ["def half(x):", "    return x * 2"]
    assert repr(hunt) == "Which?"


@pytest.mark.parametrize(
    ("code", "right", "replies", "words"),
    [
        (CODE, "y = x", REPLIES, "'y = x' is 0 of the 4 lines"),
        (CODE, "y = x * 2", {}, "has no reply that says why"),
        (CODE, "y = x * 2", REPLIES | {"return x": "r"}, "a reply to 'return x', which is no line"),
        ("x\nx", "x", {"x": "r"}, "'x' is 2 of the 2 lines"),
    ],
)
def test_a_hunt_that_cannot_end_is_refused(code, right, replies, words):
    with pytest.raises(ValueError, match=words):
        which_line("Which?", code, right, replies)
