"""Start: ``python -m minibert.pretrain``. Chapter 14."""

from __future__ import annotations

import sys
import warnings

from .messages import FAILURES, sentence_of
from .options import is_finished, parse_options, resume_hint
from .output import OutputLost, complain, show_warning, with_output


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return with_output(lambda: _begin(arguments))


def _begin(arguments: list[str] | None) -> int:
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
        except OutputLost as lost:
            if is_finished(options.out):
                raise
            complain(f"{lost}; {resume_hint(options.out)}")
            return 1
        except KeyboardInterrupt:
            complain(f"stopped at once; {resume_hint(options.out)}")
            return 130


if __name__ == "__main__":
    sys.exit(main())
