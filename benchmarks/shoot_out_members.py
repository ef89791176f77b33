"""The members of the family that `benchmarks.shoot_out` trains, all about as large and all plain.

Each is called with a batch of the small world and returns its losses. None has dropout.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from bertfamily import (
    AlbertConfig,
    AlbertForMaskedLM,
    DebertaV2Config,
    DebertaV2ForMaskedLM,
    DistilBertConfig,
    DistilBertForMaskedLM,
    ElectraConfig,
    ElectraForMaskedLM,
    ElectraForPreTraining,
    ModernBertConfig,
    ModernBertForMaskedLM,
    ModernBertModel,
    RobertaConfig,
    RobertaForMaskedLM,
)
from minibert.config import BertConfig
from minibert.fast import score_labeled_words
from minibert.fast.labeled import labeled_positions
from minibert.losses import IGNORED_LABEL, masked_lm_loss
from minibert.parts import override
from minibert.pretraining import BertForPreTraining, score_words

VOCABULARY, LONGEST, MASK, SPREAD = 1052, 40, 4, 0.05
HIDDEN, LAYERS, HEADS, WIDE, NARROW = 64, 2, 4, 256, 16
GENERATOR, WEIGHT_OF_DETECTION, WINDOW, TEMPERATURE = 32, 50.0, 8, 2.0
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": HIDDEN,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "initializer_range": SPREAD,
    "pad_token_id": 0,
}
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
BERT = SIZES | NO_DROPOUT | {"intermediate_size": WIDE, "max_position_embeddings": LONGEST}


def encode(encoder: nn.Module, batch: dict[str, Tensor]) -> Tensor:
    """Encode a batch; ModernBERT takes no segments."""
    segments = None if isinstance(encoder, ModernBertModel) else batch["token_type_ids"]
    output = encoder(batch["input_ids"], batch["attention_mask"], segments)
    return output.last_hidden_state  # (batch, seq, hidden)


class Words(nn.Module):
    """A member that learns to fill blanks, and nothing else."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    @property
    def encoder(self) -> nn.Module:
        """Return the member without its head."""
        return self.model.bert

    @property
    def head(self) -> nn.Module:
        """Return its head of words."""
        return self.model.cls

    def forward(self, **batch: Tensor) -> SimpleNamespace:
        """Compute the loss of the hidden words."""
        chosen, labels = labeled_positions(encode(self.encoder, batch), batch["labels"])
        return SimpleNamespace(loss=masked_lm_loss(self.head(chosen), labels))


class Taught(Words):
    """An encoder that learns from the words, and from what a teacher believes about them.

    Of DistilBERT's three losses two: true words, and the teacher's probabilities, softened. Its
    layers begin as every second one of the teacher.
    """

    def __init__(self, model: nn.Module, teacher: Words) -> None:
        super().__init__(model)
        self.teach = [teacher.requires_grad_(False).eval()]  # a list hides it from the parameters
        self.head.load_state_dict(teacher.head.state_dict())
        tables = teacher.encoder.embeddings.state_dict()
        tables["position_embeddings.weight"] = tables["position_embeddings.weight"][1:]  # RoBERTa's
        self.encoder.embeddings.load_state_dict(
            {name: table for name, table in tables.items() if "token_type" not in name}
        )
        for place, layer in enumerate(self.encoder.encoder.layer):
            layer.load_state_dict(teacher.encoder.encoder.layer[2 * place].state_dict())

    def forward(self, **batch: Tensor) -> SimpleNamespace:
        """Compute the loss of the hidden words; in training, the mean of both losses."""
        own = encode(self.encoder, batch)
        states, labels = labeled_positions(own, batch["labels"])
        logits = self.head(states)
        loss = masked_lm_loss(logits, labels)
        if not self.training:
            return SimpleNamespace(loss=loss)
        (teacher,) = self.teach
        with torch.no_grad():
            told = encode(teacher.encoder, batch)
            states, _ = labeled_positions(told, batch["labels"])
            beliefs = (teacher.head(states) / TEMPERATURE).softmax(-1)
        soft = functional.cross_entropy(logits / TEMPERATURE, beliefs) * TEMPERATURE**2
        return SimpleNamespace(loss=(loss + soft + self.more(own, told, batch)) / 2)

    def more(self, own: Tensor, told: Tensor, batch: dict[str, Tensor]) -> Tensor | float:
        """Add nothing to the two losses."""
        return 0.0


class Pairs(nn.Module):
    """BERT as it was: words and next sentence."""

    def __init__(self) -> None:
        super().__init__()
        with override({score_words: score_labeled_words}):
            self.model = BertForPreTraining(BertConfig(**BERT))
        self.encoder = self.model.bert

    def forward(self, **batch: Tensor) -> SimpleNamespace:
        """Compute both losses; outside training only that of the words."""
        output = self.model(**batch)
        return SimpleNamespace(loss=output.loss if self.training else output.masked_lm_loss)


