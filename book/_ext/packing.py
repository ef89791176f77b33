"""Files in a zip whose bytes depend on names and contents alone, not on clocks or on the disk."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

PLAIN_FILE = 0o644 << 16  # on every system


def packed(files: Mapping[str, bytes], stored: Mapping[str, bytes] | None = None) -> bytes:
    """Pack files under their names, in their order; what is `stored` comes first and as it is."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as zipped:
        for some, how in ((stored or {}, zipfile.ZIP_STORED), (files, zipfile.ZIP_DEFLATED)):
            for name in sorted(some):
                entry = zipfile.ZipInfo(name)  # without a clock it is 1980
                entry.external_attr, entry.create_system = PLAIN_FILE, 3
                zipped.writestr(entry, some[name], how)
    return whole.getvalue()


def files_below(folder: Path, top: str = "") -> dict[str, bytes]:
    """Read all files of a folder, under the names that they have below `top`."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {f"{top}{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
