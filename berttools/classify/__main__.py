"""Start: ``python -m berttools.classify``. Chapter 19."""

from __future__ import annotations

import argparse
import sys

from berttools.cli.guard import guarded
from berttools.cli.options import is_finished
from berttools.cli.output import with_output

from .options import REPORT, go_on, parse_options


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return with_output(lambda: _begin(parse_options(arguments)))


def _begin(options: argparse.Namespace) -> int:
    def work() -> int:
        # PyTorch takes seconds to load: only now, for who asks for help need not wait.
        if options.does == "predict":
            from .answering import answer_typed

            return answer_typed(options)
        from .run import train_classifier

        return train_classifier(options)

    if options.does == "predict":
        return guarded(work, lambda: "type the same command again", lambda: False)
    return guarded(work, lambda: go_on(options.out), lambda: is_finished(options.out, REPORT))


if __name__ == "__main__":
    sys.exit(main())
