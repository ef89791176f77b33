"""Checkpoints on disk: whole or not there at all, and read without unpickling.

A checkpoint is a folder `step-00000100` with the weights, the optimizer's numbers, the state of the
run and its history, and a list of check sums that `sha256sum -c SHA256SUMS` can read as well. It is
written under another name, forced to the disk, and renamed at the end: a folder with that name
is complete, whenever the run was killed. Chapter 13.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from jaxtyping import Shaped
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from minibert.disk import sync, written_whole

from .history import json_lines, read_history

NAME = re.compile(r"step-(\d{8,})")
DRAFT, TRASH = ".draft", ".trash"
SUMS = "SHA256SUMS"
FILES = ("model.safetensors", "optimizer.safetensors", "state.json", "history.jsonl")
BEST = "best.safetensors"  # only in a run that puts its best weights back

Tensors = Mapping[str, Shaped[Tensor, "..."]]


class DamagedCheckpoint(ValueError):  # noqa: N818
    """Raised when a checkpoint is not what was written."""


class Checkpoint(NamedTuple):
    """All that a run needs to resume."""

    model: Tensors
    optimizer: Tensors
    state: dict[str, Any]
    history: list[dict[str, Any]]
    best: Tensors = MappingProxyType({})


def write_checkpoint(folder: str | Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, and keep no more than the one before it."""
    folder = Path(folder)
    target = folder / f"step-{checkpoint.state['step']:08}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with written_whole(target, draft=folder / DRAFT) as draft:
            draft.mkdir()
            _write_files(draft, checkpoint)
            _remove(target)  # a damaged one that was passed over, or one of the same step
        sync(folder)
    except (OSError, SafetensorError) as error:
        raise OSError(
            f"the checkpoint of step {checkpoint.state['step']} could not be written to "
            f"{str(folder)!r} ({error}); {_what_is_left(folder)}. Make room or repair "
            "the folder, then call fit() again"
        ) from error
    _remove_others(folder, target)
    return target


def _write_files(draft: Path, checkpoint: Checkpoint) -> None:
    """Write the files of a checkpoint."""
    save_file(dict(checkpoint.model), draft / FILES[0])
    save_file(dict(checkpoint.optimizer), draft / FILES[1])
    _write_text(draft / FILES[2], json.dumps(checkpoint.state, indent=1) + "\n")
    _write_text(draft / FILES[3], json_lines(checkpoint.history))
    names = FILES
    if checkpoint.best:
        names = (*FILES, BEST)
        save_file(dict(checkpoint.best), draft / BEST)
    _write_text(draft / SUMS, "".join(f"{_digest(draft / name)}  {name}\n" for name in names))


def _what_is_left(folder: Path) -> str:
    whole = checkpoint_folders(folder)
    return f"{whole[0].name} is whole" if whole else "there is none before it"


def _remove_others(folder: Path, newest: Path) -> None:
    """Keep the newest checkpoint and the one before; a later one is left from a damaged end."""
    paths = checkpoint_folders(folder)
    before = paths[paths.index(newest) + 1 :][:1]
    for path in paths:
        if path not in (newest, *before):
            _remove(path)


def _remove(path: Path) -> None:
    """Rename a folder and remove it, since half a checkpoint must not look like one."""
    trash = path.parent / TRASH
    if trash.exists():
        shutil.rmtree(trash)
    if path.exists():
        shutil.rmtree(path.rename(trash))


def checkpoint_folders(folder: str | Path) -> list[Path]:
    """List the checkpoints of a run, the newest first; nothing is read.

    Parameters
    ----------
    folder : str or Path
        Where the run keeps them; it need not exist.

    Returns
    -------
    list of Path
        At most two, unless the run was killed in a cleaning.

    Examples
    --------
    >>> checkpoint_folders("no such folder")
    []
    """
    folder = Path(folder)
    paths = folder.iterdir() if folder.is_dir() else ()
    checkpoints = [path for path in paths if NAME.fullmatch(path.name)]
    return sorted(checkpoints, key=lambda path: int(path.name.removeprefix("step-")), reverse=True)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint, bit for bit what was written."""
    path = Path(path)
    if not path.is_dir():
        raise FileNotFoundError(f"there is no checkpoint {str(path)!r}; check the name")
    has_best = BEST in _verify(path)
    model, optimizer, state, history = (path / name for name in FILES)
    return Checkpoint(
        load_file(model),
        load_file(optimizer),
        json.loads(state.read_text(encoding="utf-8")),
        read_history(history),
        load_file(path / BEST) if has_best else {},
    )


def read_newest(folder: str | Path) -> Checkpoint:
    """Read the newest checkpoint of a run that is not damaged."""
    paths = checkpoint_folders(folder)
    if not paths:
        raise FileNotFoundError(f"{str(folder)!r} holds no checkpoint; begin a run with fit()")
    for path in paths[:-1]:
        try:
            return read_checkpoint(path)
        except DamagedCheckpoint as error:
            warnings.warn(f"{error}; going back to the checkpoint before", stacklevel=3)
    try:
        return read_checkpoint(paths[-1])
    except DamagedCheckpoint as error:
        raise DamagedCheckpoint(
            f"{error}, and no checkpoint before it is left; remove the folders step-… in "
            f"{str(folder)!r} to begin again at step 0, or name another folder"
        ) from error


def _verify(path: Path) -> tuple[str, ...]:
    """Compare every file with the list of check sums; return their names."""
    if not (path / SUMS).is_file():
        raise DamagedCheckpoint(
            f"{str(path)!r} has no file {SUMS}, so it is no checkpoint of a training run, or a "
            "part of one"
        )
    expected = (path / SUMS).read_bytes().decode("utf-8", "replace").splitlines()
    has_best = (path / BEST).exists() or any(BEST in line for line in expected)
    names = (*FILES, BEST) if has_best else FILES
    lines = []
    for name in names:
        if not (path / name).is_file():
            raise DamagedCheckpoint(f"{str(path)!r} lacks {name}; the checkpoint is not whole")
        lines.append(f"{_digest(path / name)}  {name}")
    for index, (name, line) in enumerate(zip(names, lines, strict=True)):
        if expected[index : index + 1] != [line]:
            raise DamagedCheckpoint(
                f"{str(path / name)!r} ({(path / name).stat().st_size} bytes) is "
                f"not what its check sum in {SUMS} says; the file is cut or damaged"
            )
    return names


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(2**20):
            digest.update(block)
    return digest.hexdigest()


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
