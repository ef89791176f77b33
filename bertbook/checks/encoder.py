"""Exercises of Chapter 10: a token's way through the stack, and a model wrong in one way only."""

from __future__ import annotations

import numpy as np
from torch import nn

from .exercise import Exercise
from .module import scoreboard
from .verdict import Verdict

_RNG = np.random.default_rng(10)


def _stream(states):
    lengths = np.linalg.norm(states, axis=1)
    added = np.linalg.norm(states[1:] - states[:-1], axis=1)
    cosines = states[1:] @ states[0] / (lengths[1:] * lengths[0])
    return np.stack([added / lengths[:-1], cosines], axis=1)


check_stream = Exercise(
    "Say of each step of a token's vector how much it adds, and how near the start it still is.",
    _stream,
    cases=[(_RNG.normal(size=(steps, 4)) + 0.5,) for steps in (2, 3, 5)],
    mistakes={
        "added / lengths[:-1] → added": "You return the length of what is added. Beside which "
            "length is it to be seen?",
        "added / lengths[:-1] → added / lengths[1:]": "You divide by the length after the step. "
            "How long was the vector before it?",
        "added / lengths[:-1] → added / lengths[0]": "You divide by the length at the start, in "
            "every step. How long was the vector just before the step?",
        "states[1:] - states[:-1] → states[1:] - states[0]": "You measure how far the vector is "
            "from the start. What does one step add to it?",
        "added / lengths[:-1] → lengths[1:] / lengths[:-1]": "You compare lengths. A vector can "
            "turn and stay as long as it was: take the length of the difference.",
        "added / lengths[:-1] → lengths[1:] / lengths[:-1] - 1": "You subtract lengths. A vector "
            "can turn and stay as long as it was: take the length of the difference.",
        "states[1:] @ states[0] / (lengths[1:] * lengths[0]) → states[1:] @ states[0]": "Your "
            "second column is a dot product. By which lengths is it divided to be a cosine?",
        ("np.linalg.norm(states[1:] - states[:-1], axis=1) → "
         "((states[1:] - states[:-1])**2).sum(axis=1)"): "You sum the "
            "squares of the change. What makes a length of it?",
        ("np.linalg.norm(states[1:] - states[:-1], axis=1) → "
         "abs(states[1:] - states[:-1]).sum(axis=1)"): "You sum the "
            "sizes of the entries. How is the length of a vector computed?",
        "cosines], → 1 - cosines],": "Your second column is 1 minus the cosine. Which of the two "
            "is asked for?",
        ("states[1:] @ states[0] / (lengths[1:] * lengths[0]) → "
         "states @ states[0] / (lengths * lengths[0])"): "You have one cosine too many: row 0 is "
            "no step. How many steps are there?",
        "(lengths[1:] * lengths[0]) → lengths[1:]": "Your cosine is divided by one length only. "
            "Whose is missing?",
        "(lengths[1:] * lengths[0]) → lengths[0]": "Your cosine is divided by one length only. "
            "Whose is missing?",
        ("states[1:] @ states[0] / (lengths[1:] * lengths[0]) → "
         "(states[1:] * states[:-1]).sum(axis=1) / (lengths[1:] * lengths[:-1])"): "Your cosines "
            "are with the vector before the step. With which vector should they be?",
        ("states[1:] @ states[0] / (lengths[1:] * lengths[0]) → "
         "states[:-1] @ states[0] / (lengths[:-1] * lengths[0])"): "Your cosines begin with the "
            "start itself, 1, and lack the last step. Which vector does a step give?",
        ("states[1:] @ states[0] / (lengths[1:] * lengths[0]) → "
         "states[:-1] @ states[-1] / (lengths[:-1] * lengths[-1])"): "Your cosines are with the "
            "end. With which vector should they be?",
        "[added / lengths[:-1], cosines] → [cosines, added / lengths[:-1]]": "Your columns have "
            "changed places. Which is first?",
        "cosines], axis=1 → cosines], axis=0": "You return two rows. Each step should have a row.",
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
