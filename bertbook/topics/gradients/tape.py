"""Exercise of Chapter 4: walk back along the steps of a tape."""

from collections.abc import Iterable

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from minibert.reference import Node, Tape


class _Named(list):
    """A list that says in a message what it holds."""

    def __init__(self, name: str, entries: Iterable) -> None:
        super().__init__(entries)
        self.name = name

    def __repr__(self) -> str:
        return self.name


def _case(formula: str, tape: Tape, **nodes: Node) -> tuple[_Named, _Named]:
    """Name the steps of a tape by what they compute, and the nodes by their letters."""
    return _Named(formula, tape.steps), _Named(f"[{', '.join(nodes)}]", nodes.values())


_TRIPLE = (lambda x: 3 * x, lambda g, y, x: [3 * g])
_PRODUCT = (lambda a, b: a * b, lambda g, y, a, b: [g * b, g * a])


def _chain():
    tape, x = Tape(), Node(np.array(2.0))
    a = tape.run(*_TRIPLE, x)
    square = tape.run(lambda a: a**2, lambda g, y, a: [2 * a * g], a)
    return _case("the steps of (3x)²", tape, x=x, a=a, l=square)


def _two_paths():
    tape, x = Tape(), Node(np.array(2.0))
    a, b = tape.run(*_TRIPLE, x), tape.run(lambda x: x + 1, lambda g, y, x: [g], x)
    tape.run(*_PRODUCT, a, b)
    return _case("the steps of 3x · (x + 1)", tape, x=x, a=a, b=b)


def _twice():
    tape, x = Tape(), Node(np.array(5.0))
    tape.run(*_PRODUCT, x, x)
    return _case("the step x · x", tape, x=x)


def _meeting():
    """Use what a step has made in two later steps, one of which uses the other."""
    tape, x = Tape(), Node(np.array(0.5))
    a = tape.run(*_TRIPLE, x)
    b = tape.run(np.exp, lambda g, y, a: [g * y], a)
    tape.run(*_PRODUCT, tape.run(*_PRODUCT, a, b), a)
    return _case("the steps of a · exp(a) · a with a = 3x", tape, x=x, a=a, b=b)


def _arrays():
    rng, tape = np.random.default_rng(43), Tape()
    w, x, aside = (Node(rng.standard_normal(shape)) for shape in [(3, 3), (3, 2), 2])
    y = tape.run(lambda w, x: w @ x, lambda g, y, w, x: [g @ x.T, w.T @ g], w, x)
    z = tape.run(lambda x, y: x + y, lambda g, z, x, y: [g, g], x, y)
    tape.run(lambda z: np.sum(z**2), lambda g, out, z: [2 * z * g], z)
    return _case("the steps of sum((w @ x + x)²)", tape, w=w, x=x, y=y, aside=aside)


def _walk_back(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        arrays = [node.array for node in inputs]
        grads = backward(output.grad, output.array, *arrays)
        for node, grad in zip(inputs, grads):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


check_walk_back = Exercise(
    "Walk a tape back, and return the gradients that have reached some of its nodes.",
    _walk_back,
    cases=[_chain(), _twice(), _two_paths(), _meeting(), _arrays()],
    forbidden=["walk_back"], in_place=True,
    mistakes={
        "reversed(steps) → steps": "Only the last step is walked. In which order does it go back?",
        "1.0 → 0.0 ¦ steps[-1][1].array": "How far does the loss move when it moves by 1?",
        "steps[-1] → steps[0]": "You start at the first step. In which step is the loss made?",
        "steps[-1][1].grad → for step in steps: step[1].grad": "Only the loss has the gradient 1.",
        "zip(inputs, grads) → [(inputs[0], grads[0])] ¦ zip(reversed(inputs), grads)": "Each input "
            "has a gradient of its own, in the same order.",
        "reversed(steps) → reversed(steps[1:])": "You leave out a step.",
        "node.grad + grad → (node.grad if np.any(node.grad) else grad) ¦ grad ¦ node.grad * grad":
            "Where paths meet, what is done with what arrives?",
        "zip(…) → dict(zip(…)).items()": "x · x takes one node twice. Both count.",
        "→ [*nodes]": ("Return their gradients.", lambda got, *_: isinstance(got.flat[0], Node)),
    },
)  # fmt: skip
