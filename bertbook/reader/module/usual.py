"""The usual wrong classes, each made of ours by one slip.

A slip spoils every part that plays its role, however deep it lies: a reader's whole BERT that
divides by the wrong root gets the same hint as a reader's self-attention. Chapter 8.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import cast

import torch
from torch import nn

from bertbook.core.exercises.mistake import as_mistakes
from minibert.parts import default_part

from . import attention_slips, end_slips, layer_slips
from .slip import Spoil, spoil

SLIPS = {  # from outside in
    "pretraining": end_slips.PRETRAINING,
    "pretraining_heads": end_slips.PRETRAINING_HEADS,
    "prediction_head": end_slips.PREDICTION_HEAD,
    "prediction_head_transform": end_slips.PREDICTION_HEAD_TRANSFORM,
    "bert": end_slips.BERT,
    "pooler": end_slips.POOLER,
    "embeddings": end_slips.EMBEDDINGS,
    "encoder": layer_slips.ENCODER,
    "layer": layer_slips.LAYER,
    "intermediate": layer_slips.INTERMEDIATE,
    "output": layer_slips.FRAME,
    "attention": layer_slips.ATTENTION,
    "self_output": layer_slips.SELF_OUTPUT,
    "self_attention": attention_slips.SELF_ATTENTION,
    "layer_norm": end_slips.LAYER_NORM,
}


def spoiled_copies(ours: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield a copy of a module for every slip that can be made somewhere in it, with its hint.

    Those that are made in the module itself come first, then those in its parts, from outside in.
    """
    held = {type(part) for part in ours.modules()}
    for role in sorted(SLIPS, key=lambda role: default_part(role) is not type(ours)):
        kind, slips = default_part(role), SLIPS[role] if default_part(role) in held else {}
        for slip in as_mistakes(slips):
            copied = copy.deepcopy(ours)
            with torch.no_grad():
                for part in copied.modules():
                    if type(part) is kind:
                        spoil(part, cast("Spoil", slip.wrong))
            yield slip.hint, copied
