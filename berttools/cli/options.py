"""What may be typed after ``python -m berttools.pretrain``; it imports nothing slow. Chapter 14."""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

# In the folder of a run: what was typed when it began, and what came of it, written last.
PLAN, REPORT = "run.json", "report.txt"
# The report names the folder, and in a plain locale Python keeps odd letters of a name as bytes.
ANY_NAME = {"encoding": "utf-8", "errors": "surrogateescape"}

# The sizes that have a name, and the learning rate that goes with each: small models bear more.
LEARNING_RATES = MappingProxyType({"tiny": 1e-3, "mini": 5e-4, "base": 1e-4, "large": 1e-4})
OTHER_RATE = 1e-4

LARGEST_SEED = 2**64 - 1  # PyTorch takes no larger one

# What a run remembers. It resumes with the same or not at all, but for those that change nothing.
DEFAULTS = MappingProxyType(
    {
        "config": "tiny",
        "vocab_size": 8000,
        "cased": False,
        "max_length": 128,
        "max_steps": 5000,
        "batch_size": 32,
        "learning_rate": None,
        "held_out": 0.05,
        "seed": 0,
        "save_steps": 500,
    }
)
FREE_TO_CHANGE = ("save_steps",)

LOOK: dict[str, Any] = {
    "formatter_class": argparse.RawDescriptionHelpFormatter,
    "allow_abbrev": False,
}

DESCRIPTION = """\
Pre-train a BERT on your own text: learn a vocabulary of word pieces, then learn to
guess masked words and to tell whether one sentence follows another.

A text file is UTF-8, with one sentence on each line and a blank line between documents."""

EPILOG = """\
examples:
  python -m berttools.pretrain novel.txt letters.txt --out my-bert
  python -m berttools.pretrain --out my-bert --resume
  torchrun --nproc-per-node 2 -m berttools.pretrain novel.txt --out my-bert
  python -m berttools.fill my-bert "the man [MASK] the book"
"""


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line; what was not given is None."""
    usage = "%(prog)s FILE.txt … --out DIR [options]"
    parser = new_parser("pretrain", description=DESCRIPTION, epilog=EPILOG, usage=usage)
    _add_run(parser)
    _add_model(parser.add_argument_group("the model"))
    _add_training(parser.add_argument_group("the training"))
    options = parser.parse_intermixed_args(arguments)
    if not options.files and not options.resume:
        parser.error("name at least one text file (or go on with a run: --resume)")
    return options


def new_parser(command: str, **texts: Any) -> argparse.ArgumentParser:
    """Begin the command line of ``python -m minibert.command``."""
    return argparse.ArgumentParser(prog=f"python -m minibert.{command}", **LOOK, **texts)


def add_option(
    group: Any, name: str, text: str, defaults: Mapping[str, Any] = DEFAULTS, **more: Any
) -> None:
    """Add an option that is None unless given, or a flag; the help shows its default."""
    if defaults.get(name) is not None and "(default" not in text:
        text = f"{text} (default: {defaults[name]})"
    group.add_argument("--" + name.replace("_", "-"), help=text, **more)


def is_finished(folder: str | Path, report: str = REPORT) -> bool:
    """Return whether the run in a folder is finished."""
    return (Path(folder) / report).is_file()


def resume_hint(folder: str | Path, command: str = "berttools.pretrain") -> str:
    """Return the sentence with the command that resumes a run."""
    if not (Path(folder) / PLAN).exists():
        return "type the same command again"
    return f"go on with: python -m {command} --out {shlex.quote(str(folder))} --resume"


def _add_run(parser: argparse.ArgumentParser) -> None:
    text = "text to learn from"
    parser.add_argument("files", nargs="*", default=[], metavar="FILE.txt", help=text)
    text = "new or empty folder for the model, its vocabulary and its checkpoints"
    add_option(parser, "out", text, required=True, metavar="DIR")
    text = "go on with the run in DIR; files and options are the run's own and need not be given"
    add_option(parser, "resume", text, action="store_true")
    add_option(
        parser, "device", "cpu, cuda, cuda:1 or mps (default: a GPU if there is one, else cpu)"
    )
    text = "start of all chance; the same seed gives the same model"
    add_option(parser, "seed", text, type=SEED, metavar="N")


def _add_model(group: argparse._ArgumentGroup) -> None:
    text = f"{', '.join(LEARNING_RATES)}, or the path of a BERT's config.json"
    add_option(group, "config", text, metavar="SIZE")
    add_option(group, "vocab_size", "most word pieces to learn", type=whole_number(6), metavar="N")
    text = "keep capitals and accents (default: drop them)"
    add_option(group, "cased", text, action="store_true", default=None)
    text = "most tokens of a sentence pair; longer ones are cut"
    add_option(group, "max_length", text, type=whole_number(5), metavar="N")


def _add_training(group: argparse._ArgumentGroup) -> None:
    add_option(group, "max_steps", "updates of the weights", type=whole_number(1), metavar="N")
    text = "sentence pairs in one update, over all processes"
    add_option(group, "batch_size", text, type=whole_number(1), metavar="N")
    rates = ", ".join(f"{LEARNING_RATES[name]:g} for {name}" for name in ("tiny", "mini"))
    text = f"the highest one, after a tenth of the steps (default: {rates}, else {OTHER_RATE:g})"
    add_option(group, "learning_rate", text, type=share_type(math.inf, zero=False), metavar="X")
    text = "share of the documents to measure with, never trained on; 0 measures nothing"
    add_option(group, "held_out", text, type=share_type(1), metavar="SHARE")
    add_option(
        group, "save_steps", "updates between two checkpoints", type=whole_number(1), metavar="N"
    )


def whole_number(least: int, most: int = 2**63 - 1) -> Callable[[str], int]:
    """Return an argparse type for whole numbers."""

    def convert(text: str) -> int:
        if not text.removeprefix("-").isdecimal():
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
        value = int(text[:100])  # Python reads no number of many thousand digits
        if value < least:
            raise argparse.ArgumentTypeError(f"{text} is too small; the least is {least}")
        if value > most:
            raise argparse.ArgumentTypeError(f"{text[:100]} is too large; the most is {most}")
        return value

    return convert


SEED = whole_number(0, LARGEST_SEED)


def share_type(below: float, zero: bool = True) -> Callable[[str], float]:
    """Return an argparse type for numbers from 0 on."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
        if not 0 <= value < below or (value == 0 and not zero):
            least = "at least 0" if zero else "above 0"
            most = "finite" if math.isinf(below) else f"below {below}"
            raise argparse.ArgumentTypeError(f"{text} must be {least} and {most}")
        return value

    return convert
