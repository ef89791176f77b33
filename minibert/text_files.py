"""Text files, read as UTF-8. Chapters 5 and 13."""

from importlib import resources
from pathlib import Path

CHECK_NAME = "check the name and the folder"
SAVE_AS_UTF8 = "open the file in an editor and save it with the encoding UTF-8"


def require_file(path: str | Path, hint: str = CHECK_NAME) -> Path:
    """Raise if there is no such file, or if it cannot be read again and again."""
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(
            f"{str(path)!r} is a pipe or a device, which can be read only once; write what comes "
            "out of it into a file, and name that"
        )
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file in it")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}; {hint}")
    return path


def read_text(
    path: str | Path, *, if_missing: str = CHECK_NAME, if_garbled: str = SAVE_AS_UTF8
) -> str:
    """Read a whole UTF-8 file, without its byte order mark."""
    content = require_file(path, if_missing).read_bytes()
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise _not_utf8(path, number, error, if_garbled) from error


def packed_text(name: str) -> str:
    """Read a text that comes with a package, by its path from the package's folder on."""
    package, _, inside = name.partition("/")
    return (resources.files(package) / inside).read_text(encoding="utf-8")


def decode_line(line: bytes, number: int, path: str | Path) -> str:
    r"""Decode one line of a file that is too large to be read whole."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, number, error, SAVE_AS_UTF8) from error


def _not_utf8(path: str | Path, number: int, error: UnicodeDecodeError, hint: str) -> ValueError:
    byte = error.object[error.start]
    return ValueError(f"line {number} of {str(path)!r} is not UTF-8 (byte 0x{byte:02x}); {hint}")
