"""Exercise of Chapter 10: a model that is wrong in one way only."""

from torch import nn

from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.module import scoreboard


def check_one_red_line(bert: type[nn.Module]) -> Verdict:
    """Check that a class of the reader's turns exactly one line of the scoreboard red.

    Args:
        bert: Yours: a model in the place of `BertModel`.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    name = getattr(bert, "__name__", "your class")
    red = {line: message for line, message in scoreboard(bert).lines.items() if message}
    if len(red) == 1:
        (line,) = red
        return Verdict(True, f"Right: of {name} one line is red, {line!r}.")
    if not red:
        return Verdict(False, f"Not yet. All lines of {name} are green. What does it do wrongly?")
    first, message = next(iter(red.items()))
    message = f"{len(red)} lines of {name} are red. The first, {first!r}, says: {message}"
    asked = f"Red, too: {', '.join(map(repr, [*red][1:]))}. Which change leaves these as they are?"
    if len(red) > 9:  # the first stands in the way of the others
        asked = "Does forward hand on all that it gets?" * ("None" in message)
    return Verdict(False, f"Not yet. {message} {asked}".strip())
