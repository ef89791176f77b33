"""Checkpoints: the whole state of a run in a folder, complete or not there at all. Chapter 13.

A checkpoint is a folder ``step-00000100`` with the weights, the optimizer's state, and the state of
the run with its history. It is written under another name, forced to the disk, and renamed at the
end. Nothing is unpickled.
"""

import json
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import torch
from filelock import FileLock, Timeout
from jaxtyping import Shaped
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from minibert.disk import atomic_write, sync

NAME = re.compile(r"step-(\d{8,})")
LOCK, TEMPORARY, TRASH = ".lock", ".draft", ".trash"
MODEL, OPTIMIZER, STATE = FILES = ("model.safetensors", "optimizer.safetensors", "state.json")
BEST = "best.safetensors"  # only in a run that puts its best weights back

Tensors = Mapping[str, Shaped[Tensor, "..."]]
Content = TypeVar("Content")


class DamagedCheckpoint(ValueError):  # noqa: N818
    """Raised when a checkpoint is not what was written."""


class Checkpoint(NamedTuple):
    """All that a run needs to resume; `state` is what else decides how it goes on, for JSON."""

    model: Tensors
    optimizer: Tensors
    state: dict[str, Any]
    history: list[dict[str, Any]]
    best: Tensors = MappingProxyType({})


def write_checkpoint(folder: str | Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, keep no more than the one before it, and return its folder."""
    folder = Path(folder)
    target = folder / f"step-{checkpoint.state['step']:08}"
    state = checkpoint.state | {"history": checkpoint.history}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(target, folder / TEMPORARY) as temporary:
            temporary.mkdir()
            save_file(dict(checkpoint.model), temporary / MODEL)
            save_file(dict(checkpoint.optimizer), temporary / OPTIMIZER)
            if checkpoint.best:
                save_file(dict(checkpoint.best), temporary / BEST)
            (temporary / STATE).write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
            _remove(target)  # a damaged one that was passed over, or one of the same step
        sync(folder)
    except (OSError, SafetensorError) as error:
        left = checkpoint_folders(folder)
        raise OSError(
            f"the checkpoint of step {checkpoint.state['step']} could not be written to "
            f"{str(folder)!r} ({error}); "
            f"{f'{left[0].name} is whole' if left else 'there is none before it'}. Make room or "
            "repair the folder, then call fit() again"
        ) from error
    paths = checkpoint_folders(folder)
    kept = paths[paths.index(target) :][:2]  # a later one is left from a damaged end
    for path in paths:
        if path not in kept:
            _remove(path)
    return target


def _remove(path: Path) -> None:
    """Rename a folder and remove it, since half a checkpoint must not look like one."""
    trash = path.parent / TRASH
    if trash.exists():
        shutil.rmtree(trash)
    if path.exists():
        shutil.rmtree(path.rename(trash))


def checkpoint_folders(folder: str | Path) -> list[Path]:
    """Return the checkpoints of the run in `folder`, the newest first; it need not exist.

    >>> checkpoint_folders("no such folder")
    []
    """
    folder = Path(folder)
    paths = folder.iterdir() if folder.is_dir() else ()
    checkpoints = [path for path in paths if NAME.fullmatch(path.name)]
    return sorted(checkpoints, key=lambda path: int(path.name.removeprefix("step-")), reverse=True)


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read a checkpoint, bit for bit what was written, with all tensors on the CPU."""
    path = Path(path)
    if not path.is_dir():
        raise FileNotFoundError(f"there is no checkpoint {str(path)!r}; check the name")
    model, optimizer = _read(path / MODEL, load_file), _read(path / OPTIMIZER, load_file)
    state = _read(path / STATE, lambda file: json.loads(file.read_text(encoding="utf-8")))
    best = _read(path / BEST, load_file) if state.get("best") else {}
    return Checkpoint(model, optimizer, state, state.pop("history"), best)


def _read(path: Path, load: Callable[[Path], Content]) -> Content:
    """Read a file of a checkpoint; raise `DamagedCheckpoint` if it is gone or cut."""
    if not path.is_file():
        raise DamagedCheckpoint(
            f"{str(path.parent)!r} lacks {path.name}; it is no checkpoint, or not a whole one"
        )
    try:
        return load(path)
    except (SafetensorError, ValueError) as error:
        raise DamagedCheckpoint(
            f"{str(path)!r} ({path.stat().st_size} bytes) cannot be read; the file is cut or "
            "damaged"
        ) from error


def read_newest(folder: str | Path) -> Checkpoint:
    """Read the newest checkpoint of a run that is not damaged."""
    paths = checkpoint_folders(folder)
    if not paths:
        raise FileNotFoundError(f"{str(folder)!r} holds no checkpoint; begin a run with fit()")
    for path in paths:
        try:
            return read_checkpoint(path)
        except DamagedCheckpoint as error:
            if path == paths[-1]:
                raise DamagedCheckpoint(
                    f"{error}, and no checkpoint before it is left; remove the folders step-… in "
                    f"{str(folder)!r} to begin again at step 0, or name another folder"
                ) from error
            warnings.warn(f"{error}; going back to the checkpoint before", stacklevel=3)
    raise AssertionError("the last checkpoint is returned or refused")


def model_tensors(model: nn.Module) -> dict[str, Shaped[Tensor, "..."]]:
    """Collect weights and buffers; a tensor with several names is taken under the first."""
    first = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach().contiguous()))
    return dict(first.values())


def restore_model(model: nn.Module, tensors: Tensors) -> None:
    """Copy weights and buffers into a model that has the same names, shapes and types."""
    if problem := next(_mismatches(model_tensors(model), tensors), None):
        raise ValueError(
            f"the checkpoint belongs to another model than this {type(model).__name__}: {problem}"
        )
    with torch.no_grad():
        for name, tensor in model.state_dict(keep_vars=True).items():
            if name in tensors:
                tensor.copy_(tensors[name])


def _mismatches(expected: Tensors, given: Tensors) -> Iterator[str]:
    for name in sorted({*expected, *given}):
        if name not in given:
            yield f"it has no {name}"
        elif name not in expected:
            yield f"its {name} is not in the model"
        elif (shape := tuple(given[name].shape)) != tuple(expected[name].shape):
            yield f"its {name} has shape {shape}, here it is {tuple(expected[name].shape)}"
        elif given[name].dtype != expected[name].dtype:
            yield f"its {name} is {given[name].dtype}, here it is {expected[name].dtype}"


def optimizer_tensors(
    optimizer: torch.optim.Optimizer, model: nn.Module
) -> dict[str, Shaped[Tensor, "..."]]:
    """Collect the optimizer's state of each parameter."""
    return {
        f"{name}.{kind}": tensor.contiguous()
        for name, parameter in model.named_parameters()
        for kind, tensor in optimizer.state.get(parameter, {}).items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, model: nn.Module, tensors: Tensors) -> None:
    """Replace the optimizer's state."""
    parameters = dict(model.named_parameters())
    optimizer.state.clear()
    for key, tensor in tensors.items():
        name, kind = key.rsplit(".", 1)
        parameter = parameters[name]
        optimizer.state[parameter][kind] = tensor.to(parameter.device, copy=True)


@contextmanager
def locked(folder: str | Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made if it is not there; raise if another holds it.

    The system releases the lock when its process ends, in whatever way.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise BlockingIOError(
            f"another process is writing to {str(folder)!r}; wait until it has ended, or name "
            "another folder"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes no file that is open
            (folder / LOCK).unlink()
        lock.release()
