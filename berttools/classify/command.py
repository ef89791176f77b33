"""What may be typed after ``minibert classify``; it imports nothing slow. Chapter 19."""

from __future__ import annotations

import argparse
import math
from functools import partial
from types import MappingProxyType

from berttools.cli.failures import ended_by_ctrl_c, guarded
from berttools.cli.options import (
    LOOK,
    SEED,
    add_option,
    is_finished,
    new_parser,
    resume_hint,
    share_type,
    whole_number,
)

REPORT = "report.md"  # written last
METHODS = MappingProxyType(  # what is compared: as it is typed, and as it is called
    {"words": "counted words", "frozen": "frozen vectors", "fine-tuned": "fine-tuned"}
)

# What a run remembers. It resumes with the same or not at all.
DEFAULTS = MappingProxyType(
    {
        "text": "text",
        "label": "label",
        "pair": None,
        "group": None,
        "time": None,
        "encoding": None,
        "model": None,
        "class_weights": "best",
        "use": "best",
        "promise": 0.9,
        "epochs": None,
        "learning_rate": 1e-4,
        "batch_size": 32,
        "max_length": 128,
        "seed": 0,
    }
)

DESCRIPTION = """\
Make a classifier from a table of texts and labels, and answer with it.

`train` reads the table, finds copies and contradictions, divides it, and compares three methods:
counted words, frozen vectors of an encoder, and the encoder fine-tuned. It writes a folder with the
best of them and report.md, which says what its answers are worth. `predict` answers, and says "I do
not know" below a threshold."""

EPILOG = """\
examples:
  minibert classify train letters.csv --text text --label label --out my-classifier
  minibert classify train --out my-classifier --resume
  minibert classify predict my-classifier "the box hums all night"
  minibert classify predict my-classifier letters.csv
"""

TABLE = """\
The table is CSV, TSV or JSON lines, in UTF-8. With --time the newest rows are the test part. Rows
that share a --group, or whose texts are copies, are never in two parts."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parse_options(arguments)

    def work() -> int:
        # PyTorch takes seconds to load: only now, for who asks for help need not wait.
        with ended_by_ctrl_c():
            if options.does == "predict":
                from .predict import predict_typed as answer
            else:
                from .run import train_classifier as answer
        return answer(options)

    if options.does == "predict":
        return guarded(work, lambda: "type the same command again", lambda: True)
    return guarded(work, lambda: go_on(options.out), lambda: is_finished(options.out, REPORT))


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line; what was not given to `train` is None."""
    parser = new_parser("classify", description=DESCRIPTION, epilog=EPILOG)
    commands = parser.add_subparsers(dest="does", required=True, metavar="train|predict")
    texts = {"help": "make a classifier from a table", "description": TABLE}
    usage = "minibert classify train TABLE --text NAME --label NAME --out DIR [options]"
    train = commands.add_parser("train", usage=usage, **texts, **LOOK)
    _add_train(train)
    texts = {"help": "answer with a classifier"}
    usage = "minibert classify predict DIR TEXT … [options]"
    _add_predict(commands.add_parser("predict", usage=usage, **texts, **LOOK))
    options = parser.parse_args(arguments)
    if options.does == "train" and not (options.table or options.resume):
        train.error("name a table (or go on with a run: --resume)")
    return options


go_on = partial(resume_hint, command="classify train")
_add = partial(add_option, defaults=DEFAULTS)


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", nargs="?", metavar="TABLE", help="file of texts and labels")
    parser.add_argument("--out", required=True, metavar="DIR", help="new or empty folder")
    text = "go on with the run in DIR; nothing else need be given"
    _add(parser, "resume", text, action="store_true")
    columns = parser.add_argument_group("the columns, by name")
    _add(columns, "text", "the texts", metavar="NAME")
    _add(columns, "label", "the labels", metavar="NAME")
    _add(columns, "pair", "second texts, if the label is that of a pair", metavar="NAME")
    _add(columns, "group", "what must stay together, such as a writer", metavar="NAME")
    _add(columns, "time", "ISO dates or numbers; the newest are the test", metavar="NAME")
    _add(columns, "encoding", "of the file (default: UTF-8)", metavar="NAME")
    model = parser.add_argument_group("the model and its training")
    _add(model, "model", "folder of a BERT (default: MiniLM, of the extra `models`)", metavar="DIR")
    text = "rare classes count more (balanced), or not (none), or what does better (best)"
    _add(model, "class_weights", text, choices=("best", "balanced", "none"))
    text = "what answers later: the method with most rows right to choose with, or this one"
    _add(model, "use", text, choices=("best", *METHODS))
    text = "share of right answers to promise; a class that cannot keep it is not answered"
    _add(model, "promise", text, type=share_type(1, zero=False), metavar="SHARE")
    text = "most times through the rows (default: 4, or 150 updates); it stops when it gets worse"
    _add(model, "epochs", text, type=whole_number(1), metavar="N")
    _add(model, "learning_rate", "the highest", type=share_type(math.inf, zero=False), metavar="X")
    _add(model, "batch_size", "rows of an update", type=whole_number(1), metavar="N")
    _add(model, "max_length", "most tokens of a text", type=whole_number(5), metavar="N")
    _add(model, "seed", "start of all chance", type=SEED, metavar="N")
    _add(parser, "device", "cpu, cuda or mps (default: a GPU if there is one)", metavar="NAME")


def _add_predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder that `train` has written")
    parser.add_argument("texts", nargs="+", metavar="TEXT", help="a text, or the file of a table")
    _add(parser, "text", "column of a table (default: as it was for training)", metavar="NAME")
    _add(parser, "pair", "column of second texts (default: likewise)", metavar="NAME")
    _add(parser, "encoding", "of a table (default: UTF-8)", metavar="NAME")
    _add(parser, "separator", "what stands between the two texts of a pair", metavar="MARK")
    _add(parser, "out", "write a table's answers into this CSV file", metavar="FILE")
    _add(parser, "device", "cpu, cuda or mps (default: a GPU if there is one)", metavar="NAME")
