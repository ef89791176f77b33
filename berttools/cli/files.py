"""Files that somebody names for output: written whole, and nothing else is destroyed."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from minibert.disk import atomic_write

PathLike = str | Path


def require_new_folder(folder: Path) -> None:
    """Raise unless a folder is new, or holds nothing but hidden files."""
    if folder.is_symlink() and not folder.exists():
        raise ValueError(f"{str(folder)!r} is a link that leads nowhere; name a folder after --out")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{str(folder)!r} is a file; name a folder after --out")
    if others := sorted(path.name for path in folder.glob("[!.]*")):
        raise ValueError(
            f"{str(folder)!r} is not empty (it holds {others[0]!r}); name a new or an empty folder"
        )


def write_output(
    typed: PathLike, text: str, *, inputs: Iterable[PathLike] = (), begins: str = ""
) -> None:
    """Write a text in UTF-8 to the path of an option such as ``--out``, and destroy nothing else.

    A file appears whole or not at all, and a link stays: what it leads to is written. A pipe or a
    device is written into. `inputs` and an old file that does not begin with `begins` stay: see
    `require_output`. Messages name the path as it was typed.
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
