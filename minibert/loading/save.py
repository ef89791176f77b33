"""From a model to a folder: the old files or the new ones, never some of each. Chapter 15."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import nn

from minibert.config import BertConfig
from minibert.disk import atomic_write, remove, sync
from minibert.inputs import FLOATS
from minibert.training.checkpoint import model_tensors
from minibert.wordpiece import WordPieceTokenizer

from .config_file import describe_model
from .files import CONFIG, INDEX, SAVED, WEIGHTS, Tensors, list_names, wrong_dtypes
from .tokenizer_files import TOKENIZER, VOCABULARY, describe_tokenizer

TEMPORARY = ".model-draft"
FILES = (CONFIG, WEIGHTS, VOCABULARY, TOKENIZER)

# What other programs would read instead of a new file, by the file that makes it stale.
STALE = {
    WEIGHTS: re.compile(re.escape(INDEX) + r"|model-\d{5}-of-\d{5}\.safetensors"),
    VOCABULARY: re.compile(r"tokenizer\.json|added_tokens\.json|special_tokens_map\.json"),
}

# What the names of tensors show is still on, and the way to the plain weights.
STILL_ON = {
    r"\bparametrizations\.": "torch.nn.utils.parametrize.remove_parametrizations(module, 'weight')",
    r"\b(weight|bias)_mask$": "torch.nn.utils.prune.remove(module, 'weight')",
    r"\b(weight|bias)_g$": "torch.nn.utils.remove_weight_norm(module)",
    r"\b(weight|bias)_u$": "torch.nn.utils.remove_spectral_norm(module)",
    r"\b(lora_\w+|base_layer|modules_to_save|prompt_encoder)\.": (
        "model = model.merge_and_unload() of PEFT, or save the adapter by its own save_pretrained"
    ),
    r"^_orig_mod\.": "the model that went into torch.compile, model._orig_mod",
}


def save_pretrained(
    model: nn.Module, directory: str | Path, tokenizer: WordPieceTokenizer | None = None
) -> None:
    """Write a model into a folder in Hugging Face's layout, so that transformers opens it.

    The files are written under another name, forced to the disk, and then renamed. If that is
    interrupted, the next loading or saving completes it: the folder holds the old model or the new
    one. Other files stay, except those that would be read instead of the new ones. A link is
    replaced, what it points to is not touched.

    Args:
        model: A BERT, or one of its family, with its `config`.
        directory: Made if it is not there.
        tokenizer: Written beside the model, if given.

    >>> import tempfile
    >>> from minibert.config import BertConfig
    >>> from minibert.model import BertModel
    >>> folder = Path(tempfile.mkdtemp())
    >>> save_pretrained(BertModel(BertConfig.tiny(vocab_size=89)), folder)
    >>> sorted(path.name for path in folder.iterdir())
    ['config.json', 'model.safetensors']
    """
    _require_model(model, tokenizer)
    tensors = model_tensors(model)
    _require_loadable(tensors)
    folder = Path(directory)
    finish_saving(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            if (folder / name).is_dir() and not (folder / name).is_symlink():
                raise IsADirectoryError(f"{name} is a folder there")
        with atomic_write(folder / SAVED, folder / TEMPORARY) as temporary:
            temporary.mkdir()
            _write(temporary, model, tensors, tokenizer)
            remove(folder / SAVED)  # a link, at most
    except (OSError, SafetensorError) as error:
        raise OSError(
            f"the model could not be saved to {str(folder)!r} ({error}); what was there before is "
            "whole. Make room or repair the folder, then save again"
        ) from None
    finish_saving(folder)


def finish_saving(folder: Path) -> None:
    """Put files that were completely written into their places, if saving was interrupted."""
    saved = folder / SAVED
    if saved.is_symlink() or not saved.is_dir():
        return
    names = [name for name in FILES if (saved / name).is_file()]
    try:
        sync(folder)
        for path in sorted(folder.iterdir()):
            if any(STALE[name].fullmatch(path.name) for name in STALE.keys() & set(names)):
                path.unlink()
        for name in names:
            os.replace(saved / name, folder / name)
        sync(folder)
        shutil.rmtree(saved)
    except OSError as error:
        raise OSError(
            f"a complete model lies in {str(saved)!r}, but cannot take its place ({error}); repair "
            "the folder, then load or save again"
        ) from None


def _write(
    folder: Path, model: Any, tensors: Tensors, tokenizer: WordPieceTokenizer | None
) -> None:
    tensors = {name: tensor.cpu() for name, tensor in tensors.items()}
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})
    _write_json(folder / CONFIG, describe_model(model))
    if tokenizer is not None:
        tokenizer.save(folder / VOCABULARY)
        longest = model.config.max_position_embeddings
        _write_json(folder / TOKENIZER, describe_tokenizer(tokenizer, longest))


def _write_json(path: Path, fields: dict[str, Any]) -> None:
    text = json.dumps(fields, indent=2, sort_keys=True) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def _require_model(model: nn.Module, tokenizer: WordPieceTokenizer | None) -> None:
    """Raise if it is no BERT, or the tokenizer has ids that the model lacks."""
    config: Any = getattr(model, "config", None)
    if not isinstance(config, BertConfig):
        raise TypeError(f"a {type(model).__name__} without a BertConfig as its config is no BERT")
    if tokenizer is not None and tokenizer.vocab_size > config.vocab_size:
        raise ValueError(
            f"the tokenizer has {tokenizer.vocab_size} pieces, but the model knows only "
            f"{config.vocab_size}; save a model with the tokenizer it was trained with"
        )


def _require_loadable(tensors: Tensors) -> None:
    """Raise for weights that `load_pretrained` would refuse, and for NaN."""
    for pattern, hint in STILL_ON.items():
        if wrapped := [name for name in tensors if re.search(pattern, name)]:
            raise ValueError(
                f"{list_names(wrapped, most=3)} can be read by no BERT: something is still on that "
                f"computes the weights. Make them final first: {hint}"
            )
    if empty := [name for name, tensor in tensors.items() if tensor.is_meta]:
        raise ValueError(
            f"{list_names(empty, most=3)} are on the meta device, sizes without numbers; load or "
            "draw the weights before saving"
        )
    examples = {tensor.dtype: name for name, tensor in tensors.items()}
    if len(examples) != 1 or not examples.keys() <= set(FLOATS):
        raise ValueError(wrong_dtypes(examples, "the model, as by model.float()"))
    if infinite := [name for name, tensor in tensors.items() if not tensor.isfinite().all()]:
        raise ValueError(
            f"{list_names(infinite, most=3)} hold numbers that are not finite (NaN or infinity); a "
            "training run has diverged there. Go back to weights from before"
        )