class Detection(nn.Module):
    """ELECTRA: a small generator replaces words, and the encoder says which ones are not original.

    What counts outside training is the loss of the detector, in nats a token.
    """

    def __init__(self) -> None:
        super().__init__()
        self.detector = ElectraForPreTraining(ElectraConfig(**BERT, embedding_size=HIDDEN))
        small = BERT | {"hidden_size": GENERATOR, "intermediate_size": 4 * GENERATOR}
        self.generator = ElectraForMaskedLM(ElectraConfig(**small, embedding_size=HIDDEN))
        ours, theirs = self.generator.bert.embeddings, self.encoder.embeddings
        for table in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
            setattr(ours, table, getattr(theirs, table))
        self.generator.cls.predictions.tie(theirs.word_embeddings)

    @property
    def encoder(self) -> nn.Module:
        """Return the detector without its head."""
        return self.detector.bert

    def forward(self, **batch: Tensor) -> SimpleNamespace:
        """Hide, guess, replace, and detect."""
        chosen = batch["labels"] != IGNORED_LABEL  # (batch, seq)
        original = torch.where(chosen, batch["labels"], batch["input_ids"])
        blanks = batch | {"input_ids": original.masked_fill(chosen, MASK)}
        states = encode(self.generator.bert, blanks)[chosen]  # (positions, hidden)
        logits = self.generator.cls(states)  # (positions, vocab)
        guesses = logits.detach().softmax(-1).multinomial(1)[:, 0]  # (positions)
        replaced = original.masked_scatter(chosen, guesses)
        found = self.detector(
            replaced,
            batch["attention_mask"],
            batch["token_type_ids"],
            labels=(replaced != original).long(),
        ).loss
        guessed = masked_lm_loss(logits, batch["labels"][chosen])
        total = guessed + WEIGHT_OF_DETECTION * found
        return SimpleNamespace(loss=total if self.training else found)


def roberta(_: nn.Module | None) -> nn.Module:
    """Build RoBERTa: BERT's network, positions that begin behind the padding id, words only."""
    sizes = BERT | {"max_position_embeddings": LONGEST + 1}
    return Words(RobertaForMaskedLM(RobertaConfig(**sizes)))


def distilbert(_: nn.Module | None) -> nn.Module:
    """Build an encoder of half the layers."""
    config = DistilBertConfig(
        vocab_size=VOCABULARY,
        dim=HIDDEN,
        n_layers=LAYERS // 2,
        n_heads=HEADS,
        hidden_dim=WIDE,
        dropout=0.0,
        attention_dropout=0.0,
        max_position_embeddings=LONGEST,
        initializer_range=SPREAD,
    )
    return Words(DistilBertForMaskedLM(config))


def taught_distilbert(teacher: nn.Module | None) -> nn.Module:
    """Build the same, with a teacher."""
    return Taught(distilbert(None).model, teacher)


def deberta(_: nn.Module | None) -> nn.Module:
    """Build an encoder whose words are compared with distances, as in version 3 (no buckets)."""
    config = DebertaV2Config(
        **BERT,
        type_vocab_size=2,
        relative_attention=True,
        pos_att_type=("c2p", "p2c"),
        share_att_key=True,
        norm_rel_ebd="layer_norm",
        position_biased_input=False,
        layer_norm_eps=1e-7,
    )
    return Words(DebertaV2ForMaskedLM(config))


def modernbert(_: nn.Module | None) -> nn.Module:
    """Build an encoder with RoPE, gates, pre-norm, and windows of 8 tokens to each side."""
    config = ModernBertConfig(
        **SIZES,
        intermediate_size=2 * WIDE // 3 // 8 * 8,
        max_position_embeddings=LONGEST,
        local_attention=2 * WINDOW,
    )
    return Words(ModernBertForMaskedLM(config))


def albert(_: nn.Module | None) -> nn.Module:
    """Build one layer that is climbed twice, on narrow embeddings."""
    config = AlbertConfig(**BERT, embedding_size=NARROW)
    return Words(AlbertForMaskedLM(config))


class Member(NamedTuple):
    """How to build a member, and what is its own in training."""

    build: Callable[[nn.Module | None], nn.Module]
    masking: float = 0.15
    taught: bool = False
    asked: str = "masked_lm_loss"
    documents: int | None = None  # as many as the others have
    epochs: int = 1  # that differ; after them the first comes again


MEMBERS = {
    "BERT": Member(lambda _: Pairs()),
    "RoBERTa": Member(roberta),
    "DistilBERT, alone": Member(distilbert),
    "DistilBERT, taught": Member(taught_distilbert, taught=True),
    "ALBERT": Member(albert),
    "DeBERTa": Member(deberta),
    "ELECTRA": Member(lambda _: Detection(), asked="detection_loss"),
    "ModernBERT": Member(modernbert),
    "ModernBERT, 30 %": Member(modernbert, masking=0.30),
}
FEW = {  # the RoBERTa of 600 stories, each read twenty times
    "masks drawn once": Member(roberta, documents=600),
    "masks drawn anew": Member(roberta, documents=600, epochs=22),
}
