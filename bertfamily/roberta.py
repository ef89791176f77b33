"""RoBERTa: BERT's network, and places that are counted from behind the padding id. Chapter 25.

The first token stands at place ``pad_token_id + 1``, and padding at ``pad_token_id``, so that a
table of 514 places holds 512 tokens. All else is training (Liu et al., 2019).
"""

from dataclasses import dataclass
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minibert import tasks
from minibert.config import ACTIVATIONS, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.heads import BertPredictionHeadTransform
from minibert.inputs import check_tokens
from minibert.model import BertModel, BertPooler
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM

from .differences import NAMES_OF_SEQUENCES, HeadPooler, MemberHead, requires


@dataclass(frozen=True, kw_only=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa; the defaults are those of transformers.

    Of `max_position_embeddings`, ``pad_token_id + 1`` are not for tokens: positions begin behind.

    Source: Liu et al. (2019).
    """

    vocab_size: int = 50265
    pad_token_id: int = 1

    model_name = "RoBERTa"
    required_values = requires("roberta")


class RobertaEmbeddings(BertEmbeddings):
    """BERT's embeddings, with places that begin behind the padding id."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.pad_token_id = config.pad_token_id
        places = config.max_position_embeddings
        self.position_embeddings = nn.Embedding(places, config.hidden_size, config.pad_token_id)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
    ) -> Float[Tensor, "batch seq hidden"]:
        """Look up words, segments and places, and normalize."""
        check_tokens(self, input_ids, token_type_ids, position_ids, inputs_embeds)
        if position_ids is None:
            position_ids = self.places(input_ids, inputs_embeds)  # (batch, seq) or (1, seq)
        return super().forward(input_ids, token_type_ids, position_ids, inputs_embeds)

    def places(
        self,
        input_ids: Int[Tensor, "batch seq"] | None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None,
    ) -> Int[Tensor, "rows seq"]:
        """Count the tokens and not the padding; of vectors nobody knows which are padding."""
        if input_ids is None:
            is_token = torch.ones_like(inputs_embeds[:1, :, 0], dtype=torch.long)  # pyright: ignore[reportOptionalSubscript]
        else:
            is_token = (input_ids != self.pad_token_id).long()
        numbers = is_token.cumsum(dim=1) * is_token  # 1, 2, 3, …, and 0 at padding
        longest = self.position_embeddings.num_embeddings - self.pad_token_id - 1
        if numbers.shape[1] > longest and int(numbers.max()) > longest:
            raise ValueError(
                f"a sequence of {int(numbers.max())} tokens is too long: of "
                f"{self.position_embeddings.num_embeddings} places (max_position_embeddings), "
                f"those up to pad_token_id ({self.pad_token_id}) are not for tokens, which leaves "
                f"{longest}; truncate it"
            )
        return numbers + self.pad_token_id


class RobertaModel(BertModel):
    """RoBERTa without any head, with a pooler if `add_pooling_layer`; called as `BertModel` is."""

    config_class, base_model_prefix = RobertaConfig, "roberta"

    def __init__(self, config: RobertaConfig, add_pooling_layer: bool = True) -> None:
        with override({BertEmbeddings: RobertaEmbeddings}):
            super().__init__(config, add_pooling_layer)


class RobertaTransform(BertPredictionHeadTransform):
    """BERT's preparation, always with GELU, whatever the layers have."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.activation = ACTIVATIONS["gelu"]


NAMES = {  # a piece of our names, and what the heads of RoBERTa say instead
    "cls.predictions.transform.dense": "lm_head.dense",
    "cls.predictions.transform.LayerNorm": "lm_head.layer_norm",
    "cls.predictions.": "lm_head.",
}


class RobertaHead(MemberHead):
    """What the heads of RoBERTa have in common."""

    encoder_class = RobertaModel


class RobertaForMaskedLM(RobertaHead, BertForMaskedLM):
    """RoBERTa that predicts masked words, with GELU in the head whatever the layers have."""

    names = NAMES
    parts: ClassVar = {BertPredictionHeadTransform: RobertaTransform}


class RobertaForSequenceClassification(RobertaHead, tasks.BertForSequenceClassification):
    """RoBERTa that classifies sequences: dropout, a linear map and tanh on the first vector."""

    names = NAMES_OF_SEQUENCES
    parts: ClassVar = {BertPooler: HeadPooler}


class RobertaForTokenClassification(RobertaHead, tasks.BertForTokenClassification):
    """RoBERTa that tags tokens."""


class RobertaForQuestionAnswering(RobertaHead, tasks.BertForQuestionAnswering):
    """RoBERTa that finds answers in a text."""
