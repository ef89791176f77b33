"""The loss of packed words, out of vectors whose places are known. Chapter 23."""

from jaxtyping import Float, Int
from torch import Tensor

from minibert.heads import BertLMPredictionHead
from minibert.losses import masked_lm_loss


def word_loss(
    head: BertLMPredictionHead,
    vectors: Float[Tensor, "labels hidden"],
    labels: Int[Tensor, " labels"],
) -> Float[Tensor, ""]:
    """Score all words for each vector, and compute the mean loss of the labels.

    Args:
        head: Scores the words.
        vectors: One for each label.
        labels: Ids of the true words, -100 for filler.

    Returns:
        Nats per labeled position.
    """
    return masked_lm_loss(head(vectors), labels)
