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
    asked = answer_field("1 < 2 of 3?", 1 / 3, why="One of three.")
    fold = parsed(asked).find("details")
    assert [*fold.itertext()] == ["Show me", "0.33.", " One of three."]
    assert 'class="mb-try" hidden' in asked.content
    assert repr(asked) == "1 < 2 of 3?"
    keys = {
        re.search(r'data-mb="(\w+)"', answer_field("q?", n, why="w").content).group(1)
        for n in (1, 2)
    }
    assert len(keys) == 2  # two fields of one page do not meet


@pytest.mark.parametrize(
    ("answer", "labels"),
    [(2, ["Your answer"]), ("una", ["Your answer"]), ([1, 2], ["Entry 1", "Entry 2"])],
)
def test_every_box_has_a_label(answer, labels):
    found = parsed(answer_field("q?", answer, why="w")).findall(".//label")
    assert [label.text.strip() for label in found] == labels
    assert all(label.find("input") is not None for label in found)


def test_boxes_of_a_vector_may_have_names():
    asked = answer_field("q?", [1, 2], why="w", labels=["<a>", "b"])
    assert [label.text.strip() for label in parsed(asked).findall(".//label")] == ["<a>", "b"]
    assert told(asked)["labels"] == ["<a>", "b"]


@pytest.mark.parametrize(
    ("answer", "tolerance", "shown"),
    [
        (1 / 3, 0.05, "0.3."), (589824, 0.5, "589824."), (1 / 3, 0, "0.333333."),
        ([0.25, -1], 0.005, "0.25, −1."), ("una ##ffa", 0.005, "una ##ffa."),
    ],
)  # fmt: skip
def test_an_answer_is_shown_as_exactly_as_it_is_asked_for(answer, tolerance, shown):
    asked = answer_field("q?", answer, tolerance=tolerance, why="w")
    assert parsed(asked).find("details/p/strong").text == shown


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.float32(0.5), 0.5), (torch.tensor(0.5), 0.5), ((1, 2), [1, 2]), (np.ones(2), [1, 1])
    ],
)  # fmt: skip
def test_numbers_and_vectors_of_every_library(answer, expected):
    assert told(answer_field("q?", answer, why="w"))["answer"] == expected


@pytest.mark.parametrize(
    ("answer", "options", "words"),
    [
        (1, {"why": " "}, "a reason"),
        (1, {"why": "w", "mistakes": [(2, "")]}, "full replies"),
        (1, {"why": "w", "tolerance": -0.5}, r"tolerance is -0.5; it must be at least 0"),
        (" ", {"why": "w"}, "is empty"),
        (np.eye(2), {"why": "w"}, r"of shape \(2, 2\)"),
        ([], {"why": "w"}, r"not \[\]"),
        (float("nan"), {"why": "w"}, "an answer is finite"),
        ([1, 2], {"why": "w", "mistakes": [(1, "r")]}, r"another kind than the answer \[1, 2\]"),
        (1, {"why": "w", "mistakes": [(1.004, "r")]}, "1.004 counts as the answer 1: it is right"),
        ([1, 2], {"why": "w", "labels": ["a"]}, r"labels \['a'\] do not match the answer \[1, 2\]"),
        ("una", {"why": "w", "labels": ["a"]}, "do not match the answer 'una'"),
        ([1, 2], {"why": "w", "labels": ["a", " "]}, "one of the labels .* is empty"),
    ],
)
def test_questions_that_no_reader_can_answer_are_refused(answer, options, words):
    with pytest.raises(ValueError, match=words):
        answer_field("q?", answer, **options)
