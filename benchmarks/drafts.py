"""What a long command has made so far, so that it can be stopped."""

import json
from pathlib import Path

from minibert.disk import atomic_write


class Draft:
    """What a long command has made so far, kept beside its record until all of it is there.

    The command replaces its record only then; stopped before, it goes on where it was.
    """

    def __init__(self, record: Path) -> None:
        self.path = record.with_name(f".{record.stem}.draft")

    def read(self, empty: dict) -> dict:
        """Return what a stopped command has left, or else what there is at first."""
        if not self.path.is_file():
            return empty
        print(f"Going on with {self.path}; delete this file to begin anew.", flush=True)
        return json.loads(self.path.read_text(encoding="utf-8"))

    def keep(self, content: dict) -> None:
        """Store what there is now."""
        with atomic_write(self.path) as path:
            path.write_text(json.dumps(content), encoding="utf-8")

    def done(self) -> None:
        """Remove it, once its record is stored."""
        self.path.unlink(missing_ok=True)
