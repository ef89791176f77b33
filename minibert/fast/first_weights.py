"""First weights that are drawn apart, so that only a model's own draw from the random numbers.

A part draws PyTorch's weights when it is built, and a model then draws BERT's over them. So models
draw the same numbers whoever plays: ours, the faster ones or the reader's. Chapter 23.
"""

from collections.abc import Callable
from functools import wraps
from inspect import unwrap

import torch
from torch import nn

from minibert.embeddings import BertEmbeddings
from minibert.heads import BertOnlyMLMHead, BertPreTrainingHeads, linear_classifier
from minibert.model import BertEncoder, BertPooler
from minibert.parts import part

from .exchange import exchange

# The parts of which models are made before they draw their weights.
DRAWN_FROM = (
    *(BertEmbeddings, BertEncoder, BertPooler),
    *(BertOnlyMLMHead, BertPreTrainingHeads, linear_classifier),
)


def built_apart(player: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
    """Return a function that builds a part, and leaves no trace in the random numbers.

    Where the part has PyTorch's dropout, it gets the one that plays.
    """
    kind = unwrap(player)

    @wraps(kind, updated=())
    def build(*arguments: object, **named: object) -> nn.Module:
        with torch.random.fork_rng(devices=[]):
            built = kind(*arguments, **named)
        exchange(built, nn.Dropout, lambda x: part(nn.Dropout)(x.p) if type(x) is nn.Dropout else x)
        return built

    return build
