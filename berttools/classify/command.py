"""What may be typed after ``minibert classify``; it imports nothing slow. Chapter 19."""

import argparse
import math
from functools import partial
from pathlib import Path

from berttools.cli.failures import guarded
from berttools.cli.files import require_new_folder
from berttools.cli.options import (
    LOOK,
    SEED,
    add_option,
    folder_name,
    new_parser,
    share_type,
    whole_number,
)
from minibert.text_files import require_file

REPORT, FILE = "report.md", "classifier.json"
# From the cheapest on: as it is typed, and as it is called.
METHODS = {"words": "counted words", "frozen": "frozen vectors", "fine-tuned": "fine-tuned"}
SUFFIXES = (".csv", ".tsv", ".tab", ".txt")  # of a text that names a table

DESCRIPTION = """\
Make a classifier from a table of texts and labels, and answer with it.

`train` finds copies, divides the table, compares counted words, frozen vectors of an encoder, and
the encoder fine-tuned, and writes a folder with the best of them and report.md, which says what its
answers are worth. `predict` answers, and says "I do not know" below a threshold."""

DEFAULTS = {"text": "text", "label": "label", "use": "best", "promise": 0.9}
DEFAULTS |= {"learning_rate": 1e-4, "max_length": 128, "seed": 0}
DEVICE = "cpu, cuda or mps (default: a GPU if there is one)"
EPILOG = """\
examples:
  minibert classify train letters.csv --text text --label label --out my-classifier
  minibert classify predict my-classifier "the box hums all night"
  minibert classify predict my-classifier letters.csv
"""

TABLE = """\
The table is CSV or TSV, in UTF-8. With --time the newest rows are the test part. Rows that share a
--group, or whose texts are copies, are never in two parts."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = parse_options(arguments)
    report = Path(options.out) / REPORT if options.does == "train" else None
    work = partial(_train if report else _predict, options)
    again = "type the same command again"
    return guarded(work, lambda: again, lambda: report is None or report.is_file())


def _train(options: argparse.Namespace) -> int:
    """Look for what is named first: PyTorch takes seconds to load."""
    require_file(options.table)
    require_new_folder(Path(options.out))
    if options.model and options.use == "words":
        raise ValueError("--use words reads no --model; leave out one of them")
    from .comparing import train_classifier

    return train_classifier(options)


def _predict(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    if not (folder / FILE).is_file():
        lack = f"it has no {FILE}" if folder.is_dir() else "there is no such folder"
        raise FileNotFoundError(
            f"there is no classifier in {options.folder!r}: {lack}; name one that `train` made"
        )
    from .predict import predict_typed

    return predict_typed(options)


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = new_parser("classify", description=DESCRIPTION, epilog=EPILOG)
    commands = parser.add_subparsers(dest="does", required=True, metavar="train|predict")
    usage = "minibert classify train TABLE --text NAME --label NAME --out DIR [options]"
    own = {"help": "make a classifier from a table", "usage": usage, "description": TABLE}
    _add_train(commands.add_parser("train", **own, **LOOK))
    _add_predict(commands.add_parser("predict", help="answer with a classifier", **LOOK))
    return parser.parse_args(arguments)


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="file of texts and labels")
    parser.add_argument(
        "--out", required=True, type=folder_name, metavar="DIR", help="new or empty folder"
    )
    add = partial(add_option, parser, defaults=DEFAULTS)
    add("text", "column of the texts", metavar="NAME")
    add("label", "column of the labels", metavar="NAME")
    add("group", "column of what must stay together, such as a writer", metavar="NAME")
    add("time", "column of ISO dates or numbers; the newest are the test", metavar="NAME")
    add("encoding", "of the file (default: UTF-8)", metavar="NAME")
    add("model", "folder of a BERT (default: MiniLM, of the extra `models`)", metavar="DIR")
    text = "what answers later: the best, or this method, compared with cheaper ones only"
    add("use", text, choices=("best", *METHODS))
    text = "share of right answers to promise; a class that cannot keep it is not answered"
    add("promise", text, type=share_type(1, zero=False), metavar="SHARE")
    text = "most times through the rows (default: 4, or 150 updates); it stops when it gets worse"
    add("epochs", text, type=whole_number(1), metavar="N")
    add("learning_rate", "the highest", type=share_type(math.inf, zero=False), metavar="X")
    add("max_length", "most tokens of a text", type=whole_number(5), metavar="N")
    add("seed", "start of all chance", type=SEED, metavar="N")
    add("device", DEVICE, metavar="NAME")
    parser.set_defaults(**DEFAULTS)


def _add_predict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="folder that `train` has written")
    parser.add_argument("texts", nargs="+", metavar="TEXT", help="a text, or the file of a table")
    add = partial(add_option, parser, defaults={})
    add("text", "column of a table (default: as it was for training)", metavar="NAME")
    add("encoding", "of a table (default: UTF-8)", metavar="NAME")
    add("out", "write a table's answers into this CSV file", metavar="FILE")
    add("device", DEVICE, metavar="NAME")
