"""The command ``minibert``, which is ``python -m berttools`` too."""

import argparse
import io
import sys
from importlib.metadata import version

from berttools.cli.failures import guarded
from berttools.cli.options import LOOK
from berttools.cli.output import say

DESCRIPTION = """\
commands:
  pretrain   make a BERT from your own text files
  fill       ask a BERT which words it would put for [MASK]
  classify   make a classifier from a table of texts and labels, and answer with it
  grade      run the notebooks of a class, and write what each exercise earns

minibert COMMAND --help tells the rest; minibert --version names this one."""
COMMANDS = ("pretrain", "fill", "classify", "grade")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # of letters that a terminal lacks
    return guarded(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        say(f"minibert {version('bert-by-hand')}")
        return 0
    usage = "minibert COMMAND …"
    parser = argparse.ArgumentParser("minibert", usage, DESCRIPTION, **LOOK)
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="…", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    match options.command:  # each is slow to import, or brings what is
        case "pretrain":
            from berttools.pretrain.command import main as run
        case "fill":
            from berttools.fill.command import main as run
        case "classify":
            from berttools.classify.command import main as run
        case _:
            from berttools.grade.command import main as run
    return run(options.words)


if __name__ == "__main__":
    sys.exit(main())
