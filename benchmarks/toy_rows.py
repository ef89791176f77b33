"""The toys of `benchmarks.toy_parts`: parts that do nothing, and which toy has which parts."""

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from bertbook.corpus import MASK_TOKEN, hundred_sentences, vocabulary
from minibert.attention import BertAttention, BertSelfOutput
from minibert.config import BertConfig
from minibert.fast import score_labeled_words
from minibert.layer import BertLayer, BertOutput
from minibert.model import BertEncoder
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining, score_words

SENTENCES = hundred_sentences()
WORDS = (*vocabulary(SENTENCES), "[CLS]", "[SEP]", "[PAD]")
MASK, CLS, SEP, PAD = (WORDS.index(token) for token in (MASK_TOKEN, *WORDS[-3:]))


class NoNorm(nn.Identity):
    """Leave vectors as long as they are."""

    own_parameters = True


class _NoResidual(nn.Module):
    def forward(self, hidden_states: Tensor, input_tensor: Tensor) -> Tensor:
        return super().forward(hidden_states, torch.zeros_like(input_tensor))


class SelfOutputAlone(_NoResidual, BertSelfOutput):
    """Mix what the heads found, and forget what the token was."""


class OutputAlone(_NoResidual, BertOutput):
    """Narrow the vectors again, and forget what went into the feed-forward network."""


class AttentionLayer(nn.Module):
    """Look around, and do not think."""

    own_parameters = True

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.attention = BertAttention(config)

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        """Attend, and nothing else."""
        return self.attention(hidden_states, additive_mask, output_attentions)


class PreNormLayer(BertLayer):
    """Normalize before each half, and leave the sum alone."""

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        """Compute ``x + f(LayerNorm(x))`` twice, with the parameters of BERT's layer."""
        mix, narrow = self.attention.output, self.output
        normed = mix.LayerNorm(hidden_states)
        context, probs = self.attention.self(normed, additive_mask, output_attentions)
        attended = hidden_states + mix.dropout(mix.dense(context))
        wide = self.intermediate(narrow.LayerNorm(attended))
        return attended + narrow.dropout(narrow.dense(wide)), probs


class PreNormEncoder(BertEncoder):
    """Normalize once more after the last layer, as stacks of pre-norm layers do."""

    own_parameters = True

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, *inputs, **more):
        """Climb, then normalize."""
        output = super().forward(*inputs, **more)
        return output._replace(last_hidden_state=self.LayerNorm(output.last_hidden_state))


@dataclass(frozen=True)
class Row:
    """A toy: which part it was the first to have, what its parts are, and what it is asked."""

    part: str
    name: str
    parts: dict[str, type] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    corrupts: bool = False  # 80/10/10 in place of 100/0/0
    pairs: bool = False


NO_RESIDUALS = {BertSelfOutput: SelfOutputAlone, BertOutput: OutputAlone}
NO_NORMS = {nn.LayerNorm: NoNorm}
ALONE = NO_RESIDUALS | NO_NORMS | {BertLayer: AttentionLayer}
PRE_NORM = {BertLayer: PreNormLayer, BertEncoder: PreNormEncoder}
ONE, TWO, FOUR = ({"num_attention_heads": heads} for heads in (1, 2, 4))
DEEPER = {"num_hidden_layers": 2}
ROWS = (
    Row("heads", "1 head", ALONE, ONE),
    Row("heads", "2 heads", ALONE, TWO),
    Row("heads", "4 heads", ALONE, FOUR),
    Row("feed-forward", "feed-forward", NO_RESIDUALS | NO_NORMS),
    Row("residuals", "residuals", NO_NORMS),
    Row("LayerNorm", "post-norm"),
    Row("LayerNorm", "pre-norm", PRE_NORM),
    Row("depth", "2 layers", {}, DEEPER),
    Row("80/10/10", "80/10/10", {}, DEEPER, corrupts=True),
    Row("NSP", "next sentence", {}, DEEPER, corrupts=True, pairs=True),
)


def build(row: Row, seed: int) -> nn.Module:
    """Draw the weights of a toy, all from a normal distribution as wide as that of Chapter 5."""
    sizes = {"num_hidden_layers": 1, "num_attention_heads": 4} | row.sizes
    config = BertConfig(
        **sizes,
        vocab_size=len(WORDS),
        hidden_size=32,
        intermediate_size=128,
        max_position_embeddings=12,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.1,
        pad_token_id=PAD,
    )
    torch.manual_seed(seed)
    with override({score_words: score_labeled_words, **row.parts}):
        return (BertForPreTraining if row.pairs else BertForMaskedLM)(config)
