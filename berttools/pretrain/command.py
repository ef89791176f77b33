"""What may be typed after ``minibert pretrain``; it imports nothing slow. Chapter 14."""

import argparse
from functools import partial
from types import MappingProxyType

from berttools.cli.failures import guarded
from berttools.cli.options import (
    SEED,
    add_option,
    folder_name,
    is_finished,
    new_parser,
    resume_hint,
    share_type,
    whole_number,
)

# The sizes that have a name, and the learning rate that goes with each: small models bear more.
LEARNING_RATES = MappingProxyType({"tiny": 1e-3, "mini": 5e-4, "base": 1e-4, "large": 1e-4})
OTHER_RATE = 1e-4

# What a run remembers; --resume goes on with it.
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

DESCRIPTION = """\
Pre-train a BERT on your own text: learn a vocabulary of word pieces, then learn to
guess masked words and to tell whether one sentence follows another.

A text file is UTF-8, with one sentence on each line and a blank line between documents."""

EPILOG = """\
examples:
  minibert pretrain novel.txt letters.txt --out my-bert
  minibert pretrain --out my-bert --resume
  torchrun --nproc-per-node 2 -m berttools pretrain novel.txt --out my-bert
  minibert fill my-bert "the man [MASK] the book"
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parse_options(arguments)

    def work() -> int:
        from .run import pretrain  # PyTorch takes seconds to load

        return pretrain(options)

    return guarded(work, lambda: resume_hint(options.out), lambda: is_finished(options.out))


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    usage = "%(prog)s FILE.txt … --out DIR [options]"
    texts = {"description": DESCRIPTION, "epilog": EPILOG, "usage": usage}
    parser = new_parser("pretrain", argument_default=argparse.SUPPRESS, **texts)
    _add_run(parser)
    _add_model(parser.add_argument_group("the model"))
    _add_training(parser.add_argument_group("the training"))
    given = vars(parser.parse_intermixed_args(arguments))
    others = sorted({*given} - {"out", "resume", "device"})
    if "resume" in given and others:
        told = "--resume goes on with the text and the options of the run; leave out"
        parser.error(f"{told} {others[0].replace('_', '-')}")
    if "resume" not in given and "files" not in given:
        parser.error("name at least one text file (or go on with a run: --resume)")
    return argparse.Namespace(**{"files": [], "resume": False, "device": None, **DEFAULTS, **given})


_add = partial(add_option, defaults=DEFAULTS)


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE.txt", help="text to learn from")
    text = "new or empty folder for the model, its vocabulary and its checkpoints"
    _add(parser, "out", text, required=True, type=folder_name, metavar="DIR")
    text = "go on with the run in DIR, with its own text and options"
    _add(parser, "resume", text, action="store_true")
    _add(parser, "device", "cpu, cuda, cuda:1 or mps (default: a GPU if there is one, else cpu)")
    text = "start of all chance; the same seed gives the same model"
    _add(parser, "seed", text, type=SEED, metavar="N")


def _add_model(group: argparse._ArgumentGroup) -> None:
    text = f"{', '.join(LEARNING_RATES)}, or the path of a BERT's config.json"
    _add(group, "config", text, metavar="SIZE")
    _add(group, "vocab_size", "most word pieces to learn", type=whole_number(6), metavar="N")
    _add(group, "cased", "keep capitals and accents (default: drop them)", action="store_true")
    text = "most tokens of a sentence pair; longer ones are cut"
    _add(group, "max_length", text, type=whole_number(5), metavar="N")


def _add_training(group: argparse._ArgumentGroup) -> None:
    _add(group, "max_steps", "updates of the weights", type=whole_number(1), metavar="N")
    text = "sentence pairs in one update, over all processes"
    _add(group, "batch_size", text, type=whole_number(1), metavar="N")
    rates = ", ".join(f"{LEARNING_RATES[name]:g} for {name}" for name in ("tiny", "mini"))
    text = f"the highest one, after a tenth of the steps (default: {rates}, else {OTHER_RATE:g})"
    _add(group, "learning_rate", text, type=share_type(1, zero=False), metavar="X")
    text = "share of the documents to measure with, never trained on; 0 measures nothing"
    _add(group, "held_out", text, type=share_type(1), metavar="SHARE")
    _add(group, "save_steps", "updates between two checkpoints", type=whole_number(1), metavar="N")
