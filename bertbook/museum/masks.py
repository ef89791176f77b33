"""The room of the masks: what padding may not do, and what it does here. Chapter 26."""

# An exhibit takes the arguments that the reader sees it use, and no others.
# pyright: reportIncompatibleMethodOverride=false

import torch

from minibert.attention import BertSelfAttention
from minibert.model import BertEncoder, BertModel, BertModelOutput

from .bug import Bug
from .stepwise import Attention


class _Jiant465(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_attentions=False):
        mask = attention_mask
        if mask is not None:
            mask = (mask == 0).long()
        return super().forward(input_ids, mask, token_type_ids, output_attentions=output_attentions)


class _BertNli3(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_attentions=False):
        rows, longest = input_ids.shape
        mask = torch.ones(rows, longest, dtype=torch.long)
        if attention_mask is not None:
            lengths = attention_mask.sum(dim=1, keepdim=True)  # (batch, 1)
            input_ids = input_ids.where(torch.arange(longest) < lengths, 0)
        return super().forward(input_ids, mask, token_type_ids, output_attentions=output_attentions)


class _KubernetesCloud146(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_attentions=False):
        mask = torch.zeros_like(input_ids)
        return super().forward(input_ids, mask, token_type_ids, output_attentions=output_attentions)


class _AllenNlp3465(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, output_attentions=False):
        return super().forward(
            input_ids, token_type_ids=token_type_ids, output_attentions=output_attentions
        )


class _LostOnTheWay(BertEncoder):
    def forward(self, hidden_states, additive_mask=None, output_attentions=False, *more):
        attentions = []
        for layer in self.layer:
            hidden_states, probs = layer(hidden_states, additive_mask, output_attentions)
            additive_mask = None
            attentions.append(probs)
        return BertModelOutput(hidden_states, attentions=tuple(attentions))


class _Timm2236(Attention):
    def weigh(self, scores, mask):
        probs = scores.softmax(dim=-1)
        probs = probs * (mask == 0)
        return self.dropout(probs)


class _Transformer40(Attention):
    def weigh(self, scores, mask):
        if mask.dim() == 4:
            mask = mask[:, 0, 0][:, None, :, None]
        probs = (scores + mask).softmax(dim=-1)
        return self.dropout(probs)


class _Unsloth9848(Attention):
    def weigh(self, scores, mask):
        scores = scores.masked_fill(mask < 0, float("-inf"))
        probs = scores.softmax(dim=-1)
        return self.dropout(probs)


class _Sglang35434(Attention):
    def weigh(self, scores, mask):
        past = torch.ones(scores.shape[-2:]).tril() > 0
        lowest = torch.finfo(scores.dtype).min
        scores = scores.masked_fill(~past, lowest)
        probs = (scores + mask).softmax(dim=-1)
        return self.dropout(probs)


SELF = BertSelfAttention
MASKS = [
    Bug(_Jiant465, "the sign of the mask", "hand on the mask unchanged", "nyu-mll/jiant #465"),
    Bug(_BertNli3, "ones over padding", "ones up to each length", "yg211/bert_nli #3"),
    Bug(_KubernetesCloud146, "a mask of zeros", "take the mask that came",
        "coreweave/kubernetes-cloud #146"),
    Bug(_AllenNlp3465, "a mask that is not passed on", "hand on attention_mask, too",
        "allenai/allennlp #3465"),
    Bug(_LostOnTheWay, "a mask for the first layer only", "give every layer the mask",
        role=BertEncoder),
    Bug(_Timm2236, "mask after softmax", "add it before the softmax",
        "huggingface/pytorch-image-models #2236", SELF),
    Bug(_Transformer40, "queries masked, not keys", "lay it along the keys",
        "hyunwoongko/transformer #40", SELF),
    Bug(_Unsloth9848, "a row of nothing but −∞", "the lowest finite number instead",
        "unslothai/unsloth #9848", SELF),
    Bug(_Sglang35434, "the future hidden", "no triangle in an encoder",
        "sgl-project/sglang #35434", SELF),
]  # fmt: skip
