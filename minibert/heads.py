"""The heads of pre-training: from vectors to words, and from [CLS] to yes or no. Chapter 11."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from .config import ACTIVATIONS, BertConfig
from .parts import part


class BertPredictionHeadTransform(nn.Module):
    """Prepare a vector for the comparison with all words.

    ``LayerNorm(gelu(dense(hidden_states)))``, with the activation that `config.hidden_act` names.

    >>> BertPredictionHeadTransform(BertConfig.tiny())(torch.ones(1, 4, 128)).shape
    torch.Size([1, 4, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.LayerNorm = part(nn.LayerNorm)(config.hidden_size, config.layer_norm_eps)

    def forward(self, hidden_states: Float[Tensor, "... hidden"]) -> Float[Tensor, "... hidden"]:
        """Return the vectors to compare with those of words, one for each of `hidden_states`."""
        return self.LayerNorm(self.activation(self.dense(hidden_states)))


class BertLMPredictionHead(nn.Module):
    """Score every word of the vocabulary as the one that belongs to a vector.

    ``logits = transform(hidden_states) @ word_embeddings.T + bias``: the decoder has no weights of
    its own. It shares the table `word_embeddings` (weight tying), so that this table collects two
    gradients, one where words are read and one where they are predicted.

    >>> table = nn.Embedding(89, 128)
    >>> head = BertLMPredictionHead(BertConfig.tiny(vocab_size=89), table)
    >>> head(torch.randn(1, 5, 128)).shape, head.decoder.weight is table.weight
    (torch.Size([1, 5, 89]), True)
    """

    def __init__(self, config: BertConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__()
        self.transform = part(BertPredictionHeadTransform)(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.tie(word_embeddings)

    def tie(self, word_embeddings: nn.Embedding) -> None:
        """Let the decoder share the table `word_embeddings`, and its bias be `bias`."""
        self.decoder.weight = word_embeddings.weight
        self.decoder.bias = self.bias

    def forward(self, hidden_states: Float[Tensor, "... hidden"]) -> Float[Tensor, "... vocab"]:
        """Return one score for each word, at each of `hidden_states`; no softmax has been taken."""
        prepared = self.transform(hidden_states)  # (..., hidden)
        return self.decoder(prepared)  # (..., vocab)


class BertOnlyMLMHead(nn.Module):
    """The head of masked words alone, where Hugging Face's names expect it."""

    def __init__(self, config: BertConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__()
        self.predictions = part(BertLMPredictionHead)(config, word_embeddings)

    def forward(self, sequence_output: Float[Tensor, "... hidden"]) -> Float[Tensor, "... vocab"]:
        """Score every word of the vocabulary."""
        return self.predictions(sequence_output)  # (..., vocab)


def linear_classifier(hidden_size: int, num_labels: int) -> nn.Linear:
    """Build the linear map from a vector to one score for each label, with which heads end."""
    return nn.Linear(hidden_size, num_labels)


class BertPreTrainingHeads(nn.Module):
    """Both heads of pre-training: one for masked words, one for the next sentence.

    ``predictions(sequence_output)``, over the table `word_embeddings`, and
    ``seq_relationship(pooled_output)``: two scores, 0 for "B follows A", 1 for "B comes from
    elsewhere".

    >>> heads = BertPreTrainingHeads(BertConfig.tiny(vocab_size=89), nn.Embedding(89, 128))
    >>> words, pairs = heads(torch.randn(1, 5, 128), torch.randn(1, 128))
    >>> words.shape, pairs.shape
    (torch.Size([1, 5, 89]), torch.Size([1, 2]))
    """

    def __init__(self, config: BertConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__()
        self.predictions = part(BertLMPredictionHead)(config, word_embeddings)
        self.seq_relationship = part(linear_classifier)(config.hidden_size, 2)

    def forward(
        self,
        sequence_output: Float[Tensor, "... hidden"],
        pooled_output: Float[Tensor, "batch hidden"],
    ) -> tuple[Float[Tensor, "... vocab"], Float[Tensor, "batch 2"]]:
        """Return the scores of every word, and two scores for each pair.

        `sequence_output` has one vector per token, or those of the labeled tokens alone, and
        `pooled_output` one per sequence, out of the pooler.
        """
        prediction_logits = self.predictions(sequence_output)  # (..., vocab)
        return prediction_logits, self.seq_relationship(pooled_output)  # (batch, 2)
