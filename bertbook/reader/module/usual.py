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
from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.embeddings import BertEmbeddings
from minibert.heads import BertLMPredictionHead, BertPredictionHeadTransform, BertPreTrainingHeads
from minibert.layer import BertIntermediate, BertLayer, BertOutput
from minibert.model import BertEncoder, BertModel, BertPooler
from minibert.pretraining import BertForPreTraining

from . import attention_slips, end_slips, layer_slips
from .slip import Spoil, spoil

SLIPS = {  # from outside in
    BertForPreTraining: end_slips.PRETRAINING,
    BertPreTrainingHeads: end_slips.PRETRAINING_HEADS,
    BertLMPredictionHead: end_slips.PREDICTION_HEAD,
    BertPredictionHeadTransform: end_slips.PREDICTION_HEAD_TRANSFORM,
    BertModel: end_slips.BERT,
    BertPooler: end_slips.POOLER,
    BertEmbeddings: end_slips.EMBEDDINGS,
    BertEncoder: layer_slips.ENCODER,
    BertLayer: layer_slips.LAYER,
    BertIntermediate: layer_slips.INTERMEDIATE,
    BertOutput: layer_slips.FRAME,
    BertAttention: layer_slips.ATTENTION,
    BertSelfOutput: layer_slips.SELF_OUTPUT,
    BertSelfAttention: attention_slips.SELF_ATTENTION,
    nn.LayerNorm: end_slips.LAYER_NORM,
}


def spoiled_copies(ours: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield a copy of a module for every slip that can be made somewhere in it, with its hint.

    Those that are made in the module itself come first, then those in its parts, from outside in.
    """
    held = {type(part) for part in ours.modules()}
    for role in sorted(SLIPS, key=lambda role: role is not type(ours)):
        slips = SLIPS[role] if role in held else {}
        for slip in as_mistakes(slips):
            copied = copy.deepcopy(ours)
            with torch.no_grad():
                for part in copied.modules():
                    if type(part) is role:
                        spoil(part, cast("Spoil", slip.wrong))
            yield slip.hint, copied
