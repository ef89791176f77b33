"""Start: ``python -m berttools.pretrain``. Chapter 14."""

from __future__ import annotations

import argparse
import sys

from berttools.cli.guard import guarded
from berttools.cli.options import is_finished, parse_options, resume_hint
from berttools.cli.output import with_output


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return with_output(lambda: _begin(parse_options(arguments)))


def _begin(options: argparse.Namespace) -> int:
    def work() -> int:
        # PyTorch takes seconds to load: only now, for who asks for help need not wait.
        from .run import pretrain

        return pretrain(options)

    return guarded(work, lambda: resume_hint(options.out), lambda: is_finished(options.out))


if __name__ == "__main__":
    sys.exit(main())
