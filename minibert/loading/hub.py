"""A folder on this machine, or one that the Hugging Face Hub keeps under a name. Chapter 15."""

from __future__ import annotations

import re
from pathlib import Path

from .files import CONFIG, INDEX, WEIGHTS

NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?", re.ASCII)
TOKENIZER = (
    *("vocab.txt", "tokenizer.json", "tokenizer_config.json"),
    *("added_tokens.json", "special_tokens_map.json"),
)
WANTED = (CONFIG, WEIGHTS, INDEX, "model-*.safetensors", *TOKENIZER)


def find_folder(directory: str | Path, revision: str | None = None) -> Path:
    """Return the folder of a model; a name that is no folder here is fetched from the Hub."""
    if not isinstance(directory, str | Path):
        kind = type(directory).__name__
        raise TypeError(f"give the folder of a model as a path or a name, not a {kind}")
    path = Path(directory)
    if path.is_dir() and revision is not None:
        raise ValueError(
            f"{str(path)!r} is a folder here, which has no revision ({revision!r}); only a model "
            "of the Hugging Face Hub has revisions"
        )
    if path.is_dir():
        return path
    if path.exists():
        raise NotADirectoryError(f"{str(path)!r} is a file; give the folder that holds the model")
    if not isinstance(directory, str) or not NAME.fullmatch(directory):
        raise FileNotFoundError(f"there is no folder {str(directory)!r}; check the path")
    return _fetch(directory, revision)


def _fetch(name: str, revision: str | None) -> Path:
    """Fetch a model from the Hub, or return what was fetched before."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise FileNotFoundError(
            f"there is no folder {name!r}, and to fetch a model of this name from the Hugging Face "
            "Hub the package huggingface_hub is needed: pip install huggingface_hub"
        ) from None
    try:
        return Path(snapshot_download(name, revision=revision, allow_patterns=list(WANTED)))
    except Exception as error:  # whatever goes wrong in another library or on the way
        at = f" and revision {revision!r}" if revision is not None else ""
        raise FileNotFoundError(
            f"there is no folder {name!r}, and no model of this name{at} could be fetched from the "
            f"Hugging Face Hub ({type(error).__name__}: {_first_line(error)}); check the name and "
            "the connection, or give the folder of a model that is already here"
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
