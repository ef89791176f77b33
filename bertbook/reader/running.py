"""Run a chapter on what the reader has kept. Chapter 3."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bertbook.core.exercises.compare import dressed
from bertbook.core.setting import is_stored
from minibert.parts import HOMES, replaced, use
from minibert.pretraining import BertForPreTraining

from .contracts import Part, replacements_of, roles_inside, spoken_name
from .reader_file import READER_FILE, run_reader_file

WHOLE = BertForPreTraining  # the model that is built of all that the chapters build
FEW = 3


def running_on(**ours: Callable) -> SimpleNamespace | None:
    """Let what you have kept play from here on, and say whose part plays what.

    Without arguments, every model that is built from here on is made of the classes in my_bert.py,
    and of ours where it has none. The stored book runs on ours.

    Parameters
    ----------
    **ours
        Functions of the package, each by its name: ``running_on(softmax=softmax)``.

    Returns
    -------
    SimpleNamespace or None
        With arguments: under each name yours, ``my_softmax``, if you have kept it, and otherwise
        ours.
    """
    kept = _things()
    if not ours:
        _play(kept)
        return None
    yours = {
        name: _in_the_dress_of(function, kept[f"my_{name}"])
        for name, function in ours.items()
        if f"my_{name}" in kept
    }
    players = [f"{'your' if name in yours else 'our'} {name}" for name in ours]
    print(f"Running on: {', '.join(players)}.")
    return SimpleNamespace(**(ours | yours))


def on_our_parts() -> bool:
    """Say whether all models that are built from here on are made of our parts alone.

    What training comes to is asserted only then. A class of yours may be right and still draw other
    first weights, and so end at another number.

    Returns
    -------
    bool
        False as soon as one part is yours, kept in my_bert.py or given to `use`.
    """
    return all(player.__module__.partition(".")[0] in HOMES for player in replaced().values())


def _in_the_dress_of(ours: Callable, yours: Callable) -> Callable:
    """Let a function return arrays, tensors and tuples where ours does.

    Its checker takes a list of the same numbers as well; cells compute with what ours returns. Ours
    is asked once, with copies of the first arguments, where these can be copied.
    """
    like: list[Any] = []

    @wraps(yours)
    def function(*given: Any, **named: Any) -> Any:
        if not like:
            like.append(None)
            with suppress(Exception):  # ours is only a sample here
                like[0] = ours(*copy.deepcopy(given), **copy.deepcopy(named))
        answer = yours(*given, **named)
        return answer if like[0] is None else dressed(answer, like[0])

    return function


def _named_file() -> str:
    """Return the file that takes the place of the reader's, when the book is tested on one."""
    return os.environ.get("BOOK_MINE", "")


def _things() -> dict[str, Callable]:
    """Run the file that counts here; say so if that is not possible."""
    path = Path(_named_file() or READER_FILE)
    if not _named_file() and (is_stored() or not path.is_file()):
        return {}
    try:
        return run_reader_file(path)
    except ValueError as error:
        if _named_file():
            raise
        print(f"{error}. Until it is mended, ours play.")
        return {}


def _play(kept: dict[str, Callable]) -> None:
    """Let each part play that keeps its contract; say what is wrong with the others."""
    use({role: role for role in replaced()})
    players, nameless = replacements_of(kept)
    playing: list[Part] = []
    for role, player in players.items():
        try:
            use({role: player})
        except (TypeError, ValueError) as error:
            if _named_file():
                raise
            print(f"{error}. Until it is mended, ours plays.")
        else:
            playing.append(role)
    for sentence in nameless:
        print(f"{sentence}.")
    print(f"Running on: {_cast(playing)}.")


def _cast(playing: list[Part]) -> str:
    """Say whose part plays what, and of the whole model which few parts are still ours."""
    yours = [f"your {spoken_name(role)}" for role in playing]
    ours = [spoken_name(role) for role in roles_inside(WHOLE) if role not in playing]
    if not ours:
        return f"{', '.join(yours)}: every part of the model is yours"
    rest = f"our {' and our '.join(ours)}" if len(ours) <= FEW else "ours for the rest"
    return ", ".join([*yours, rest]) if yours else "our parts"
