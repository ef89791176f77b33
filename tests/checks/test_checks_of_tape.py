"""Walking a tape back, in Chapter 4: right in any way, and what readers get wrong is named."""

import ast
import inspect
import textwrap

import pytest

from bertbook.topics.gradients.tape import _walk_back, check_walk_back
from minibert.reference import Tape


def gradients(node):
    return [n.array for n in node]


def by_number(steps, nodes):
    steps[-1][1].grad += 1
    for number in range(len(steps) - 1, -1, -1):
        backward, output, inputs = steps[number]
        given = backward(output.grad, output.array, *gradients(inputs))
        for node, grad in zip(inputs, given, strict=True):
            node.grad += grad
    return tuple(node.grad for node in nodes)


def until_nothing_is_left(steps, nodes):
    steps[-1][1].grad = steps[-1][1].array * 0 + 1
    while steps:
        backward, output, inputs = steps.pop()
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            node.grad = grad + node.grad
    return [node.grad for node in nodes]


@pytest.mark.parametrize("answer", [by_number, until_nothing_is_left])
def test_right_answers_pass_however_they_are_written(answer):
    verdict = check_walk_back(answer)
    assert verdict.passed, verdict


def test_the_package_walks_as_the_solution_does():
    """But for its first lines, where one has a tape, and its last, where one has no nodes."""
    ours, theirs = (
        ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
        for function in (_walk_back, Tape.walk_back)
    )
    written = "\n".join(map(ast.unparse, theirs[1:])).replace("self.steps", "steps")
    assert written == "\n".join(map(ast.unparse, ours[:-1]))


def of_nodes(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, output.array, *inputs)):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def the_nodes(steps, nodes):
    by_number(steps, nodes)
    return nodes


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (of_nodes, "A node holds an array and its gradient. Which of the two is needed here?"),
        (the_nodes, "Return their gradients."),
    ],
)
def test_what_readers_get_wrong_is_named(answer, told):
    verdict = check_walk_back(answer)
    assert not verdict.passed
    assert told in verdict.message, verdict
