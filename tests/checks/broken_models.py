"""Bugs of real programs, each small: what was wrong, where it was told, and what must find it.

A source is a repository on GitHub and the number of its issue or pull request; without one
the bug is made up, for an invariant that no other bug breaks or a mask that gets lost on its way.
"""

import random
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from minibert.attention import BertSelfAttention
from minibert.embeddings import BertEmbeddings
from minibert.family import RobertaConfig, RobertaModel
from minibert.losses import IGNORED_LABEL
from minibert.model import BertEncoder, BertModel
from minibert.pretraining import BertForMaskedLM, MaskedLMOutput


class Attention(BertSelfAttention):
    """Ours, in steps that can go wrong one by one."""

    def forward(self, hidden_states, additive_mask=None, return_attention=False):
        query, key, value = (
            self.split_heads(linear(hidden_states)) for linear in (self.query, self.key, self.value)
        )
        mask = torch.zeros(1, dtype=query.dtype) if additive_mask is None else additive_mask
        probs = self.weigh(query @ key.mT / self.head_size**0.5, mask)
        return self.join_heads(probs @ value), probs if return_attention else None

    def weigh(self, scores, mask):
        return (scores + mask).softmax(-1)


class MaskAfterSoftmax(Attention):
    def weigh(self, scores, mask):
        return scores.softmax(-1) * (mask == 0)


class MaskOfQueries(Attention):
    def weigh(self, scores, mask):
        return (scores + mask.mT).softmax(-1) if mask.dim() > 1 else scores.softmax(-1)


class InfiniteMask(Attention):
    def weigh(self, scores, mask):
        return scores.masked_fill(mask < 0, -torch.inf).softmax(-1)


class SoftmaxOverQueries(Attention):
    def weigh(self, scores, mask):
        return (scores + mask).softmax(-2)


class SoftmaxOverBatch(Attention):
    def weigh(self, scores, mask):
        return (scores + mask).softmax(0)


class Scrambled(Attention):
    """Joins the heads without changing their axis back."""

    def join_heads(self, x):
        batch, _, seq, _ = x.shape
        return x.reshape(batch, seq, -1)


class PiecesOfTheText(Scrambled):
    """Splits the heads without changing axes: a head has all of some tokens."""

    def split_heads(self, x):
        return x.reshape(len(x), -1, x.shape[1], self.head_size)


class Causal(Attention):
    def weigh(self, scores, mask):
        seen = torch.ones(scores.shape[-2:]).tril().bool()
        return (scores + mask).masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(-1)


class MaskForOneLayer(BertEncoder):
    def forward(self, hidden_states, additive_mask=None, return_attention=False, *more):
        for layer in self.layer[1:]:
            layer.register_forward_pre_hook(lambda _, given: (given[0], None, *given[2:]))
        return super().forward(hidden_states, additive_mask, return_attention, *more)


class OnePlaceForAll(BertEmbeddings):
    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None):
        position_ids = torch.zeros(1, input_ids.shape[1], dtype=torch.long)
        return super().forward(input_ids, token_type_ids, position_ids, inputs_embeds)


class PlacesOfTheBatch(BertEmbeddings):
    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None):
        position_ids = torch.arange(len(input_ids))[:, None].expand(input_ids.shape)
        return super().forward(input_ids, token_type_ids, position_ids, inputs_embeds)


class NoWay(BertEmbeddings):
    """A gradient ends before the tables."""

    def forward(self, *given):
        return super().forward(*given).detach().requires_grad_()


class FlippedMask(BertModel):
    def _additive_mask(self, attention_mask, hidden_states):
        flipped = None if attention_mask is None else 1 - attention_mask
        return super()._additive_mask(flipped, hidden_states)


class MaskOfOnes(BertModel):
    def _additive_mask(self, attention_mask, hidden_states):
        return super()._additive_mask(torch.ones(hidden_states.shape[:2]), hidden_states)


class MaskOfZeros(BertModel):
    def _additive_mask(self, attention_mask, hidden_states):
        return super()._additive_mask(torch.zeros(hidden_states.shape[:2]), hidden_states)


class MaskNotPassedOn(BertModel):
    def _additive_mask(self, attention_mask, hidden_states):
        return None


class NeverEval(BertModel):
    def train(self, mode=True):
        return super().train(True)


class OneBuffer(BertModel):
    """Answers in a tensor that the next batch of the same shape fills again."""

    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        new = output.last_hidden_state
        if getattr(self, "staging", new[:0]).shape != new.shape:
            self.staging = new.clone()
        else:
            self.staging.copy_(new)
        return output._replace(last_hidden_state=self.staging)


class CutsInSilence(BertModel):
    def forward(self, input_ids, **given):
        given = {k: v[:, :12] if torch.is_tensor(v) else v for k, v in given.items()}
        return super().forward(input_ids[:, :12], **given)


class OneSegment(BertModel):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, **given):
        return super().forward(input_ids, attention_mask, **given)


class NoiseInTraining(BertModel):
    """Does in training what no dropout does."""

    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        scale = 1.1 if self.training else 1.0
        return output._replace(last_hidden_state=output.last_hidden_state * scale)


class NotAllIsSaved(BertModel):
    """Draws a number that its state does not hold."""

    def __init__(self, config):
        super().__init__(config)
        self.scale = random.Random(torch.rand(1).item()).uniform(1, 2)

    def forward(self, *given, **named):
        output = super().forward(*given, **named)
        return output._replace(last_hidden_state=output.last_hidden_state * self.scale)


