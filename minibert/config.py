"""The sizes and rates that fix a BERT, under Hugging Face's names. Chapter 7."""

from abc import ABCMeta
from dataclasses import asdict, dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from torch.nn import functional

from .inputs import ABOVE_0, MOST, require_multiple, require_number

#: The activation of each name that `hidden_act` may have.
ACTIVATIONS = MappingProxyType(
    {
        "gelu": functional.gelu,
        "gelu_new": partial(functional.gelu, approximate="tanh"),
        "relu": functional.relu,
    }
)

# Other names, in small letters, and the activation above that is the same function.
SAME_ACTIVATIONS = MappingProxyType(
    {name: name for name in ACTIVATIONS}
    | {"gelu_python": "gelu", "gelu_pytorch_tanh": "gelu_new"}
    | dict.fromkeys(("gelu_accurate", "gelu_fast", "gelu_python_tanh"), "gelu_new")
)

# The least and the most that a value may be, whole if the least is.
RANGES = MappingProxyType(
    dict.fromkeys(("vocab_size", "hidden_size", "num_hidden_layers"), (1, MOST))
    | dict.fromkeys(("num_attention_heads", "intermediate_size"), (1, MOST))
    | dict.fromkeys(("max_position_embeddings", "type_vocab_size"), (1, MOST))
    | dict.fromkeys(("hidden_dropout_prob", "attention_probs_dropout_prob"), (0.0, 1.0))
    | dict.fromkeys(("initializer_range", "layer_norm_eps"), (ABOVE_0, 1e10))
)

TABLE_SIZES = ("vocab_size", "max_position_embeddings", "type_vocab_size")

# What else a real config.json holds, and what changes nothing in the encoder: the origin of the
# file, how the library runs, the first implementation's pooler, the heads of tasks, the ids of
# special tokens, how text would be generated, and what other programs note there.
IGNORED_KEYS = frozenset({
    "_name_or_path", "architectures", "dtype", "language", "name", "torch_dtype",
    "transformers_version", "use_bfloat16",
    "_attn_implementation_autoset", "attn_implementation", "embedding_size",
    "gradient_checkpointing", "output_attentions", "output_hidden_states", "output_past",
    "return_dict", "torchscript", "use_cache", "xla_device",
    "directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
    "pooler_size_per_head", "pooler_type",
    "_num_labels", "finetuning_task", "id2label", "label2id", "num_labels", "problem_type",
    "bos_token_id", "cls_token_id", "eos_token_id", "eos_token_ids", "mask_token_id",
    "sep_token_id", "unk_token_id", "decoder_start_token_id",
    "cross_attention_hidden_size", "tie_encoder_decoder",
    "bad_words_ids", "begin_suppress_tokens", "diversity_penalty", "do_sample", "early_stopping",
    "encoder_no_repeat_ngram_size", "exponential_decay_length_penalty", "forced_bos_token_id",
    "forced_eos_token_id", "length_penalty", "max_length", "min_length", "no_repeat_ngram_size",
    "num_beam_groups", "num_beams", "num_return_sequences", "output_scores", "prefix",
    "remove_invalid_values", "repetition_penalty", "return_dict_in_generate", "suppress_tokens",
    "temperature", "top_k", "top_p", "typical_p",
    "_commit_hash", "auto_map", "classifier_num_labels", "sbert_ce_default_activation_function",
    "sentence_transformers", "task_specific_params", "tf_legacy_loss", "tokenizer_class",
})  # fmt: skip

# Keys that could stand for other mathematics, and the one value of each that stands for BERT's.
REQUIRED_VALUES = MappingProxyType(
    {
        "add_cross_attention": False,
        "chunk_size_feed_forward": 0,
        "is_decoder": False,
        "is_encoder_decoder": False,
        "model_type": "bert",
        "position_embedding_type": "absolute",
        "pruned_heads": {},
        "quantization_config": None,
        "tie_word_embeddings": True,
    }
)


