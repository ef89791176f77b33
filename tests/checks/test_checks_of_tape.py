"""Walking a tape back, in Chapter 4: right in any way, and what readers get wrong is named."""

import ast
import inspect
import textwrap

import pytest

from bertbook.checks.tape import _walk_back, check_walk_back
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


def on_a_tape(steps, nodes):
    tape = Tape()
    tape.steps = steps
    tape.walk_back()
    return [node.grad for node in nodes]


@pytest.mark.parametrize("answer", [by_number, until_nothing_is_left])
def test_right_answers_pass_however_they_are_written(answer):
    verdict = check_walk_back(answer)
    assert verdict.passed, verdict


def test_the_loop_of_the_package_is_no_answer():
    verdict = check_walk_back(on_a_tape)
    assert not verdict.passed
    assert "uses walk_back, and this exercise asks to do without" in verdict.message


def test_the_package_walks_as_the_solution_does():
    """But for its first lines, where one has a tape, and its last, where one has no nodes."""
    ours, theirs = (
        ast.parse(textwrap.dedent(inspect.getsource(function))).body[0].body
        for function in (_walk_back, Tape.walk_back)
    )
    written = "\n".join(map(ast.unparse, theirs[1:])).replace("self.steps", "steps")
    assert written == "\n".join(map(ast.unparse, ours[:-1]))


def no_end(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            node.grad = node.grad + grad
        return [node.grad for node in nodes]
    return []


def of_nodes(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, output.array, *inputs)):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def without_output(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, *gradients(inputs))):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def to_the_second(steps, nodes):
    steps[-1][1].grad = 1.0
    for number in range(len(steps) - 1, 0, -1):
        backward, output, inputs = steps[number]
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def by_dict(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        arrived = {}
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            arrived[node] = grad
        for node, grad in arrived.items():
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def once_only(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            if not node.grad.any():
                node.grad = grad
    return [node.grad for node in nodes]


def ones(steps, nodes):
    for _, output, _ in steps:
        output.grad = output.array * 0 + 1
    for backward, output, inputs in reversed(steps):
        for node, grad in zip(inputs, backward(output.grad, output.array, *gradients(inputs))):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def the_nodes(steps, nodes):
    by_number(steps, nodes)
    return nodes


def walked_and_lost(steps, nodes):
    by_number(steps, nodes)


def reversed_in_place(steps, nodes):
    for _backward, _output, _inputs in steps.reverse():
        pass
    return [node.grad for node in nodes]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (no_end, "Only the last step is walked."),
        (of_nodes, "A node holds an array and its gradient. Which of the two is needed here?"),
        (without_output, "It is called with fewer things than it takes. Which one is left out?"),
        (to_the_second, "The first step is left out: its inputs get nothing."),
        (by_dict, "x · x takes one node twice. Both count."),
        (once_only, "Where paths meet, what is done with what arrives?"),
        (ones, "Only the loss has the gradient 1."),
        (the_nodes, "Return each node's gradient."),
        (walked_and_lost, "returns nothing yet"),
        (reversed_in_place, "Something is None here"),
    ],
)
def test_what_readers_get_wrong_is_named(answer, told):
    verdict = check_walk_back(answer)
    assert not verdict.passed
    assert told in verdict.message, verdict