class PaddingIsZero(RobertaModel):
    def __init__(self, config):
        super().__init__(config)
        self.embeddings.pad_token_id = 0


class TwoTables(BertForMaskedLM):
    def __init__(self, config):
        super().__init__(config)
        decoder = self.cls.predictions.decoder
        decoder.weight = torch.nn.Parameter(decoder.weight.detach().clone())


class OtherLoss(BertForMaskedLM):
    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None):
        output = super().forward(input_ids, attention_mask, token_type_ids)
        if labels is None:
            return output
        return MaskedLMOutput(self.loss(output.logits, labels, input_ids), output.logits)


class IgnoresMinusOne(OtherLoss):
    def loss(self, logits, labels, input_ids):
        return functional.cross_entropy(logits.mT, labels, ignore_index=-1)


class LossEverywhere(OtherLoss):
    def loss(self, logits, labels, input_ids):
        labels = labels.where(labels != IGNORED_LABEL, input_ids)
        return functional.cross_entropy(logits.mT, labels)


class MeanOfMeans(OtherLoss):
    def loss(self, logits, labels, input_ids):
        rows = zip(logits, labels)
        return torch.stack([functional.cross_entropy(*row) for row in rows]).mean()


class Bug(NamedTuple):
    """What was wrong, where it was told, which part or model has it, and all that must fail."""

    wrong: str
    source: str
    thing: Any  # a part by its role, or a model
    finds: tuple[str, ...]
    config: Any = None


PADDING, MAP = "padding_changes_nothing", "attention_is_shared_among_tokens"
HEARS, MATES = "every_token_hears_every_token", "batch_mates_do_not_matter"
LABELS, SPLIT = "labels_count_alike", "split_batch_is_whole_batch"
GRADIENTS, NO_MASK, PLACES = "gradients_reach_everything", "no_mask_means_all_ones", "places_matter"


def at(role, kind):
    return {role: kind}


SELF = "self_attention"
BUGS = [
    Bug("sign of the mask flipped", "nyu-mll/jiant #465", FlippedMask, (PADDING, MAP, NO_MASK)),
    Bug("ones over padding", "yg211/bert_nli #3", MaskOfOnes, (PADDING, MAP)),
    Bug("mask of zeros", "coreweave/kubernetes-cloud #146", MaskOfZeros, (PADDING, MAP)),
    Bug("mask not passed on", "allenai/allennlp #3560", MaskNotPassedOn, (PADDING, MAP)),
    Bug("mask lost after a layer", "", at("encoder", MaskForOneLayer), (PADDING, MAP)),
    Bug(
        "mask after the softmax",
        "huggingface/pytorch-image-models #2236",
        at(SELF, MaskAfterSoftmax),
        (PADDING, MAP),
    ),
    Bug(
        "mask of queries, not keys",
        "hyunwoongko/transformer #40",
        at(SELF, MaskOfQueries),
        (PADDING, MAP),
    ),
    Bug(
        "NaN in the first step",
        "AnswerDotAI/ModernBERT #163",
        at(SELF, InfiniteMask),
        ("padding_alone_gives_numbers",),
    ),
    Bug(
        "softmax over the queries",
        "labmlai/annotated_deep_learning_paper_implementations #146",
        at(SELF, SoftmaxOverQueries),
        (PADDING, MAP),
    ),
    Bug(
        "softmax over the batch",
        "PetrochukM/PyTorch-NLP #2",
        at(SELF, SoftmaxOverBatch),
        (MATES, PADDING, MAP),
    ),
    Bug("heads split by view", "reczoo/FuxiCTR #30", at(SELF, PiecesOfTheText), (HEARS, PADDING)),
    Bug("heads joined by view", "jsbaan/transformer-from-scratch #6", at(SELF, Scrambled),
        (PADDING,)),
    Bug("the future hidden", "", at(SELF, Causal), (HEARS,)),
    Bug("one place for all", "cmu-l3/anlp-fall2025-code #1", at("embeddings", OnePlaceForAll),
        (PLACES,)),
    Bug("places over the batch", "AkiRusProd/numpy-transformer #1",
        at("embeddings", PlacesOfTheBatch), (PLACES, MATES)),
    Bug("segments dropped", "deeppavlov/DeepPavlov #1312", OneSegment, ("segments_matter",)),
    Bug("padding id 0 in RoBERTa", "wzhouad/RE_improved_baseline #3", PaddingIsZero, (PLACES,),
        RobertaConfig),
    Bug("long texts cut in silence", "AnswerDotAI/ModernBERT #236", CutsInSilence,
        ("long_texts_are_read_to_the_end",)),
    Bug("no eval()", "huggingface/transformers #679", NeverEval, ("evaluation_repeats",)),
    Bug("training is another model", "", NoiseInTraining, ("training_adds_dropout_only",)),
    Bug("one buffer for all batches", "karpathy/nanochat #837", OneBuffer, ("calls_stay_apart",)),
    Bug("table not tied", "huggingface/transformers #1730", TwoTables, ("table_is_tied",)),
    Bug("not all is saved", "", NotAllIsSaved, ("saved_is_loaded",)),
    Bug("gradient cut off", "", at("embeddings", NoWay), (GRADIENTS,)),
    Bug("-1 for -100", "EricFillion/happy-transformer #128", IgnoresMinusOne,
        (LABELS, SPLIT, GRADIENTS)),
    Bug("loss at all positions", "huggingface/transformers #2759", LossEverywhere, (LABELS, SPLIT)),
    Bug("mean of means", "huggingface/transformers #34191", MeanOfMeans, (SPLIT,)),
]  # fmt: skip
