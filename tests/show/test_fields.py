"""Fields to type into: complete without a script, and strict with their authors."""

import html
import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

from bertbook.core.fields import answer_field


def told(asked):
    """What the script is told."""
    return json.loads(html.unescape(re.search(r'data-answer="([^"]*)"', asked.content).group(1)))


def parsed(asked):
    text = asked.content.split("\n<script>")[0]
    text = re.sub(r"<input ([^>]*)>", r"<input \1/>", text.replace('mb-try" hidden', 'mb-try"'))
    return ElementTree.fromstring(text)


def test_without_a_script_the_answer_is_reachable_and_the_box_is_hidden():
    asked, other = (answer_field("1 < 2 of 3?", n, why="One of three.") for n in (1 / 3, 2))
    assert [*parsed(asked).find("details").itertext()] == ["Show me", "0.33.", " One of three."]
    assert 'class="mb-try" hidden' in asked.content
    assert repr(asked) == "1 < 2 of 3?"
    keys = {re.search(r'data-mb="(\w+)"', one.content).group(1) for one in (asked, other)}
    assert len(keys) == 2  # two fields of one page do not meet


@pytest.mark.parametrize(
    ("answer", "given", "labels"),
    [
        (2, None, ["Your answer"]), ("una", None, ["Your answer"]),
        ([1, 2], None, ["Entry 1", "Entry 2"]), ([1, 2], ["<a>", "b"], ["<a>", "b"]),
    ],
)  # fmt: skip
def test_every_box_has_a_label(answer, given, labels):
    asked = answer_field("q?", answer, why="w", labels=given)
    found = parsed(asked).findall(".//label")
    assert [label.text.strip() for label in found] == labels
    assert all(label.find("input") is not None for label in found)
    assert told(asked).get("labels") == given


@pytest.mark.parametrize(
    ("answer", "tolerance", "shown"),
    [
        (1 / 3, 0.05, "0.3."), (589824, 0.5, "589824."), (1 / 3, 0, "0.333333."),
        (torch.tensor([0.25, -1]), 0.005, "0.25, −1."), ("una ##ffa", 0.005, "una ##ffa."),
        (np.float32(0.5), 0.05, "0.5."), ((1, 2), 0.5, "1, 2."),
    ],
)  # fmt: skip
def test_an_answer_of_any_library_is_shown_as_exactly_as_it_is_asked_for(answer, tolerance, shown):
    asked = answer_field("q?", answer, tolerance=tolerance, why="w")
    assert parsed(asked).find("details/p/strong").text == shown
    expected = answer if isinstance(answer, str) else np.asarray(answer).tolist()
    assert told(asked)["answer"] == expected


@pytest.mark.parametrize(
    ("answer", "options", "words"),
    [
        (1, {"why": " "}, "a reason"),
        (1, {"mistakes": [(2, "")]}, "full replies"),
        (1, {"tolerance": -0.5}, r"tolerance is -0.5; it must be at least 0"),
        (" ", {}, "is empty"),
        (np.eye(2), {}, r"of shape \(2, 2\)"),
        (float("nan"), {}, "an answer is finite"),
        ([1, 2], {"mistakes": [(1, "r")]}, r"another kind than the answer \[1, 2\]"),
        (1, {"mistakes": [(1.004, "r")]}, "1.004 counts as the answer 1: it is right"),
        ("una", {"labels": ["a"]}, "do not match the answer 'una'"),
        ([1, 2], {"labels": ["a", " "]}, "one of the labels .* is empty"),
    ],
)
def test_questions_that_no_reader_can_answer_are_refused(answer, options, words):
    with pytest.raises(ValueError, match=words):
        answer_field("q?", answer, **{"why": "w", **options})
