"""ELECTRA: BERT's network on narrow embeddings, without a pooler. Chapter 25.

A token's vector has `embedding_size` numbers when it is looked up, and a linear map widens it
before the first layer, if the two sizes differ. Its task is new: a small generator replaces words,
and this network says of every token whether it is the original one (Clark et al., 2020).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn
from torch.nn import functional

from minibert import tasks
from minibert.config import ACTIVATIONS, IGNORED_KEYS, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.heads import BertLMPredictionHead
from minibert.inputs import require_number, require_tensor
from minibert.losses import is_labeled, multi_label_loss
from minibert.model import BertModel, BertPooler, initialize_weights
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM
from minibert.signature import called_as

from .differences import (
    NAMES_OF_SEQUENCES,
    HeadPooler,
    MemberHead,
    NarrowEmbeddings,
    NarrowPredictionHead,
    requires,
    save_under_their_names,
)


@dataclass(frozen=True, kw_only=True)
class ElectraConfig(BertConfig):
    """The sizes of an ELECTRA; the defaults are those of transformers.

    A word has `embedding_size` numbers before a linear map widens them to `hidden_size`.

    Source: Clark et al. (2020).
    """

    hidden_size: int = 256
    num_attention_heads: int = 4
    intermediate_size: int = 1024
    embedding_size: int = 128

    model_name = "ELECTRA"
    ignored_keys = (IGNORED_KEYS - {"embedding_size"}) | {
        "summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj",
    }  # fmt: skip
    required_values = requires("electra")
    tensor_sides = (*BertConfig.tensor_sides, "embedding_size")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_number("embedding_size", self.embedding_size, 1)


class ElectraEmbeddings(NarrowEmbeddings):
    """Look up narrow vectors, and widen them for the layers."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__(config)
        same = config.embedding_size == config.hidden_size
        wide = nn.Linear(config.embedding_size, config.hidden_size)
        self.project = nn.Identity() if same else wide

    def forward(self, *ids: Any, **options: Any) -> Float[Tensor, "batch seq hidden"]:
        """Look up, add, normalize and widen."""
        embeddings = super().forward(*ids, **options)  # (batch, seq, embedding_size)
        return self.project(embeddings)  # (batch, seq, hidden)


class ElectraModel(BertModel):
    """ELECTRA without head, called as `BertModel` is; no pooler unless `add_pooling_layer`."""

    config_class, base_model_prefix, own_parameters = ElectraConfig, "electra", True

    def __init__(self, config: ElectraConfig, add_pooling_layer: bool = False) -> None:
        with override({BertEmbeddings: ElectraEmbeddings}):
            super().__init__(config, add_pooling_layer)
        save_under_their_names(self, {"embeddings.project.": "embeddings_project."})


NAMES = {  # a piece of our names, and what the heads of ELECTRA say instead
    "cls.predictions.transform.": "generator_predictions.",
    "cls.predictions.decoder.": "generator_lm_head.",
    "cls.predictions.bias": "generator_lm_head.bias",
}


class ElectraPooler(HeadPooler):
    """RoBERTa's, with GELU."""

    activation = staticmethod(functional.gelu)


