"""``minibert classify predict``: answer texts, or a table of them. Chapter 19."""

import argparse
import csv
import io
import os

from torch import nn

from berttools.cli.files import write_output
from berttools.cli.output import say, show_warning
from minibert.training import choose_device

from .command import SUFFIXES
from .prepare import MOST_UNKNOWN, unknown_share
from .saving import Classifier, load_classifier
from .table import LabeledTable, read_table
from .thresholds import REFUSAL

HEAD = ("line", "answer", "probability", "guess")  # then the texts, under the name they have


def predict_typed(options: argparse.Namespace) -> int:
    """Answer what was typed; return the exit status."""
    classifier = load_classifier(options.folder)
    if isinstance(classifier.model, nn.Module):
        classifier.model.to(choose_device(options.device))
    tables = [text for text in options.texts if _names_a_table(text)]
    if tables and len(options.texts) > 1:
        raise ValueError(f"{tables[0]!r} is a table; name one table, or texts only")
    if options.out and not tables:
        raise ValueError(f"--out {options.out} is for a table; texts are answered here")
    (_answer_table if tables else _answer_texts)(classifier, options)
    return 0


def _names_a_table(text: str) -> bool:
    """Return whether a text is the name of a file, which may be missing if it looks like one."""
    if os.path.exists(text):
        return not os.path.isdir(text)
    return text.lower().endswith(SUFFIXES) and " " not in text


def _warn_of_unknown(classifier: Classifier, table: LabeledTable) -> None:
    share = unknown_share(classifier.tokenizer, table) if classifier.tokenizer else 0.0
    if share > MOST_UNKNOWN:
        show_warning(f"{100 * share:.0f} % of the tokens are [UNK], so these answers mean little")


def _answer_texts(classifier: Classifier, options: argparse.Namespace) -> None:
    if empty := [text for text in options.texts if not text.strip()]:
        raise ValueError(f"{empty[0]!r} cannot be answered; give a text")
    table = LabeledTable(options.texts)
    _warn_of_unknown(classifier, table)
    for text, (label, prob, guess) in zip(options.texts, classifier.answer(table), strict=True):
        # One that does not reach 1 is not shown as 1, which a threshold may be.
        unknown = f"{REFUSAL} (perhaps {guess}, {min(prob, 0.99):.2f})"
        say(f"{text}\n  {unknown if label is None else f'{label}  {prob:.2f}'}")


def _answer_table(classifier: Classifier, options: argparse.Namespace) -> None:
    """Answer each row of a file as a row of CSV, with the line where it stands."""
    text = options.text or classifier.column
    [path] = options.texts
    table = read_table(path, text, encoding=options.encoding)
    _warn_of_unknown(classifier, table)
    if table.skipped:
        show_warning(f"{len(table.skipped):,} rows without a text are left out")
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    writer.writerow([*HEAD, text])
    answers = zip(table.lines or [], classifier.answer(table), table.texts, strict=True)
    for line, (label, probability, guess), read in answers:
        writer.writerow([line, label or REFUSAL, f"{probability:.4f}", guess, read])
    if options.out is None:
        say(rows.getvalue().removesuffix("\n"))
        return
    # Neither the table that is read is written over, nor a file that holds no answers.
    write_output(options.out, rows.getvalue(), inputs=[path], begins=",".join([*HEAD, ""]))
    say(f"{len(table):,} answers are in {options.out!r}.")
