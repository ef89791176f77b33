"""``minibert classify predict``: answer texts, or a table of them. Chapter 19."""

import argparse
import csv
import io
import os
from collections.abc import Sequence

from torch import nn

from berttools.cli.files import require_output, write_output
from berttools.cli.output import say, show_warning
from minibert.training import choose_device

from .command import SUFFIXES
from .prepare import MOST_UNKNOWN, unknown_share
from .saving import Reply, load_classifier
from .table import LabeledTable, read_table
from .thresholds import REFUSAL

HEAD = ("line", "answer", "probability", "guess")  # then the texts, under the name they have


def predict_typed(options: argparse.Namespace) -> int:
    """Answer what was typed; return the exit status."""
    classifier = load_classifier(options.folder)
    if isinstance(classifier.model, nn.Module):
        classifier.model.to(choose_device(options.device))
    path = next(filter(_names_a_table, options.texts), None)
    if path and len(options.texts) > 1:
        raise ValueError(f"{path!r} is a table; name one table, or texts only")
    if options.out is not None and not path:
        raise ValueError(f"--out {options.out} is for a table; texts are answered here")
    if empty := [text for text in options.texts if not text.strip()]:
        raise ValueError(f"{empty[0]!r} cannot be answered; give a text")
    # Neither the table that is read is written over, nor a file that holds no answers.
    only = {"inputs": [path or ""], "begins": ",".join([*HEAD, ""])}
    if options.out is not None:
        require_output(options.out, **only)
    column, table = options.text or classifier.column, LabeledTable(options.texts)
    if path:
        table = read_table(path, column, encoding=options.encoding)
    if table.skipped:
        show_warning(f"{len(table.skipped):,} rows without a text are left out")
    share = unknown_share(classifier.tokenizer, table) if classifier.tokenizer else 0.0
    if share > MOST_UNKNOWN:
        show_warning(f"{100 * share:.0f} % of the tokens are [UNK], so these answers mean little")
    told = (_as_csv if path else _as_lines)(table, classifier.answer(table), column)
    if options.out is not None:
        write_output(options.out, told, **only)
        told = f"{len(table):,} answers are in {options.out!r}."
    say(told.removesuffix("\n"))
    return 0


def _names_a_table(text: str) -> bool:
    """Return whether a text is the name of a file, which may be missing if it looks like one."""
    if os.path.exists(text):
        return not os.path.isdir(text)
    return text.lower().endswith(SUFFIXES) and " " not in text


def _as_lines(table: LabeledTable, replies: Sequence[Reply], _: str) -> str:
    lines = []
    for text, (label, prob, guess) in zip(table.texts, replies, strict=True):
        # One that does not reach 1 is not shown as 1, which a threshold may be.
        unknown = f"{REFUSAL} (perhaps {guess}, {min(prob, 0.99):.2f})"
        lines += [text, f"  {unknown if label is None else f'{label}  {prob:.2f}'}"]
    return "\n".join(lines)


def _as_csv(table: LabeledTable, replies: Sequence[Reply], column: str) -> str:
    """Answer each row of a file as a row of CSV, with the line where it stands."""
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow([*HEAD, column])
    for line, (label, prob, guess), text in zip(table.lines or (), replies, table.texts):
        writer.writerow([line, label or REFUSAL, f"{prob:.4f}", guess, text])
    return rows.getvalue()
