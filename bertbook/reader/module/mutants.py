"""Mutants: copies of a module of the package, each with one common mistake.

A mutation changes every submodule of its class, however deep: a whole BERT that divides by the
wrong root gets the same hint as its self-attention alone. Chapter 8.
"""

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

from . import attention_mistakes, layer_mistakes, model_mistakes
from .mutation import Mutation, mutate

MUTATIONS = {  # from outside in
    BertForPreTraining: model_mistakes.PRETRAINING,
    BertPreTrainingHeads: model_mistakes.PRETRAINING_HEADS,
    BertLMPredictionHead: model_mistakes.PREDICTION_HEAD,
    BertPredictionHeadTransform: model_mistakes.PREDICTION_HEAD_TRANSFORM,
    BertModel: model_mistakes.BERT,
    BertPooler: model_mistakes.POOLER,
    BertEmbeddings: model_mistakes.EMBEDDINGS,
    BertEncoder: layer_mistakes.ENCODER,
    BertLayer: layer_mistakes.LAYER,
    BertIntermediate: layer_mistakes.INTERMEDIATE,
    BertOutput: layer_mistakes.FRAME,
    BertAttention: layer_mistakes.ATTENTION,
    BertSelfOutput: layer_mistakes.SELF_OUTPUT,
    BertSelfAttention: attention_mistakes.SELF_ATTENTION,
    nn.LayerNorm: model_mistakes.LAYER_NORM,
}


def mutants_of(reference: nn.Module) -> Iterator[tuple[str, nn.Module]]:
    """Yield a mutant for every mistake that can be made somewhere in a module, with its hint.

    Mistakes in the module itself come first, then those in its submodules, from outside in.
    """
    held = {type(part) for part in reference.modules()}
    for role in sorted(MUTATIONS, key=lambda role: role is not type(reference)):
        mutations = MUTATIONS[role] if role in held else {}
        for mutation in as_mistakes(mutations):
            copied = copy.deepcopy(reference)
            with torch.no_grad():
                for part in copied.modules():
                    if type(part) is role:
                        mutate(part, cast("Mutation", mutation.wrong))
            yield mutation.hint, copied
