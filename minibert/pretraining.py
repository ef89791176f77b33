"""BERT with the heads of its pre-training: masked words, or also the next sentence. Chapter 12."""

from typing import NamedTuple

from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from .config import BertConfig
from .heads import BertOnlyMLMHead, BertPreTrainingHeads
from .losses import IGNORED_LABEL, masked_lm_loss, next_sentence_loss
from .model import initialize_weights
from .parts import part, register


class MaskedLMOutput(NamedTuple):
    """What `BertForMaskedLM` returns: a loss if there are labels, otherwise scores."""

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "batch seq vocab"] | None = None


class BertForPreTrainingOutput(NamedTuple):
    """What `BertForPreTraining` returns: losses if there are labels, otherwise scores.

    Parameters
    ----------
    loss : Float[Tensor, ""] or None
        Sum of those of the two losses that have labels; None if neither has.
    prediction_logits : Float[Tensor, "batch seq vocab"] or None
        Scores of every word at every position; with labels only on request.
    seq_relationship_logits : Float[Tensor, "batch 2"] or None
        Two scores per pair: B is the next sentence, or it is not.
    masked_lm_loss : Float[Tensor, ""] or None
        The part of the masked words, nats per labeled token; None without their labels.
    next_sentence_loss : Float[Tensor, ""] or None
        The part of the pairs, nats per labeled pair; None without their labels.
    """

    loss: Float[Tensor, ""] | None = None
    prediction_logits: Float[Tensor, "batch seq vocab"] | None = None
    seq_relationship_logits: Float[Tensor, "batch 2"] | None = None
    masked_lm_loss: Float[Tensor, ""] | None = None
    next_sentence_loss: Float[Tensor, ""] | None = None


