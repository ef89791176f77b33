"""Text files: found and read as UTF-8, or refused in a sentence."""

from __future__ import annotations

from pathlib import Path

CHECK_NAME = "check the name and the folder"
SAVE_AS_UTF8 = "open the file in an editor and save it with the encoding UTF-8"


def require_file(path: str | Path, way_out: str = CHECK_NAME) -> Path:
    """Raise if there is no such file.

    Parameters
    ----------
    path : str or Path
        Where it should be.
    way_out : str, optional
        What to do if it is not there.

    Returns
    -------
    Path
        The same path.

    Raises
    ------
    FileNotFoundError
        If there is no file, or only a folder.

    References
    ----------
    Chapter 5.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}; {way_out}")
    return path


def read_text(
    path: str | Path, *, if_missing: str = CHECK_NAME, if_garbled: str = SAVE_AS_UTF8
) -> str:
    """Read a whole UTF-8 file, without its byte order mark.

    Parameters
    ----------
    path : str or Path
        The file; its lines may end as on Windows.
    if_missing, if_garbled : str, optional
        What to do if it is not there, or not UTF-8.

    Returns
    -------
    str
        The text; each line ends with a line feed alone.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a line of it is not UTF-8.

    References
    ----------
    Chapter 5.
    """
    content = require_file(path, if_missing).read_bytes()
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise _not_utf8(path, number, error, if_garbled) from error


def decode_line(line: bytes, number: int, path: str | Path) -> str:
    r"""Decode one line of a file that is too large to be read whole.

    Parameters
    ----------
    line : bytes
        The line.
    number : int
        Its number, from 1.
    path : str or Path
        The file it comes from.

    Returns
    -------
    str
        The same line.

    Raises
    ------
    ValueError
        If it is not UTF-8.

    References
    ----------
    Chapter 13.

    Examples
    --------
    >>> decode_line("C'est l'été.\n".encode(), 1, "novel.txt")
    "C'est l'été.\n"
    """
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, number, error, SAVE_AS_UTF8) from error


def _not_utf8(path: str | Path, number: int, error: UnicodeDecodeError, way_out: str) -> ValueError:
    byte = error.object[error.start]
    return ValueError(f"line {number} of {str(path)!r} is not UTF-8 (byte 0x{byte:02x}); {way_out}")
