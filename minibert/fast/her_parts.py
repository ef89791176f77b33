"""A reader's part, built as the faster parts are, so that both draw the same random numbers.

Chapter 20.
"""

from typing import TypeVar

import torch
from torch import nn

from minibert.parts import part

ALONE = {"bert", "pretraining", "dropout"}  # the first two draw the weights that count

Kind = TypeVar("Kind")


def built_alike(role: str, player: Kind) -> Kind:
    """Derive a class that builds parts of a reader's class, or return what needs none.

    Its first weights, which a model draws again, leave no trace in the stream of random numbers,
    and where it has PyTorch's dropout it gets the one that plays.
    """
    is_ours = player.__module__.partition(".")[0] == "minibert"
    if role in ALONE or is_ours or not isinstance(player, type):
        return player

    class Alike(player):
        def __init__(self, *arguments, **named) -> None:
            with torch.random.fork_rng(devices=[]):
                super().__init__(*arguments, **named)
            _exchange_dropouts(self)
            self.__class__ = player  # from here on it is hers, as in her file

    Alike.__name__, Alike.__module__ = player.__name__, __name__
    return Alike


def _exchange_dropouts(module: nn.Module) -> None:
    """Put the dropout that plays in the place of each plain one."""
    for owner in [*module.modules()]:
        for name, child in [*owner.named_children()]:
            if type(child) is nn.Dropout:
                setattr(owner, name, part("dropout")(child.p))
