"""Start: ``python -m minibert.pretrain``."""

from __future__ import annotations

import sys
import warnings

from .messages import FAILURES, complain, sentence_of, show_warning
from .options import parse_options, way_on


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line asks for.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The status: 0, or 1 after a failure, or 128 and the number of the signal that stopped it.

    Raises
    ------
    SystemExit
        With status 2, if the command line is wrong.

    References
    ----------
    Chapter 14.
    """
    options = parse_options(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        try:
            # PyTorch takes seconds to load: only now, for who asks for help need not wait.
            from .run import pretrain

            return pretrain(options)
        except FAILURES as error:
            complain(sentence_of(error))
            return 1
        except KeyboardInterrupt:
            complain(f"stopped at once; {way_on(options.out)}")
            return 130


if __name__ == "__main__":
    sys.exit(main())
