"""Parts whose random weights are not drawn twice.

PyTorch's modules draw default weights when they are built, and a model then draws BERT's over them.
The classes here leave out the first drawing. Each replaces the plain part of its name. Chapter 20.
"""

from collections.abc import Callable
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from minibert.embeddings import BertEmbeddings
from minibert.heads import BertOnlyMLMHead, BertPreTrainingHeads
from minibert.inputs import entries_can_be_read
from minibert.model import BertEncoder, BertModelOutput, BertPooler


class NoRandomWeights(TorchFunctionMode):
    """Build modules without drawing random weights, for weights that come from elsewhere.

    Inside ``with NoRandomWeights():`` the functions of ``torch.nn.init`` that draw numbers leave
    their tensor as it is, which is to say undefined.
    """

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Skip the functions that draw weights; call every other."""
        kwargs = kwargs or {}
        if getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


class _Undrawn:
    """Build a part, and all parts of it, without drawing weights."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        with NoRandomWeights():
            super().__init__(*arguments, **named)


class FastEmbeddings(_Undrawn, BertEmbeddings):
    """The plain embeddings, built without drawing weights."""


class FastEncoder(_Undrawn, BertEncoder):
    """The plain encoder, built without drawing weights, and without a mask that hides nothing.

    Where no sentence has padding, adding 0 to every score of every layer is work for nothing.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertModelOutput:
        """Pass the vectors through the stack."""
        if additive_mask is not None and entries_can_be_read(additive_mask):
            additive_mask = additive_mask if additive_mask.any() else None
        return super().forward(
            hidden_states, additive_mask, output_attentions, output_hidden_states
        )


class FastPooler(_Undrawn, BertPooler):
    """The plain pooler, built without drawing weights."""


class FastMLMHead(_Undrawn, BertOnlyMLMHead):
    """The plain head of masked words, built without drawing weights."""


class FastPreTrainingHeads(_Undrawn, BertPreTrainingHeads):
    """Both plain heads of pre-training, built without drawing weights."""


class FastClassifier(_Undrawn, nn.Linear):
    """The linear layer of a task, built without drawing weights."""

    def _get_name(self) -> str:
        return "Linear"  # printed as what it is
