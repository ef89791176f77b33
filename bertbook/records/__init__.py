"""What long runs have recorded, and the small models that they trained, as data of the package.

A run of ``benchmarks`` writes here; chapters and tests read, wherever the package is installed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def record_path(run: str) -> Path:
    """Say where a run stores what it has recorded."""
    return HERE / f"{run}.json"


def record_of(run: str) -> dict[str, Any]:
    """Read what a long run has recorded.

    Args:
        run: Its name, such as "toy_parts": ``python -m benchmarks.toy_parts --record`` has made it.

    Returns:
        Its numbers, by their names.

    Raises:
        ValueError: If there is no such record; the message names those that there are.

    >>> "command" in record_of("toy_parts")
    True
    """
    if not record_path(run).is_file():
        known = ", ".join(sorted(path.stem for path in HERE.glob("*.json")))
        raise ValueError(f"there is no record {run!r}; there are {known}")
    return json.loads(record_path(run).read_text(encoding="utf-8"))


def trained_folder(name: str) -> Path:
    """Find the folder of a small model that a run of this book has trained.

    Args:
        name: "small-world" (Chapter 14), with ``config.json``, ``model.safetensors`` and
            ``vocab.txt``; "english", a model of the King James Bible in eight bits, which
            ``bertbook.core.eight_bits`` opens; or "toy" (Chapter 5), with weights only.

    Returns:
        The folder, in the installed package.

    Raises:
        ValueError: If there is no such model; the message names those that there are.

    >>> sorted(path.name for path in trained_folder("small-world").iterdir())
    ['config.json', 'model.safetensors', 'vocab.txt']
    """
    folder = HERE / name
    if not folder.is_dir() or folder.parent != HERE:
        known = ", ".join(sorted(path.parent.name for path in HERE.glob("*/*.safetensors")))
        raise ValueError(f"there is no trained model {name!r}; there are {known}")
    return folder
