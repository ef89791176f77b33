"""The room of the shapes: every shape is right, and an axis is not what it seems. Chapter 26."""

# An exhibit takes the arguments that the reader sees it use, and no others.
# pyright: reportIncompatibleMethodOverride=false

import torch

from bertfamily import RobertaConfig, RobertaModel
from bertfamily.roberta import RobertaEmbeddings
from minibert.attention import BertSelfAttention
from minibert.embeddings import BertEmbeddings
from minibert.model import BertModel

from .bug import Bug
from .stepwise import Attention


class _VisionTransformer1(Attention):
    def weigh(self, scores, mask):
        probs = (scores + mask).softmax(dim=-2)
        return self.dropout(probs)


class _PyTorchNlp2(Attention):
    def weigh(self, scores, mask):
        probs = (scores + mask).softmax(dim=0)
        return self.dropout(probs)


class _FromScratch6(Attention):
    def join_heads(self, x):
        batch, heads, seq, head_size = x.shape
        return x.reshape(batch, seq, heads * head_size)


class _FuxiCtr30(Attention):
    def split_heads(self, x):
        batch, seq, hidden = x.shape
        heads = hidden // self.head_size
        return x.reshape(batch, heads, seq, self.head_size)

    def join_heads(self, x):
        batch, heads, seq, head_size = x.shape
        return x.reshape(batch, seq, heads * head_size)


class _NumpyTransformer1(BertEmbeddings):
    def forward(self, input_ids, token_type_ids=None, *given):
        numbers = torch.arange(len(input_ids))
        position_ids = numbers[:, None].expand(input_ids.shape)
        return super().forward(input_ids, token_type_ids, position_ids)


class _DeepPavlov1312(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_attentions=False):
        features = {"input_ids": input_ids, "attention_mask": attention_mask}
        return super().forward(**features, output_attentions=output_attentions)


class _NumberedPlaces(RobertaEmbeddings):
    def places(self, input_ids, inputs_embeds):
        is_token = (input_ids != 0).long()
        numbers = is_token.cumsum(dim=1) * is_token  # 1, 2, 3, …, and 0 at padding
        return numbers + self.pad_token_id


class _Transformers1258(RobertaModel):
    def __init__(self, config: RobertaConfig) -> None:
        super().__init__(config)
        self.embeddings = _NumberedPlaces(config)


SELF = BertSelfAttention
SHAPES = [
    Bug(_VisionTransformer1, "softmax over queries", "softmax over the keys, dim=-1",
        "nerminnuraydogan/vision-transformer #1", SELF),
    Bug(_PyTorchNlp2, "softmax over the batch", "softmax over the keys, dim=-1",
        "PetrochukM/PyTorch-NLP #2", SELF),
    Bug(_FromScratch6, "heads joined by reshape", "change axes, then reshape",
        "jsbaan/transformer-from-scratch #6", SELF),
    Bug(_FuxiCtr30, "heads split by reshape", "reshape to tokens, then change axes",
        "reczoo/FuxiCTR #30", SELF),
    Bug(_NumpyTransformer1, "positions along the batch", "number words: input_ids.shape[1]",
        "AkiRusProd/numpy-transformer #1", BertEmbeddings),
    Bug(_DeepPavlov1312, "segments dropped", "hand on token_type_ids, too",
        "deeppavlov/DeepPavlov #1312"),
    Bug(_Transformers1258, "padding id 0 in RoBERTa", "compare with self.pad_token_id",
        "huggingface/transformers #1258", config=RobertaConfig),
]  # fmt: skip