class ElectraPredictionHead(NarrowPredictionHead):
    """Narrow, and with GELU, whatever the layers have."""

    def __init__(self, config: ElectraConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__(config, word_embeddings)
        self.transform.activation = ACTIVATIONS["gelu"]


class ElectraHead(MemberHead):
    """What the heads of ELECTRA have in common."""

    encoder_class = ElectraModel


class ElectraForMaskedLM(ElectraHead, BertForMaskedLM):
    """ELECTRA's generator: masked words, compared as narrow vectors, with GELU in the head."""

    names = NAMES
    parts: ClassVar = {BertLMPredictionHead: ElectraPredictionHead}


class ElectraForSequenceClassification(ElectraHead, tasks.BertForSequenceClassification):
    """ELECTRA that classifies sequences: dropout, a linear map and GELU on the first vector."""

    names = NAMES_OF_SEQUENCES
    parts: ClassVar = {BertPooler: ElectraPooler}


class ElectraForTokenClassification(ElectraHead, tasks.BertForTokenClassification):
    """ELECTRA that tags tokens."""


class ElectraForQuestionAnswering(ElectraHead, tasks.BertForQuestionAnswering):
    """ELECTRA that finds answers in a text."""


class ElectraForPreTrainingOutput(NamedTuple):
    """What `ElectraForPreTraining` returns.

    Args:
        loss: Mean binary cross-entropy over the labeled tokens that the mask shows, in nats; None
            without labels.
        logits: One score per token: above 0, it is taken for a replaced one.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "batch seq"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class ElectraDiscriminatorPredictions(nn.Module):
    """Score how likely each token has been replaced."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.dense_prediction = nn.Linear(config.hidden_size, 1)
        initialize_weights(self, config.initializer_range)

    def forward(self, hidden_states: Float[Tensor, "... hidden"]) -> Float[Tensor, "..."]:
        """Score every token."""
        return self.dense_prediction(self.activation(self.dense(hidden_states)))[..., 0]


class ElectraForPreTraining(nn.Module):
    """ELECTRA's discriminator: it says of every token whether it has been replaced.

    The loss is the mean over the tokens that `attention_mask` shows, padding is not asked.

    Source: Clark et al. (2020), section 2.

    >>> import torch
    >>> config = ElectraConfig(vocab_size=40, hidden_size=12, num_attention_heads=3,
    ...                        intermediate_size=16, num_hidden_layers=1, embedding_size=6)
    >>> ids, replaced = torch.tensor([[5, 6, 7, 8]]), torch.tensor([[0, 0, 1, 0]])
    >>> output = ElectraForPreTraining(config)(ids, labels=replaced)
    >>> output.logits.shape, output.loss > 0
    (torch.Size([1, 4]), tensor(True))
    """

    config_class, base_model_prefix = ElectraConfig, "electra"

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = ElectraModel(config)
        self.discriminator_predictions = ElectraDiscriminatorPredictions(config)
        save_under_their_names(self, {"bert.": "electra."})

    @called_as(BertModel.forward)
    def forward(
        self, *inputs: Any, labels: Shaped[Tensor, "batch seq"] | None = None
    ) -> ElectraForPreTrainingOutput:
        """Return one score for every token, and the loss if the truth is given.

        Args:
            *inputs: As the encoder takes them.
            labels: 1 for a replaced token, 0 for an original one, -100 for one that is not asked.
        """
        encoded = self.bert(*inputs)
        logits = self.discriminator_predictions(encoded.last_hidden_state)  # (batch, seq)
        _, shown, *_ = inputs  # attention_mask
        loss = None if labels is None else self._loss(logits, labels, shown)  # ()
        return ElectraForPreTrainingOutput(loss, logits, encoded.hidden_states, encoded.attentions)

    def is_labeled(
        self, batch: Mapping[str, Shaped[Tensor, "..."]], name: str
    ) -> Bool[Tensor, "batch seq"]:
        """Return which labels of a `batch`, its entry `name`, count: not those of padding."""
        return _is_asked(batch[name], batch.get("attention_mask"))

    def _loss(self, logits: Tensor, labels: Tensor, attention_mask: Tensor | None) -> Tensor:
        require_tensor("labels", labels, shapes=[logits.shape])
        chosen = _is_asked(labels, attention_mask)  # (batch, seq)
        return multi_label_loss(logits[chosen][:, None], labels[chosen][:, None].to(logits.dtype))


def _is_asked(labels: Tensor, attention_mask: Tensor | None) -> Tensor:
    """Return which tokens have a label and are shown by the mask, (batch, seq)."""
    labeled = is_labeled(labels)
    return labeled if attention_mask is None else labeled & attention_mask.bool()
