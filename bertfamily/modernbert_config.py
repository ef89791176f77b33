"""The sizes of a ModernBERT, under Hugging Face's names. Chapter 25."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from torch import nn

from minibert.config import IGNORED_KEYS, BertConfig
from minibert.inputs import require_number

from .differences import requires

#: The two kinds of layers: one reads a window, the other all tokens.
LOCAL, GLOBAL = "sliding_attention", "full_attention"


@dataclass(frozen=True, kw_only=True)
class ModernBertConfig:
    """The sizes of a ModernBERT; the defaults are those of ModernBERT-base.

    `vocab_size`, `hidden_size`, `num_hidden_layers`, `num_attention_heads`, `intermediate_size`,
    `initializer_range` and `pad_token_id` are BERT's.

    Args:
        hidden_activation: BERT's `hidden_act`, in the gate.
        max_position_embeddings: The longest text it was made for; no table depends on it.
        norm_eps: What LayerNorm adds to the variance.
        norm_bias, attention_bias, mlp_bias: Whether LayerNorm and the linear maps have a bias.
        attention_dropout, embedding_dropout, mlp_dropout: The share that training drops of the
            attention weights, after the embeddings, and in the feed-forward part.
        local_attention: The width of a window: half of it to each side.
        global_attn_every_n_layers: Every how many layers one looks at all tokens, the first, too.
        global_rope_theta, local_rope_theta: Theta of RoPE in global and in local layers.
        layer_types: The kind of each layer, in the place of `global_attn_every_n_layers`.
        rope_parameters: Theta by kind of layer, as newer files say it; it wins.
        classifier_pooling: What a text is classified by: its first vector, "cls", or the "mean".
        classifier_dropout: The heads' dropout.
        classifier_bias: Whether the heads' first map has a bias.
        classifier_activation: The activation behind it.
        decoder_bias: Whether each word has a bias when it is predicted.

    Source: Warner et al. (2024).
    """

    vocab_size: int = 50368
    hidden_size: int = 768
    num_hidden_layers: int = 22
    num_attention_heads: int = 12
    intermediate_size: int = 1152
    hidden_activation: str = "gelu"
    max_position_embeddings: int = 8192
    initializer_range: float = 0.02
    norm_eps: float = 1e-5
    norm_bias: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    attention_dropout: float = 0.0
    embedding_dropout: float = 0.0
    mlp_dropout: float = 0.0
    pad_token_id: int = 50283
    local_attention: int = 128
    global_attn_every_n_layers: int = 3
    global_rope_theta: float = 160000.0
    local_rope_theta: float = 10000.0
    layer_types: Sequence[str] | None = None
    rope_parameters: Mapping[str, Mapping[str, Any]] | None = None
    classifier_pooling: str = "cls"
    classifier_dropout: float = 0.0
    classifier_bias: bool = False
    classifier_activation: str = "gelu"
    decoder_bias: bool = True

    model_name = "ModernBERT"
    ignored_keys = IGNORED_KEYS | {
        "deterministic_flash_attn", "initializer_cutoff_factor", "reference_compile",
        "repad_logits_with_grad", "sparse_pred_ignore_index", "sparse_prediction",
    }  # fmt: skip
    required_values = requires("modernbert")
    tensor_sides = ("vocab_size", "hidden_size", "intermediate_size")
    layer_counts = MappingProxyType({"layers": "num_hidden_layers"})
    default_ids = MappingProxyType(
        {
            **dict.fromkeys(("bos_token_id", "cls_token_id"), 50281),
            **dict.fromkeys(("eos_token_id", "sep_token_id"), 50282),
        }
    )
    dropout_before_classifier = property(attrgetter("classifier_dropout"))

    def __post_init__(self) -> None:
        names = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")
        names += ("intermediate_size", "max_position_embeddings", "initializer_range")
        fields = {name: getattr(self, name) for name in (*names, "pad_token_id")}
        BertConfig(**fields, hidden_act=self.classifier_activation)
        head_size = BertConfig(**fields, hidden_act=self.hidden_activation).head_size
        if head_size % 2:
            raise ValueError(
                f"hidden_size ({self.hidden_size}) gives each of {self.num_attention_heads} heads "
                f"{head_size} numbers; RoPE turns them in pairs, so it must be an even number"
            )
        require_number("global_attn_every_n_layers", self.global_attn_every_n_layers, 1)
        types = self.layer_types
        if types and (len(types) != self.num_hidden_layers or {*types} - {LOCAL, GLOBAL}):
            raise ValueError(
                f"layer_types has {len(types)} entries, {sorted({*types})}; it needs "
                f"{self.num_hidden_layers} (num_hidden_layers), each {LOCAL} or {GLOBAL}"
            )
        if self.classifier_pooling not in ("cls", "mean"):
            raise ValueError(
                f"classifier_pooling ({self.classifier_pooling!r}) must be cls or mean"
            )
        for kind, fields in (self.rope_parameters or {}).items():
            if fields.get("rope_type", "default") != "default":
                raise ValueError(
                    f"rope_parameters of {kind} have the rope_type {fields['rope_type']!r}; "
                    "it must be 'default'"
                )

    @property
    def types(self) -> Sequence[str]:
        """Name for each layer what it looks at."""
        every, layers = self.global_attn_every_n_layers, range(self.num_hidden_layers)
        return self.layer_types or [LOCAL if layer % every else GLOBAL for layer in layers]

    def theta(self, kind: str) -> float:
        """Return how slow the slowest angle of a `kind` of layer is, `LOCAL` or `GLOBAL`."""
        default = self.global_rope_theta if kind == GLOBAL else self.local_rope_theta
        return (self.rope_parameters or {}).get(kind, {}).get("rope_theta", default)

    def norm(self) -> nn.LayerNorm:
        """Return a new LayerNorm of `hidden_size` numbers."""
        return nn.LayerNorm(self.hidden_size, self.norm_eps, bias=self.norm_bias)


BertConfig.register(ModernBertConfig)
