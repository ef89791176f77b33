"""Files and folders that are written whole or not at all.

What is to appear under a name is written under a temporary one beside it, forced to the disk, and
renamed. A reader of the name finds the old content or the new one, even if the machine stops in
between. Permissions follow from the umask, as for any other file.
Chapter 13.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

PathLike = str | Path


def tmp_path(path: Path) -> Path:
    """Name the temporary of a file or folder: hidden, and beside it."""
    return path.with_name(f".{path.name}.draft")


@contextmanager
def atomic_write(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path, and rename it to `path` when the block has written it.

    The block makes a file or a folder of this name. If it fails, or the disk does, the temporary
    goes and `path` is what it was.
    """
    temporary = temporary or tmp_path(path)
    remove(temporary)
    try:
        mode = _usual_mode(temporary)
        yield temporary
        _finish(temporary, mode)
        os.replace(temporary, path)  # the last that can fail
    except BaseException:
        with contextlib.suppress(OSError):
            remove(temporary)
        raise


def write_output(
    typed: PathLike, text: str, *, inputs: Iterable[PathLike] = (), begins: str = ""
) -> None:
    """Write a text where somebody has typed, as after ``--out``, and destroy nothing else.

    A new file, and an old one that it replaces, appears whole or not at all; of a link, the file
    that it leads to does. A pipe or a device is written into.

    Parameters
    ----------
    typed : str or Path
        Where to; messages name it as it is.
    text : str
        Written in UTF-8, with line ends as they are.
    inputs : iterable of str or Path
        What is read, and so must stay.
    begins : str
        An old file with another beginning is not one of these, and stays.

    Raises
    ------
    OSError
        If there is a folder of this name, none for it, or one that cannot be written.
    ValueError
        If it is one of the inputs under any name, or an old file that is not one of these.
    """
    require_output(typed, inputs=inputs, begins=begins)
    content = text.encode("utf-8")
    try:
        if os.path.exists(typed) and not os.path.isfile(typed):
            Path(typed).write_bytes(content)
            return
        target = Path(os.path.realpath(typed))
        temporary = target.with_name(f".{secrets.token_hex(8)}.draft")
        with atomic_write(target, temporary):
            temporary.write_bytes(content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(typed)) from error


def require_output(typed: PathLike, *, inputs: Iterable[PathLike] = (), begins: str = "") -> None:
    """Raise if `write_output` could not write there, before anything is computed for it."""
    path, target, name = Path(typed), Path(os.path.realpath(typed)), repr(str(typed))
    if path.is_dir() or str(typed).endswith(os.sep):
        raise IsADirectoryError(f"{name} is a folder; name a file")
    if target.is_symlink():
        os.stat(typed)  # raises: these links lead round in a circle
    if not path.exists():
        if not target.parent.is_dir():
            parent = str(path.parent if target == path.absolute() else target.parent)
            raise FileNotFoundError(f"{name} needs a folder {parent!r}, and there is none")
        return
    for read in inputs:
        if os.path.exists(read) and os.path.samefile(path, read):
            raise ValueError(f"{name} is {str(read)!r}, which is read; name another file")
    if not os.access(path, os.W_OK):
        raise PermissionError(f"{name} cannot be written; name another file")
    if path.is_file() and path.stat().st_size and begins:
        with path.open("rb") as file:
            if file.read(len(begins)) != begins.encode():
                raise ValueError(f"{name} holds something else already; name another file")


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


def _usual_mode(path: Path) -> int:
    """Return the mode of a new file under the umask; some libraries make theirs private."""
    path.touch()
    mode = path.stat().st_mode
    path.unlink()
    return mode


def _finish(path: Path, mode: int) -> None:
    """Set the mode of a file, or of every file of a folder, and wait until it is on the disk."""
    if path.is_dir():
        for part in path.iterdir():
            _finish(part, mode)
    else:
        path.chmod(mode)
    sync(path)
