"""What may be typed after ``minibert classify``; it imports nothing slow. Chapter 19."""

from __future__ import annotations

import argparse
import math
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from berttools.cli.failures import guarded
from berttools.cli.files import require_new_folder
from berttools.cli.options import LOOK, SEED, add_option, new_parser, share_type, whole_number
from minibert.text_files import require_file

REPORT, FILE = "report.md", "classifier.json"
METHODS = MappingProxyType(  # from the cheapest on: as it is typed, and as it is called
    {"words": "counted words", "frozen": "frozen vectors", "fine-tuned": "fine-tuned"}
)
SUFFIXES = (".csv", ".tsv", ".tab", ".txt")  # of a text that names a table


@dataclass
class Settings:
    """What may be typed after ``minibert classify train``."""

    table: str
    out: str
    text: str = "text"
    label: str = "label"
    group: str | None = None
    time: str | None = None
    encoding: str | None = None
    model: str = ""  # that of the extra `models`
    class_weights: str = "best"
    use: str = "best"
    promise: float = 0.9
    epochs: int | None = None
    learning_rate: float = 1e-4
    batch_size: int = 32
    max_length: int = 128
    seed: int = 0
    device: str | None = None


DESCRIPTION = """\
Make a classifier from a table of texts and labels, and answer with it.

`train` reads the table, finds copies and contradictions, divides it, and compares three methods:
counted words, frozen vectors of an encoder, and the encoder fine-tuned. It writes a folder with the
best of them and report.md, which says what its answers are worth. `predict` answers, and says "I do
not know" below a threshold."""

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
    if options.pop("does") == "predict":
        work, report = partial(_predict, argparse.Namespace(**options)), None
    else:
        settings = Settings(**options)
        work, report = partial(_train, settings), Path(settings.out) / REPORT
    again = "type the same command again"
    return guarded(work, lambda: again, lambda: report is None or report.is_file())


def _train(settings: Settings) -> int:
    """Look for what is named first: PyTorch takes seconds to load."""
    require_file(settings.table)
    require_new_folder(Path(settings.out))
    from .run import train_classifier

    return train_classifier(settings)


def _predict(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {options.folder!r}; name one of `train`")
    if not (folder / FILE).is_file():
        raise FileNotFoundError(
            f"there is no classifier in {options.folder!r}: it has no {FILE}; name a folder that "
            "`train` has written"
        )
    from .predict import predict_typed

    return predict_typed(options)


def parse_options(arguments: list[str] | None = None) -> dict[str, Any]:
    """Read the command line; for `train` only what was given."""
    parser = new_parser("classify", description=DESCRIPTION, epilog=EPILOG)
    commands = parser.add_subparsers(dest="does", required=True, metavar="train|predict")
    look = {"argument_default": argparse.SUPPRESS, "description": TABLE, **LOOK}
    usage = "minibert classify train TABLE --text NAME --label NAME --out DIR [options]"
    text = "make a classifier from a table"
    _add_train(commands.add_parser("train", usage=usage, help=text, **look))
    usage = "minibert classify predict DIR TEXT … [options]"
    text = "answer with a classifier"
    _add_predict(commands.add_parser("predict", usage=usage, help=text, **LOOK))
    return vars(parser.parse_args(arguments))


_add = partial(add_option, defaults=asdict(Settings("", "")))


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", help="file of texts and labels")
    parser.add_argument("--out", required=True, metavar="DIR", help="new or empty folder")
    columns = parser.add_argument_group("the columns, by name")
    _add(columns, "text", "the texts", metavar="NAME")
    _add(columns, "label", "the labels", metavar="NAME")
    _add(columns, "group", "what must stay together, such as a writer", metavar="NAME")
    _add(columns, "time", "ISO dates or numbers; the newest are the test", metavar="NAME")
    _add(columns, "encoding", "of the file (default: UTF-8)", metavar="NAME")
    model = parser.add_argument_group("the model and its training")
    _add(model, "model", "folder of a BERT (default: MiniLM, of the extra `models`)", metavar="DIR")
    text = "rare classes count more (balanced), or not (none), or what does better (best)"
    _add(model, "class_weights", text, choices=("best", "balanced", "none"))
    text = (
        "what answers later: the method with most rows right to choose with, or this one, which is "
        "then compared with cheaper ones only"
    )
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
    for name, metavar, text in (
        ("text", "NAME", "column of a table (default: as it was for training)"),
        ("encoding", "NAME", "of a table (default: UTF-8)"),
        ("out", "FILE", "write a table's answers into this CSV file"),
        ("device", "NAME", "cpu, cuda or mps (default: a GPU if there is one)"),
    ):
        parser.add_argument(f"--{name}", metavar=metavar, help=text)
