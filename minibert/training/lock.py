"""One writer for the folder of a run, by a lock that ends with the process. Chapter 13."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

LOCK = ".lock"


@contextmanager
def locked(folder: str | Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made if it is not there; raise if another holds it.

    The system releases the lock when its process ends, in whatever way. A file that is left of it
    blocks nobody.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(
            f"another process is writing to {str(folder)!r}; wait until it has ended, or name "
            "another folder"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no file that is open
            (folder / LOCK).unlink()
        lock.release()
