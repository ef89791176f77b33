"""The folder of a model, here or on the Hub, and its files: JSON and safetensors. Chapter 15."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from minibert.inputs import FLOATS

CONFIG, WEIGHTS, INDEX = "config.json", "model.safetensors", "model.safetensors.index.json"
PICKLE = "pytorch_model.bin"
SHARD = re.compile(r"\w[\w.-]*\.safetensors")
# What safetensors and the arrays behind it raise for a damaged file.
DAMAGES = (SafetensorError, OSError, RuntimeError, KeyError, TypeError, AttributeError, ValueError)
MOST = 20  # names written out in a message
LONGEST = 2**25  # bytes of a text file; the largest known are a quarter of that
SAVED = ".model-saved"  # a whole model, until its files are renamed

# A name on the Hub, and what is fetched of it.
NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
TOKENIZER = (
    *("vocab.txt", "tokenizer.json", "tokenizer_config.json"),
    *("added_tokens.json", "special_tokens_map.json"),
)
FETCHED = [CONFIG, WEIGHTS, INDEX, "model-*.safetensors", *TOKENIZER]

Tensors = dict[str, Shaped[Tensor, "..."]]


def find_folder(directory: str | Path) -> Path:
    """Return the folder of a model; a name that is no folder here is fetched from the Hub."""
    if not isinstance(directory, str | Path):
        kind = type(directory).__name__
        raise TypeError(f"give the folder of a model as a path or a name, not a {kind}")
    path = Path(directory)
    if path.is_dir():
        return path
    if path.exists():
        raise NotADirectoryError(f"{str(path)!r} is a file; give the folder that holds the model")
    if not isinstance(directory, str) or not NAME.fullmatch(directory):
        raise FileNotFoundError(f"there is no folder {str(directory)!r}; check the path")
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise FileNotFoundError(
            f"there is no folder {directory!r}, and to fetch a model of this name from the Hugging "
            "Face Hub the package huggingface_hub is needed: pip install huggingface_hub"
        ) from None
    try:
        return Path(snapshot_download(directory, allow_patterns=FETCHED))
    except Exception as error:  # whatever goes wrong in another library or on the way
        reason = (str(error).strip().splitlines() or [""])[0]
        raise FileNotFoundError(
            f"there is no folder {directory!r}, and no model of this name could be fetched from "
            f"the Hugging Face Hub ({type(error).__name__}: {reason}); check the name and the "
            "connection, or give the folder of a model that is already here"
        ) from None


def locate(folder: Path, name: str) -> Path:
    """Return where a file of a model is: in its folder, or where a saving was interrupted."""
    saved = folder / SAVED
    waits = not saved.is_symlink() and (saved / name).is_file()
    return saved / name if waits else folder / name


def require_length(path: Path) -> None:
    """Raise for a text file that is too long to be one of a model."""
    length = path.stat().st_size
    if length > LONGEST:
        raise ValueError(
            f"{str(path)!r} has {length} bytes, more than {LONGEST}, and is not read; is it "
            "damaged? Get it again"
        )


def read_json(path: Path) -> dict[str, Any]:
    """Read a file that holds one JSON object."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{str(path.parent)!r} has no {path.name}; is it the folder of a saved model?"
        )
    require_length(path)
    try:
        fields = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise damaged(path, f" cannot be read as JSON ({error})") from None
    if not isinstance(fields, dict):
        raise damaged(path, f" holds a JSON {type(fields).__name__}, not an object {{…}}")
    return fields


def damaged(path: Path, problem: str) -> ValueError:
    """Return the error for a damaged file; the problem stands behind its path."""
    return ValueError(f"{str(path)!r}{problem}; download it again")


def read_weights(folder: Path) -> Tensors:
    """Map the weights of a folder into memory, from one file or from the shards of an index."""
    weights = locate(folder, WEIGHTS)
    whole, sharded = weights.is_file(), (folder / INDEX).is_file()
    if whole and sharded and weights.parent == folder:
        raise ValueError(
            f"{str(folder)!r} has both {WEIGHTS} and {INDEX}, two models perhaps; remove the one "
            "that is not meant"
        )
    if whole:
        return read_tensors(weights)
    if sharded:
        return _read_shards(folder)
    if (folder / PICKLE).is_file():
        raise ValueError(
            f"{str(folder)!r} has its weights only as {PICKLE}, a pickle: a program that may do "
            f"anything while it is read. It is not opened; get {WEIGHTS} of the same model, or "
            "convert it where you trust its origin"
        )
    raise FileNotFoundError(
        f"{str(folder)!r} has neither {WEIGHTS} nor {INDEX}; get one of them (pickles, "
        f"{PICKLE}, are not opened)"
    )


def read_tensors(path: Path) -> Tensors:
    """Return the tensors of the safetensors file at `path`, mapped into memory.

    >>> import tempfile
    >>> from safetensors.torch import save_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"weight": torch.ones(2)}, Path(folder) / "model.safetensors")
    ...     read_tensors(Path(folder) / "model.safetensors")
    {'weight': tensor([1., 1.])}
    """
    try:
        return load_file(path)
    except DAMAGES as error:
        size = f"{path.stat().st_size} bytes"
        raise damaged(path, f" ({size}) is no safetensors file, damaged or cut ({error})") from None


def _read_shards(folder: Path) -> Tensors:
    """Map all shards of an index; raise if one is missing or holds other tensors."""
    places = _read_places(folder)
    tensors: Tensors = {}
    for shard in sorted(set(places.values())):
        if not (folder / shard).is_file():
            raise FileNotFoundError(
                f"{str(folder)!r} has no {shard}, which {INDEX} names; get this file, too"
            )
        part = read_tensors(folder / shard)
        promised = {name for name, place in places.items() if place == shard}
        if differing := sorted(promised ^ part.keys()):
            raise ValueError(
                f"{shard} of {str(folder)!r} holds other tensors than {INDEX} says: "
                f"{list_names(differing)}. The two do not belong together; download both again"
            )
        tensors |= part
    return tensors


def _read_places(folder: Path) -> dict[str, str]:
    """Read in which shard each tensor is; raise for an index that names other files."""
    places = read_json(folder / INDEX).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise damaged(folder / INDEX, " has no weight_map from tensors to files")
    for name, place in places.items():
        if not isinstance(place, str) or not SHARD.fullmatch(place):
            raise ValueError(
                f"{str(folder / INDEX)!r} places {name!r} in {place!r}; a shard must be a "
                "safetensors file of the same folder"
            )
    return places


def wrong_dtypes(examples: Mapping[torch.dtype, str], owner: str) -> str:
    """Return the message for weights of several types, or of one that is no float."""
    types = ", ".join(f"{name} is {dtype}" for dtype, name in examples.items())
    allowed = ", ".join(map(str, FLOATS))
    return f"the weights must all be of one type out of {allowed}, but {types}; convert {owner}"


def require_value(path: Path, name: str, value: object, *allowed: object) -> None:
    """Raise unless a file gives something the value that it has in BERT."""
    if value not in allowed:
        raise ValueError(
            f"{str(path)!r}: {name} {value!r:.60} is not supported; BERT's is {allowed[0]!r}"
        )


def list_names(names: Iterable[str], most: int = MOST) -> str:
    """Join names; of a long list only the first ones."""
    names = list(names)
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
