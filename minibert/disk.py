"""Files and folders, written whole or not at all, whenever the machine stops. Chapter 13."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def tmp_path(path: Path) -> Path:
    """Name the temporary of a file or folder: hidden, and beside it."""
    return path.with_name(f".{path.name}.draft")


@contextmanager
def atomic_write(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path, and rename it to `path` when the block has written it.

    If the block fails, or the disk does, the temporary goes and `path` is what it was.
    """
    temporary = temporary or tmp_path(path)
    remove(temporary)
    try:
        temporary.touch()
        mode = temporary.stat().st_mode  # under the umask; some libraries make theirs private
        temporary.unlink()
        yield temporary
        _finish(temporary, mode)
        os.replace(temporary, path)  # the last that can fail
    except BaseException:
        with contextlib.suppress(OSError):
            remove(temporary)
        raise


def remove(path: Path) -> None:
    """Remove a file, a folder or a link, if it is there; what a link points to stays."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _finish(path: Path, mode: int) -> None:
    """Set the mode of a file, or of every file of a folder, and wait until it is on the disk."""
    if path.is_dir():
        for part in path.iterdir():
            _finish(part, mode)
    else:
        path.chmod(mode)
    sync(path)