@dataclass(frozen=True, kw_only=True)
class BertConfig(metaclass=ABCMeta):  # noqa: B024 (members with other fields register)
    """The sizes and rates of a BERT; the defaults are those of bert-base-uncased.

    Values are checked, and frozen: ``dataclasses.replace`` makes a copy with others.

    Args:
        vocab_size: Number of word pieces, at least 1.
        hidden_size: Length of the vector of a token; a multiple of `num_attention_heads`.
        num_hidden_layers: Number of layers, at least 1.
        num_attention_heads: Number of heads in each layer, at least 1.
        intermediate_size: Width of the feed-forward network, at least 1.
        hidden_act: Its activation, a key of `ACTIVATIONS`: "gelu" is exact, "gelu_new" by tanh.
        hidden_dropout_prob: Share of the numbers that training drops from every output, 0 to 1.
        attention_probs_dropout_prob: Share of the attention weights that training drops, 0 to 1.
        max_position_embeddings: Length of the longest sequence, in tokens, at least 1.
        type_vocab_size: Number of segments, at least 1.
        initializer_range: Standard deviation of the weights before training, above 0.
        layer_norm_eps: What LayerNorm adds to the variance, above 0.
        pad_token_id: Id of the padding token, 0 to ``vocab_size - 1``.
        classifier_dropout: Dropout before a classifier; None means `hidden_dropout_prob`.

    Source: Devlin et al. (2019), section 3.

    >>> config = BertConfig.tiny(vocab_size=89)
    >>> config.hidden_size, config.num_attention_heads, config.head_size
    (128, 2, 64)
    """

    vocab_size: int = 30522
    hidden_size: int = 768
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    intermediate_size: int = 3072
    hidden_act: str = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    initializer_range: float = 0.02
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    classifier_dropout: float | None = None

    model_name = "BERT"
    ignored_keys = IGNORED_KEYS
    required_values = REQUIRED_VALUES
    # Which fields are sides of tensors, and which word stands before a layer's number in their
    # names: a folder whose weights have other sizes than its configuration is refused.
    tensor_sides = (*TABLE_SIZES, "hidden_size", "intermediate_size")
    layer_counts = MappingProxyType({"layer": "num_hidden_layers"})
    default_ids = MappingProxyType({})  # ids that transformers fills in where the file has none

    def __post_init__(self) -> None:
        """Check every value."""
        for name, (least, most) in RANGES.items():
            usual = f"; BERT's is {getattr(BertConfig, name)}"
            require_number(name, getattr(self, name), least, most, usual)
        require_number("classifier_dropout", self.dropout_before_classifier, 0.0, 1.0)
        require_number("pad_token_id", self.pad_token_id, 0, self.vocab_size - 1)
        heads = self.num_attention_heads
        require_multiple("hidden_size", self.hidden_size, heads, "num_attention_heads")
        act, known = str(self.hidden_act), ", ".join(ACTIVATIONS)
        if act not in ACTIVATIONS:
            same = f"{SAME_ACTIVATIONS.get(act.lower(), 'none')} is the same function"
            raise ValueError(f"hidden_act ({self.hidden_act!r}) must be one of {known}; {same}")

    @property
    def head_size(self) -> int:
        """Return how many numbers of a token's vector each head gets."""
        return self.hidden_size // self.num_attention_heads

    @property
    def dropout_before_classifier(self) -> float:
        """Return the dropout before a classifier: that of the outputs, unless it is given."""
        share = self.classifier_dropout
        return self.hidden_dropout_prob if share is None else share

    @classmethod
    def tiny(cls, **changes: Any) -> "BertConfig":
        """Return a shape for tests, with `changes`: 2 layers of 128, about 4.4 million numbers."""
        return cls._shaped(changes, layers=2, hidden=128)

    @classmethod
    def mini(cls, **changes: Any) -> "BertConfig":
        """Return a shape for a laptop, with `changes`: 4 layers of 256, 11 million numbers."""
        return cls._shaped(changes, layers=4, hidden=256)

    @classmethod
    def base(cls, **changes: Any) -> "BertConfig":
        """Return the paper's smaller shape, with `changes`: 12 layers of 768, 12 heads."""
        return cls._shaped(changes, layers=12, hidden=768)

    @classmethod
    def large(cls, **changes: Any) -> "BertConfig":
        """Return the paper's larger shape, with `changes`: 24 layers of 1024, 16 heads."""
        return cls._shaped(changes, layers=24, hidden=1024)

    @classmethod
    def _shaped(cls, changes: dict[str, Any], layers: int, hidden: int) -> "BertConfig":
        """Give every head 64 numbers, and the feed-forward network four times the width."""
        shape: dict[str, Any] = {
            "num_hidden_layers": layers,
            "hidden_size": hidden,
            "num_attention_heads": hidden // 64,
            "intermediate_size": 4 * hidden,
        }
        return cls(**shape | changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields under Hugging Face's names, as PEFT and other tools ask for them."""
        return asdict(self)
