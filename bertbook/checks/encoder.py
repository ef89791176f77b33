"""Exercises of Chapter 10: the stack, and a model that is wrong in one way only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import nn

from minibert.reference import softmax

from .exercise import Exercise
from .module import scoreboard
from .verdict import Verdict

_RNG = np.random.default_rng(10)


@dataclass(frozen=True)
class _SmallLayer:
    """A layer without weights: scaled attention of the vectors to themselves, and a residual."""

    scale: float

    def __call__(self, hidden_states, additive_mask):
        scores = self.scale * hidden_states @ hidden_states.T + additive_mask
        return hidden_states + softmax(scores) @ hidden_states


def _stack(hidden_states, mask, layers):
    states = [hidden_states]
    for layer in layers:
        states.append(layer(states[-1], mask))
    return np.stack(states)


def _stack_case(mask, number):
    hidden = np.where(mask, np.finfo(float).min, 0)
    layers = [_SmallLayer(0.5 * (k + 1)) for k in range(number)]
    return _RNG.normal(size=(len(mask), 3)), hidden, layers


check_stack = Exercise(
    "Send vectors through a list of layers; return the hidden states before, between and after.",
    _stack,
    cases=[
        _stack_case([0, 0, 1], 1),
        _stack_case([0, 0, 0, 1, 1], 2),
        _stack_case([0, 1, 0], 3),
        _stack_case([0, 0], 2),
    ],
    mistakes={
        ("states.append(layer(states[-1], mask)) → states.append(layer(states[-1], mask)); "
         "mask = 0 * mask"): "Only the first layer gets the mask. After it, everybody looks at the "
            "padding.",
        "mask)) → 0 * mask))": "No layer gets the mask.",
        "states[-1] → states[0]": "Every layer gets the embeddings. What should the second layer "
            "get?",
        "in layers → in layers[:1] * len(layers)": "You go through the first layer again and "
            "again. Each layer has weights of its own.",
        "in layers → in layers[::-1]": "You go through the layers from the last to the first.",
        "np.stack(states) → np.stack(states[::-1])": "The order is turned around: what goes into "
            "the first layer comes first.",
        "np.stack(states) → np.stack(states[1:])": "What comes out of each layer is there. What "
            "goes into the first one is a hidden state, too.",
        "np.stack(states) → np.stack(states[:-1])": "What comes out of the last layer is missing.",
        "np.stack(states) → states[-1]": "That is the last hidden state alone. Return all of them.",
    },
)  # fmt: skip


def check_one_red_line(bert: type[nn.Module]) -> Verdict:
    """Check that a class of the reader's turns exactly one line of the scoreboard red."""
    name = getattr(bert, "__name__", "your class")
    red = {line: told for line, told in scoreboard(bert).lines.items() if told}
    if len(red) == 1:
        (line,) = red
        return Verdict(True, f"Right: of {name} one line is red, {line!r}.")
    if not red:
        return Verdict(False, f"Not yet. All lines of {name} are green. What does it do wrongly?")
    first, told = next(iter(red.items()))
    return Verdict(
        False, f"Not yet. {len(red)} lines of {name} are red. The first, {first!r}, says: {told}"
    )
