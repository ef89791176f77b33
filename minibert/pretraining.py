"""BERT with the heads of its pre-training: masked words, or also the next sentence. Chapter 12."""

from collections.abc import Callable
from typing import Any, NamedTuple

from jaxtyping import Float, Int
from torch import Tensor, nn

from .config import BertConfig
from .heads import BertOnlyMLMHead, BertPreTrainingHeads
from .losses import masked_lm_loss, next_sentence_loss
from .model import BertModel, initialize_weights
from .parts import part
from .signature import called_as


class MaskedLMOutput(NamedTuple):
    """What `BertForMaskedLM` returns: scores, a loss if there are labels, the rest on request.

    Args:
        loss: Mean over the labeled tokens, in nats; None without labels.
        logits: Scores of every word at every position.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    logits: Float[Tensor, "... vocab"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertForPreTrainingOutput(NamedTuple):
    """What `BertForPreTraining` returns: scores, and those losses that have labels.

    Args:
        loss: Sum of those of the two losses that have labels; None if neither has.
        prediction_logits: Scores of every word at every position.
        seq_relationship_logits: Two scores per pair: B is the next sentence, or it is not.
        masked_lm_loss, next_sentence_loss: Its two parts, in nats per labeled token and per labeled
            pair; None without their labels.
        hidden_states, attentions: On request, as `BertModel` returns them.
    """

    loss: Float[Tensor, ""] | None = None
    prediction_logits: Float[Tensor, "... vocab"] | None = None
    seq_relationship_logits: Float[Tensor, "batch 2"] | None = None
    masked_lm_loss: Float[Tensor, ""] | None = None
    next_sentence_loss: Float[Tensor, ""] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


def score_words(
    head: Callable[..., Any],
    labels: Int[Tensor, "batch seq"] | None,
    vectors: tuple[Float[Tensor, "..."], ...],
) -> tuple[Any, Int[Tensor, "..."] | None]:
    """Return the scores of all words at every position, and the labels.

    Args:
        head: Scores vectors, such as `BertPreTrainingHeads`.
        labels: Id of the true word, -100 without label.
        vectors: One vector per token, and one per sequence if the head takes it.

    >>> import torch
    >>> score_words(nn.Linear(4, 9), None, (torch.ones(1, 2, 4),))[0].shape
    torch.Size([1, 2, 9])
    """
    return head(*vectors), labels


class BertForMaskedLM(nn.Module):
    """Predict masked words: BERT without pooler, and the tied prediction head.

    ``cls(bert(input_ids))``. The names of all parameters are Hugging Face's.

    Source: Devlin et al. (2019), section 3.1, task 1.

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
        self.bert = part(BertModel)(config, add_pooling_layer=False)
        self.score_words = part(score_words)
        self.cls = part(BertOnlyMLMHead)(config, self.bert.embeddings.word_embeddings)
        initialize_weights(self.cls.predictions.transform, config.initializer_range)

    @called_as(BertModel.forward)
    def forward(
        self, *inputs: Any, labels: Int[Tensor, "batch seq"] | None = None
    ) -> MaskedLMOutput:
        """Return the scores of every word at every position, and the loss if there are labels.

        Args:
            *inputs: As the encoder takes them.
            labels: Id of the true word, or -100 for a token that is not asked.
        """
        encoded = self.bert(*inputs)
        logits, labels = self.score_words(self.cls, labels, (encoded.last_hidden_state,))
        # logits: (batch, seq, vocab)
        loss = None if labels is None else masked_lm_loss(logits, labels)  # ()
        return MaskedLMOutput(loss, logits, encoded.hidden_states, encoded.attentions)


class BertForPreTraining(nn.Module):
    """Pre-train BERT: predict masked words, and whether the second sentence follows the first.

    ``loss = masked_lm_loss + next_sentence_loss``. The names of all parameters are Hugging Face's.

    Source: Devlin et al. (2019), section 3.1 and appendix A.2.

    >>> import torch
    >>> model = BertForPreTraining(BertConfig.tiny(vocab_size=89)).eval()
    >>> ids, segments = torch.tensor([[2, 4, 3, 7, 3]]), torch.tensor([[0, 0, 0, 1, 1]])
    >>> output = model(ids, token_type_ids=segments, next_sentence_label=torch.tensor([1]))
    >>> torch.equal(output.loss, output.next_sentence_loss)
    True
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.bert = part(BertModel)(config)
        self.score_words = part(score_words)
        self.cls = part(BertPreTrainingHeads)(config, self.bert.embeddings.word_embeddings)
        for new in (self.cls.predictions.transform, self.cls.seq_relationship):
            initialize_weights(new, config.initializer_range)

    @called_as(BertModel.forward)
    def forward(
        self,
        *inputs: Any,
        labels: Int[Tensor, "batch seq"] | None = None,
        next_sentence_label: Int[Tensor, " batch"] | None = None,
    ) -> BertForPreTrainingOutput:
        """Return the scores of words and pairs; the loss is the sum of the losses that have labels.

        Args:
            *inputs: As the encoder takes them.
            labels: Id of the true word, or -100 for a token that is not asked.
            next_sentence_label: 0 if the second sentence follows the first, 1 if not, or -100.
        """
        encoded = self.bert(*inputs)
        vectors = encoded.last_hidden_state, encoded.pooler_output
        scores, labels = self.score_words(self.cls, labels, vectors)
        words, pairs = scores  # (batch, seq, vocab), (batch, 2)
        about_words = None if labels is None else masked_lm_loss(words, labels)
        answers = next_sentence_label
        about_pairs = None if answers is None else next_sentence_loss(pairs, answers)
        losses = [loss for loss in (about_words, about_pairs) if loss is not None]
        loss: Any = sum(losses) if losses else None  # ()
        extra = encoded.hidden_states, encoded.attentions
        return BertForPreTrainingOutput(loss, words, pairs, about_words, about_pairs, *extra)
