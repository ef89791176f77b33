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

import torch

from bertbook.core.exercises.compare import converted
from bertbook.core.setting import is_stored
from minibert.parts import HOMES, replaced, use
from minibert.pretraining import BertForPreTraining

from .contracts.names import Part, replacements_of, spoken_name
from .contracts.parameter_shapes import roles_inside
from .reader_file import READER_FILE, run_reader_file

MODEL = BertForPreTraining  # the model that is built of all that the chapters build
MOST_NAMED = 3


def running_on(**functions: Callable) -> SimpleNamespace | None:
    """Use what you have kept from here on, and print which parts are yours.

    Without arguments, models that are built from here on have the classes in my_bert.py, and the
    package's where it has none. The stored book uses the package's alone.

    Args:
        **functions: Functions of the package, each by its name: ``running_on(softmax=softmax)``.

    Returns:
        With arguments: under each name yours, ``my_softmax``, if you have kept it, and otherwise
        the package's.
    """
    kept = _reader_definitions()
    if not functions:
        _replace_parts(kept)
        return None
    yours = {
        name: _with_types_of(function, kept[f"my_{name}"])
        for name, function in functions.items()
        if f"my_{name}" in kept
    }
    used = [f"{'your' if name in yours else 'our'} {name}" for name in functions]
    print(f"Running on: {', '.join(used)}.")
    return SimpleNamespace(**(functions | yours))


def on_our_parts() -> bool:
    """Say whether all models that are built from here on are made of our parts alone.

    What training comes to is asserted only then. A class of yours may be right and still draw other
    first weights, and so end at another number.

    Returns:
        False as soon as one part is yours, kept in my_bert.py or given to `use`.
    """
    return all(each.__module__.partition(".")[0] in HOMES for each in replaced().values())


def _with_types_of(reference: Callable, submission: Callable) -> Callable:
    """Convert results to the reference's types: arrays, tensors and tuples.

    A checker accepts a list of the same numbers; cells compute with arrays. The reference runs
    once, on copies of the first arguments, where these can be copied.
    """
    like: list[Any] = []

    @wraps(submission)
    def function(*given: Any, **named: Any) -> Any:
        if not like:
            like.append(None)
            # It is only asked for the types, so it must not draw what the submission would draw.
            with suppress(Exception), torch.random.fork_rng(devices=[]):
                like[0] = reference(*copy.deepcopy(given), **copy.deepcopy(named))
        result = submission(*given, **named)
        return result if like[0] is None else converted(result, like[0])

    return function


def _named_file() -> str:
    """Return the file that replaces the reader's when the book is tested on one."""
    return os.environ.get("BOOK_MINE", "")


def _reader_definitions() -> dict[str, Callable]:
    """Run the reader's file and return what it defines; print why if that is not possible."""
    path = Path(_named_file() or READER_FILE)
    if not _named_file() and (is_stored() or not path.is_file()):
        return {}
    try:
        return run_reader_file(path)
    except ValueError as error:
        if _named_file():
            raise
        print(f"{error}. Until it is mended, the package's are used.")
        return {}


def _replace_parts(kept: dict[str, Callable]) -> None:
    """Use each part that fulfills its contract; print what is wrong with the others."""
    use({role: role for role in replaced()})
    replacements, unknown = replacements_of(kept)
    used: list[Part] = []
    for role, replacement in replacements.items():
        try:
            use({role: replacement})
        except (TypeError, ValueError) as error:
            if _named_file():
                raise
            print(f"{error}. Until it is mended, the package's is used.")
        else:
            used.append(role)
    for sentence in unknown:
        print(f"{sentence}.")
    print(f"Running on: {_summary(used)}.")


def _summary(used: list[Part]) -> str:
    """Name the parts that are the reader's, and the package's if they are few."""
    yours = [f"your {spoken_name(role)}" for role in used]
    others = [spoken_name(role) for role in roles_inside(MODEL) if role not in used]
    if not others:
        return f"{', '.join(yours)}: every part of the model is yours"
    rest = f"our {' and our '.join(others)}" if len(others) <= MOST_NAMED else "ours for the rest"
    return ", ".join([*yours, rest]) if yours else "our parts"
