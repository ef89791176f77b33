"""Exercises of Chapter 10: a token's way through the stack, and a model wrong in one way only."""

import numpy as np
from torch import nn

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.module import scoreboard

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
        "added / lengths[:-1] → added ¦ added / lengths[0]": "How long was the vector just before "
            "the step?",
        "- states[:-1] → - states[0]": "That is the way from the start. What does one step add?",
        "added / → lengths[1:] / ¦ abs(np.diff(lengths)) /": "A vector can turn and stay as long "
            "as it was: measure the difference.",
        "/ (lengths[1:] * lengths[0]) →": "By which two lengths is a cosine divided?",
        "cosines], → 1 - cosines], ¦ np.arccos(cosines)],": "Return the cosine itself.",
    },
)  # fmt: skip


def check_one_red_line(bert: type[nn.Module]) -> Verdict:
    """Check that a class of the reader's turns exactly one line of the scoreboard red.

    Parameters
    ----------
    bert : class
        Yours: a model in the place of `BertModel`.

    Returns
    -------
    Verdict
        Whether it passed, and otherwise the first thing to mend.
    """
    name = getattr(bert, "__name__", "your class")
    red = {line: told for line, told in scoreboard(bert).lines.items() if told}
    if len(red) == 1:
        (line,) = red
        return Verdict(True, f"Right: of {name} one line is red, {line!r}.")
    if not red:
        return Verdict(False, f"Not yet. All lines of {name} are green. What does it do wrongly?")
    first, told = next(iter(red.items()))
    told = f"{len(red)} lines of {name} are red. The first, {first!r}, says: {told}"
    asked = f"Red, too: {', '.join(map(repr, [*red][1:]))}. Which change leaves these as they are?"
    if len(red) > 9:  # the first stands in the way of the others
        asked = "Does forward hand on all that it gets?" * ("None" in told)
    return Verdict(False, f"Not yet. {told} {asked}".strip())
