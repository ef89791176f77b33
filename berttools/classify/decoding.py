"""From the bytes of a table to its text, with a sentence for what is no text. Chapter 19."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from minibert.text_files import read_text, require_file

OTHER_ENCODING = (
    "open the file in an editor and save it with the encoding UTF-8, or name its own "
    "(encoding='cp1252', after the command --encoding cp1252, fits most old files of Windows)"
)
UNPACK, EXPORT = "unpack it first", "open it in its own program and save the table as CSV, UTF-8"
# How files begin that hold a table, but no text.
KINDS = (
    (b"\x1f\x8b", "is compressed by gzip", UNPACK),
    (b"BZh", "is compressed by bzip2", UNPACK),
    (b"\xfd7zXZ\0", "is compressed by xz", UNPACK),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd", UNPACK),
    (b"PK\x03\x04", "is a workbook (.xlsx, .ods) or a zip archive", f"{UNPACK}, or {EXPORT}"),
    (b"\xd0\xcf\x11\xe0", "is a workbook (.xls)", EXPORT),
    (b"PAR1", "is a Parquet file", EXPORT),
    (b"SQLite format 3\0", "is a data base", EXPORT),
    (b"%PDF", "is a PDF", "copy its table into a CSV file"),
)
MARKS_OF_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MOST_CONTROLS = 0.1  # of the first bytes of a text; more are no text
CONTROLS = re.compile("[\x80-\x9f]")


def read_decoded(path: Path, encoding: str | None) -> str:
    """Read a text file: as UTF-8, as UTF-16 if its first bytes say so, or as it is said.

    Latin-1 is read as cp1252, as browsers do: the two differ in codes that latin-1 leaves to
    control characters, where files of Windows have quotes and the euro sign.
    """
    content = require_file(path).read_bytes()
    _require_text(path, content, encoding)
    if encoding is None and not content.startswith(MARKS_OF_UTF16):
        text = read_text(path, if_garbled=OTHER_ENCODING)
    else:
        try:
            text = content.decode(_as_browsers_do(encoding or "utf-16")).removeprefix("\ufeff")
        except (UnicodeError, LookupError) as error:
            raise ValueError(f"{str(path)!r}: {error}; {OTHER_ENCODING}") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"line {line} of {str(path)!r} holds a zero byte; {OTHER_ENCODING}")
    return text


def has_controls(text: str) -> bool:
    """Return whether a text has characters from U+0080 to U+009F, which tokenizers drop."""
    return bool(CONTROLS.search(text))


def _as_browsers_do(encoding: str) -> str:
    return "cp1252" if codecs.lookup(encoding).name == "iso8859-1" else encoding


def _require_text(path: Path, content: bytes, encoding: str | None) -> None:
    """Raise for a file of another kind, which no encoding turns into a table."""
    for begins, kind, way_out in KINDS:
        if content.startswith(begins):
            raise ValueError(f"{str(path)!r} {kind}, not a text file; {way_out}")
    head = content[:4096]
    if encoding is None and not head.startswith(MARKS_OF_UTF16) and head:
        # In text of any encoding but UTF-16 and UTF-32, and these have every second byte zero.
        odd = sum(byte < 32 and byte not in b"\t\n\r\f\x1b\0" for byte in head)
        if odd > MOST_CONTROLS * len(head):
            raise ValueError(f"{str(path)!r} is not a text file; {EXPORT}")
