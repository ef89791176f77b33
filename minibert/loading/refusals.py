"""Weights that could be written, but not read again, or not used. Chapter 15."""

from __future__ import annotations

import re
from functools import reduce

import torch

from .files import Tensors, list_names

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)

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


def require_loadable(tensors: Tensors) -> None:
    """Raise for weights that `load_pretrained` would refuse, and for NaN."""
    for shown, way_out in STILL_ON.items():
        if wrapped := [name for name in tensors if re.search(shown, name)]:
            raise ValueError(
                f"{list_names(wrapped, most=3)} can be read by no BERT: something is still on that "
                f"computes the weights. Make them final first: {way_out}"
            )
    if empty := [name for name, tensor in tensors.items() if tensor.is_meta]:
        raise ValueError(
            f"{list_names(empty, most=3)} are on the meta device, sizes without numbers; load or "
            "draw the weights before saving"
        )
    dtype_of(tensors, "the model, as by model.float()")
    if infinite := [name for name, tensor in tensors.items() if not tensor.isfinite().all()]:
        raise ValueError(
            f"{list_names(infinite, most=3)} hold numbers that are not finite (NaN or infinity); a "
            "training run has diverged there. Go back to weights from before"
        )


def widest_dtype(tensors: Tensors) -> torch.dtype:
    """Return the type that holds every number of a file, as float32 does for float16 beside it."""
    dtypes = {tensor.dtype for tensor in tensors.values()}
    if not dtypes <= set(FLOATS):
        return dtype_of(tensors, "the file")
    return reduce(torch.promote_types, dtypes)


def dtype_of(tensors: Tensors, owner: str) -> torch.dtype:
    """Return the type of all weights; raise if there are several."""
    examples = {tensor.dtype: name for name, tensor in tensors.items()}
    if len(examples) != 1 or not examples.keys() <= set(FLOATS):
        types = ", ".join(f"{name} is {dtype}" for dtype, name in examples.items())
        allowed = ", ".join(map(str, FLOATS))
        raise ValueError(
            f"the weights must all be of one type out of {allowed}, but {types}; convert {owner}"
        )
    return next(iter(examples))