class BertForMaskedLM(nn.Module):
    """Predict masked words: BERT without pooler, and the tied prediction head.

    ``cls(bert(input_ids))``. The names of all parameters are Hugging Face's.

    Parameters
    ----------
    config : BertConfig
        Gives all sizes.

    References
    ----------
    Devlin et al. (2019), section 3.1, task 1.

    Examples
    --------
    >>> import torch
    >>> model = BertForMaskedLM(BertConfig.tiny(vocab_size=89))
    >>> ids = torch.tensor([[2, 4, 7, 3]])
    >>> model(ids).logits.shape
    torch.Size([1, 4, 89])
    >>> model(ids, labels=torch.tensor([[-100, 9, -100, -100]])).loss > 0
    tensor(True)
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = part("bert")(config, add_pooling_layer=False)
        self.cls = part("mlm_head")(config, self.bert.embeddings.word_embeddings)
        initialize_weights(self.cls.predictions.transform, config.initializer_range)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
        labels: Int[Tensor, "batch seq"] | None = None,
        return_logits: bool = False,
    ) -> MaskedLMOutput:
        """Score every word at every position, or compute the loss at the labeled ones.

        Without labels the scores of all positions are computed. With labels it is the loss that
        counts, and scores are computed where labels are and nowhere else: the loss and all
        gradients are the same, and most of the time and memory of the head is saved.

        Parameters
        ----------
        input_ids, attention_mask, token_type_ids, position_ids : Int[Tensor, "batch seq"]
            As `BertModel` takes them.
        inputs_embeds : Float[Tensor, "batch seq hidden"], optional
            One vector for each token instead of `input_ids`.
        labels : Int[Tensor, "batch seq"], optional
            Id of the true word, -100 without label.
        return_logits : bool, default False
            Whether to compute and return the scores of all positions even if labels are given.

        Returns
        -------
        MaskedLMOutput
            `loss` if labels are given; `logits` if none are, or on request.

        Raises
        ------
        TypeError, ValueError
            If the input or the labels do not fit, or no position is labeled.
        """
        encoded = self.bert(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds)
        hidden_states = encoded.last_hidden_state  # (batch, seq, hidden)
        if labels is None:
            return MaskedLMOutput(logits=self.cls(hidden_states))  # (batch, seq, vocab)
        _require_labels("labels", labels, hidden_states.shape[:2])
        if not return_logits:
            hidden_states, labels = keep_labeled(hidden_states, labels)  # (positions, hidden)
        logits = self.cls(hidden_states)  # (batch, seq, vocab) or (positions, vocab)
        loss = masked_lm_loss(logits, labels)
        return MaskedLMOutput(loss, logits if return_logits else None)


class BertForPreTraining(nn.Module):
    """Pre-train BERT: predict masked words, and whether the second sentence follows the first.

    ``loss = masked_lm_loss + next_sentence_loss``. The names of all parameters are Hugging Face's.

    Parameters
    ----------
    config : BertConfig
        Gives all sizes.

    References
    ----------
    Devlin et al. (2019), section 3.1 and appendix A.2.

    Examples
    --------
    >>> import torch
    >>> model = BertForPreTraining(BertConfig.tiny(vocab_size=89)).eval()
    >>> output = model(
    ...     torch.tensor([[2, 4, 3, 7, 3]]),
    ...     token_type_ids=torch.tensor([[0, 0, 0, 1, 1]]),
    ...     labels=torch.tensor([[-100, 9, -100, -100, -100]]),
    ...     next_sentence_label=torch.tensor([1]),
    ... )
    >>> torch.equal(output.loss, output.masked_lm_loss + output.next_sentence_loss)
    True
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = part("bert")(config)
        self.cls = part("pretraining_heads")(config, self.bert.embeddings.word_embeddings)
        for new in (self.cls.predictions.transform, self.cls.seq_relationship):
            initialize_weights(new, config.initializer_range)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
        labels: Int[Tensor, "batch seq"] | None = None,
        next_sentence_label: Int[Tensor, " batch"] | None = None,
        return_logits: bool = False,
    ) -> BertForPreTrainingOutput:
        """Score words and pairs, or compute the losses that have labels.

        The loss is the sum of the losses that have labels: both, or the one, or none. Scores of
        words are computed at all positions without any labels or on request; otherwise where
        `labels` are and nowhere else, which changes neither the loss nor any gradient.

        Parameters
        ----------
        input_ids, attention_mask, token_type_ids, position_ids : Int[Tensor, "batch seq"]
            As `BertModel` takes them.
        inputs_embeds : Float[Tensor, "batch seq hidden"], optional
            One vector for each token instead of `input_ids`.
        labels : Int[Tensor, "batch seq"], optional
            Id of the true word, -100 without label.
        next_sentence_label : Int[Tensor, "batch"], optional
            0 if the second sentence follows the first, 1 if it does not; -100 without label.
        return_logits : bool, default False
            Whether to compute and return the scores of all positions even if labels are given.

        Returns
        -------
        BertForPreTrainingOutput
            `seq_relationship_logits` always; the losses that have labels, and their sum;
            `prediction_logits` if there are no labels at all, or on request.

        Raises
        ------
        TypeError, ValueError
            If the input or the labels do not fit, or labels are given and nothing is labeled.
        """
        encoded = self.bert(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds)
        hidden_states = encoded.last_hidden_state  # (batch, seq, hidden)
        _require_labels("labels", labels, hidden_states.shape[:2])
        _require_labels("next_sentence_label", next_sentence_label, hidden_states.shape[:1])
        everywhere = return_logits or (labels is None and next_sentence_label is None)
        if labels is not None and not everywhere:
            hidden_states, labels = keep_labeled(hidden_states, labels)  # (positions, hidden)
        elif not everywhere:
            hidden_states = None  # only the pairs are labeled
        prediction_logits, seq_relationship_logits = self.cls(hidden_states, encoded.pooler_output)
        losses = {}
        if labels is not None:
            losses["masked_lm_loss"] = masked_lm_loss(prediction_logits, labels)
        if next_sentence_label is not None:
            pairs = seq_relationship_logits  # (batch, 2)
            losses["next_sentence_loss"] = next_sentence_loss(pairs, next_sentence_label)
        return BertForPreTrainingOutput(
            loss=sum(losses.values()) if losses else None,  # pyright: ignore[reportArgumentType] (not empty)
            prediction_logits=prediction_logits if everywhere else None,
            seq_relationship_logits=seq_relationship_logits,
            **losses,
        )


def keep_labeled(
    hidden_states: Float[Tensor, "batch seq hidden"], labels: Int[Tensor, "batch seq"]
) -> tuple[Float[Tensor, "positions hidden"], Int[Tensor, " positions"]]:
    """Keep the vectors at the labeled positions, in reading order, and their labels."""
    labeled = labels != IGNORED_LABEL  # (batch, seq)
    return hidden_states[labeled], labels[labeled]  # (positions, hidden), (positions)


def _require_labels(name: str, labels: object, shape: tuple[int, ...]) -> None:
    """Raise if labels, where there are any, do not have the shape of what they label."""
    if labels is None:
        return
    if not isinstance(labels, Tensor):
        raise TypeError(f"{name} must be a tensor of integers, not a {type(labels).__name__}")
    if labels.shape != shape:
        raise ValueError(
            f"{name} of shape {tuple(labels.shape)} cannot label this batch; the shape must be "
            f"{tuple(shape)}, -100 where there is no label"
        )


register(
    mlm_head=BertOnlyMLMHead,
    pretraining_heads=BertPreTrainingHeads,
    pretraining=BertForPreTraining,
)
