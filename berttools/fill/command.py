"""What may be typed after ``minibert fill``, and what is done then. Chapter 14."""

import argparse
import io
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from berttools.cli.failures import sentence_of
from berttools.cli.options import new_parser, whole_number
from berttools.cli.output import complain, say

DESCRIPTION = """\
Print the words that a trained BERT would put for each [MASK], with their probabilities.

A word that begins with ## continues the word before it. Without a TEXT, each line that is
typed (or piped in) is one."""

EPILOG = """\
examples:
  minibert fill my-bert "the man [MASK] the book"
  minibert fill my-bert --top 3 "one [MASK] sleeps" "the [MASK] reads the [MASK]"
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _parser().parse_intermixed_args(arguments)
    if not Path(options.folder).is_dir():
        raise FileNotFoundError(f"there is no folder {options.folder!r}; name that of a model")
    from .masks import fill_masks, open_folder  # PyTorch takes seconds to load

    fill = partial(fill_masks, *open_folder(options.folder), top=options.top)
    statuses = [_answer(text, fill) for text in options.texts or _typed()]
    if not statuses:
        raise ValueError("there was nothing to read; give a sentence with [MASK]")
    return max(statuses)


def _answer(text: str, fill: Callable[[list[str]], Any]) -> int:
    """Print the guesses for one text, or its error; return the exit status."""
    try:
        [masks] = fill([text])
    except ValueError as error:
        complain(sentence_of(error))
        return 1
    width = max(len(guess.word) for guesses in masks for guess in guesses)
    lines = [text]
    for number, guesses in enumerate(masks, start=1):
        lines += [f"  [MASK] {number}"] if len(masks) > 1 else []
        lines += [f"  {guess.word:{width}}  {guess.prob:.3f}" for guess in guesses]
    say("\n".join(lines))
    return 0


def _typed() -> Iterable[str]:
    """Return the lines that are typed or piped in, without empty ones."""
    if sys.stdin.isatty():
        print("Type a sentence with [MASK]; Ctrl+D ends.", file=sys.stderr)
    elif isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="strict")  # whatever the terminal has
    return filter(None, map(str.strip, sys.stdin))


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("fill", description=DESCRIPTION, epilog=EPILOG)
    parser.add_argument("folder", metavar="DIR", help="folder of a finished model")
    text = "a sentence with [MASK]"
    parser.add_argument("texts", nargs="*", default=[], metavar="TEXT", help=text)
    text = "guesses for each (default: %(default)s)"
    parser.add_argument("--top", type=whole_number(1), default=5, metavar="N", help=text)
    return parser
