"""Exercise of Chapter 4: walk back along the steps of a tape."""

from __future__ import annotations

import numpy as np

from minibert.reference import Node, Tape

from .exercise import Exercise


class _Named(list):
    """A list that says in a message what it holds."""

    name = ""

    def __repr__(self) -> str:
        return self.name


def _named(name: str, entries: list) -> _Named:
    named = _Named(entries)
    named.name = name
    return named


def _case(formula: str, tape: Tape, **nodes: Node) -> tuple[_Named, _Named]:
    """Name the steps of a tape by what they compute, and the nodes by their letters."""
    return _named(formula, tape.steps), _named(f"[{', '.join(nodes)}]", [*nodes.values()])


def _triple(tape, x):
    return tape.run(lambda x: 3 * x, lambda g, y, x: [3 * g], x)


def _square(tape, x):
    return tape.run(lambda x: x**2, lambda g, y, x: [2 * x * g], x)


def _product(tape, a, b):
    return tape.run(lambda a, b: a * b, lambda g, y, a, b: [g * b, g * a], a, b)


def _chain():
    tape, x = Tape(), Node(np.array(2.0))
    a = _triple(tape, x)
    return _case("the steps of (3x)²", tape, x=x, a=a, l=_square(tape, a))


def _two_paths():
    tape, x = Tape(), Node(np.array(2.0))
    a, b = _triple(tape, x), tape.run(lambda x: x + 1, lambda g, y, x: [g], x)
    _product(tape, a, b)
    return _case("the steps of 3x · (x + 1)", tape, x=x, a=a, b=b)


def _twice():
    tape, x = Tape(), Node(np.array(5.0))
    _product(tape, x, x)
    return _case("the step x · x", tape, x=x)


def _meeting():
    """Use what a step has made in two later steps, one of which uses the other."""
    tape, x = Tape(), Node(np.array(0.5))
    a = _triple(tape, x)
    b = tape.run(np.exp, lambda g, y, a: [g * y], a)
    _product(tape, _product(tape, a, b), a)
    return _case("the steps of a · exp(a) · a with a = 3x", tape, x=x, a=a, b=b)


def _arrays():
    rng, tape = np.random.default_rng(43), Tape()
    w, x, aside = (Node(rng.standard_normal(shape)) for shape in [(2, 3), (3, 2), 2])
    y = tape.run(lambda w, x: w @ x, lambda g, y, w, x: [g @ x.T, w.T @ g], w, x)
    tape.run(lambda y: np.sum(y**2), lambda g, out, y: [2 * y * g], y)
    return _case("the steps of sum((w @ x)²)", tape, w=w, x=x, aside=aside)


def _walk_back(steps, nodes):
    steps[-1][1].grad = 1.0
    for backward, output, inputs in reversed(steps):
        arrays = [node.array for node in inputs]
        grads = backward(output.grad, output.array, *arrays)
        for node, grad in zip(inputs, grads):
            node.grad = node.grad + grad
    return [node.grad for node in nodes]


def _are_nodes(got, *_):
    return all(isinstance(entry, Node) for entry in got.ravel())


def _deeper(steps, nodes):
    """Go on from a node each time that something arrives there."""

    def go_back(node):
        for backward, output, inputs in steps:
            if output is node:
                grads = backward(node.grad, node.array, *[one.array for one in inputs])
                for one, grad in zip(inputs, grads):
                    one.grad = one.grad + grad
                    go_back(one)

    steps[-1][1].grad = 1.0
    go_back(steps[-1][1])
    return [node.grad for node in nodes]


check_walk_back = Exercise(
    "Walk a tape back, and return the gradients that have reached some of its nodes.",
    _walk_back,
    cases=[_chain(), _twice(), _two_paths(), _meeting(), _arrays()],
    forbidden=["walk_back"],
    in_place=True,
    mistakes={
        "reversed(steps) → steps": "Only the inputs of the last step have got anything. In which "
            "order are the steps to be walked, and does the loop run to its end?",
        ("steps[-1][1].grad = 1.0 →", "1.0 → 0.0"): "Every gradient is 0. How far does the loss "
            "move when the loss itself moves by 1? With that number the walk starts.",
        "steps[-1] → steps[0]": "You start at the first step. In which step is the loss made?",
        "steps[-1][1].grad = 1.0 → for step in steps: step[1].grad = 1.0": "The output of every "
            "step starts with 1. Which number alone has the gradient 1?",
        "1.0 → steps[-1][1].array": "You start with the value of the loss. How far does the loss "
            "move when the loss itself moves by 1?",
        "node.grad + grad → grad": "What arrives last replaces what came before. Where paths meet, "
            "what is done?",
        ("node.grad + grad → node.grad * grad", "reversed(steps) → reversed(steps[:-1])"): "The "
            "walk starts with 1, and nothing arrives anywhere. Is the last step walked, too? And "
            "what is done with a gradient where 0 stands so far?",
        "node.grad + grad → node.grad if np.any(node.grad) else grad": "What arrives second is "
            "dropped. Where paths meet, what is done?",
        "node.grad + grad → (node.grad + grad) / 2": "You average. Where paths meet, what is done?",
        "node.grad + grad → node.grad - grad": "You subtract what arrives. Where paths meet, what "
            "is done?",
        "backward(output.grad → backward(1.0": "Each step gets 1 as if it were the last. What has "
            "arrived at its output?",
        "backward(output.grad, output.array → backward(output.array, output.grad": "The way back "
            "takes first what arrives, then what the step has made. You hand them over the other "
            "way round.",
        "zip(inputs, grads) → zip(inputs[:1], grads)": "Only the first input of a step gets its "
            "gradient. How many does the way back return?",
        "zip(inputs, grads) → zip(inputs, reversed(grads))": "The gradients come in the order of "
            "the inputs. Yours come to the wrong ones.",
        "zip(inputs, grads) → dict(zip(inputs, grads)).items()": "A step may take one node twice, "
            "as x · x does. Both gradients count.",
        "zip(inputs, grads): → zip(inputs, grads): || node.grad = node.grad + grad → "
        "node.grad = node.grad + grad * any(node is made for _, made, _ in steps)": "Only what a "
            "step has made gets a gradient. Weights are made by no step, and they are to learn.",
        "node.grad = node.grad + grad → node.grad = node.grad + grad * "
        "all(node is not made for _, made, _ in steps)": "Only what no step has made gets a "
            "gradient. What do the steps before the last one get, then?",
        "reversed(steps) → reversed(steps[1:])": "The first step is left out: its inputs get "
            "nothing.",
        "[node.grad for node in nodes] → [node.array for node in nodes]": "These are the numbers "
            "of the nodes. What has reached them on the way back?",
        "[node.grad for node in nodes] → [*nodes]": ("These are the nodes. Return the gradient of "
            "each.", _are_nodes),
        "[node.grad for node in nodes] → [one.grad for _, one, _ in steps]": "You return the "
            "gradients of all outputs. Which nodes are asked for?",
        _deeper: "You go on from a node before all its gradients have arrived, and then once more: "
            "what came first is counted twice. In which order has everything arrived?",
    },
)  # fmt: skip
