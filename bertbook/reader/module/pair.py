"""A submitted class and its reference, with the same weights and inputs. Chapter 8."""

import dataclasses
import zlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import Part
from minibert.attention import BertAttention, BertSelfAttention, additive_mask, causal_mask
from minibert.config import BertConfig
from minibert.heads import (
    BertLMPredictionHead,
    BertOnlyMLMHead,
    BertPredictionHeadTransform,
    BertPreTrainingHeads,
)
from minibert.layer import BertLayer

# Sizes that all differ, so that none can be taken for another; numbers that nobody writes by heart.
TEST_CONFIG = BertConfig(
    vocab_size=23,
    hidden_size=12,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=20,
    max_position_embeddings=9,
    type_vocab_size=7,
    layer_norm_eps=1e-3,
    pad_token_id=4,
)
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
_LENGTHS = torch.tensor([5, 3, 5, 2, 4, 5])  # of the six sentences; the longest fill their rows
SEQ = 5
TOLERANCE = 1e-10
# The fields of a plain tuple; named tuples have their own.
NAMES: dict[Part, tuple[str, ...]] = {
    **dict.fromkeys((BertSelfAttention, BertAttention, BertLayer), ("context", "probs")),
    BertPreTrainingHeads: ("prediction_logits", "seq_relationship_logits"),
}

Values = dict[str, Any]  # arguments by name
Leaves = dict[str, Tensor]  # the tensors of a result, each by its name


class MismatchError(Exception):
    """Stop because an output has another structure than the reference's; the reader is told."""


class ModulePair:
    """A submitted class and the reference for one role, with the inputs on which they run."""

    def __init__(self, kind: type[nn.Module], role: Part, config: BertConfig) -> None:
        self.kind, self.role, self.config = kind, role, config
        self.inputs = draw_inputs(config)
        self.shown = self.inputs["attention_mask"] == 1
        self.padded = ~self.shown

    @cached_property
    def submission(self) -> nn.Module:
        """The submitted module, in float64 and in evaluation mode."""
        return self.build(self.kind)

    @cached_property
    def reference(self) -> nn.Module:
        """The package's own module, with the same weights."""
        return self.build(self.role)

    def build(self, kind: Callable[..., nn.Module], **changes: object) -> nn.Module:
        """Build a class, and fill each parameter from a generator seeded with its name."""
        module = self.start(kind, **changes)
        with torch.no_grad():
            for name, parameter in module.named_parameters():
                generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
                numbers = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
                parameter.copy_(0.5 * numbers + (name.endswith("orm.weight")))
        return module.double().eval()

    def start(self, kind: Callable[..., nn.Module], **changes: object) -> nn.Module:
        """Build a class as models do, with its own initialization."""
        config = dataclasses.replace(self.config, **changes)
        given = {
            "config": config,
            "add_pooling_layer": True,
            "word_embeddings": nn.Embedding(config.vocab_size, config.hidden_size),
            "in_features": config.hidden_size,
            "out_features": 2,
            "normalized_shape": config.hidden_size,
            "eps": config.layer_norm_eps,
            "p": config.hidden_dropout_prob,
        }
        return kind(*(given[name] for name in ROLES[self.role].built or ()))

    def arguments(self, **changes: object) -> list:
        """List copies of the arguments of a call, in the order of the contract."""
        given = self.inputs | changes
        called = [given[name] for name in ROLES[self.role].called]
        return [value.clone() if isinstance(value, Tensor) else value for value in called]

    def run(self, module: nn.Module, **changes: object) -> Leaves:
        """Call a module and name the tensors of its output; MismatchError if it differs in form.

        Arguments are positional, so that a forward may give them any names.
        """
        given = self.arguments(**changes)
        return self.take_apart(module(*given), self.reference(*given))

    def take_apart(self, output: object, reference: object) -> Leaves:
        """Name the tensors of an output after those of the reference's output."""
        return leaves(output, reference, NAMES.get(self.role))

    def first(self, module: nn.Module, **changes: object) -> Float[Tensor, "..."]:
        """Return the first tensor of a result: what the next part takes."""
        return next(iter(self.run(module, **changes).values()))

    def cases(self) -> list[Values]:
        """List the calls on which two modules are compared, as changes of the plain one."""
        called = ROLES[self.role].called
        one = {name: value[:1] for name, value in self.inputs.items() if isinstance(value, Tensor)}
        cases: list[Values] = [{}, one, self._shortened(2)]
        if "additive_mask" in called:
            mask = self.inputs["additive_mask"]
            cases += [{"additive_mask": self.inputs["bias"]}]  # of each distance one, Chapter 7
            both = torch.minimum(mask, causal_mask(SEQ, torch.float64))  # (batch, 1, seq, seq)
            cases += [{"additive_mask": both}, {"additive_mask": None, "output_attentions": False}]
        if "output_attentions" in called:
            cases += [{"output_attentions": False}]
        if "input_ids" in called:
            vectors = {"input_ids": None, "inputs_embeds": self.inputs["hidden_states"]}
            cases += [
                {"token_type_ids": None, "position_ids": None, "attention_mask": None},
                {"position_ids": self.inputs["position_ids"][:1]},
                vectors,
                vectors | {"attention_mask": None},
            ]
        if "labels" in called:
            cases += [{"labels": None}, {"next_sentence_label": None}]
            cases += [{"labels": None, "next_sentence_label": None}]
        if self.role in (BertPredictionHeadTransform, BertLMPredictionHead, BertOnlyMLMHead):
            cases += [{"hidden_states": self.inputs["hidden_states"][:, 1]}]
        if "(..., vocab)" in ROLES[self.role].returns or self.role is BertPredictionHeadTransform:
            cases += [{"hidden_states": self.inputs["hidden_states"][self.shown]}]
        return cases

    def _shortened(self, seq: int) -> Values:
        """Cut all sentences to their first tokens."""
        cut: Values = {}
        for name, value in self.inputs.items():
            if isinstance(value, Tensor) and name not in ("pooled_output", "next_sentence_label"):
                cut[name] = value[..., :seq] if name == "additive_mask" else value[:, :seq]
        return cut


def draw_inputs(config: BertConfig) -> Values:
    """Draw the arguments of all roles: six sentences, some of them padded."""
    generator = torch.Generator().manual_seed(8)

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    def ids(count: int, *shape: int) -> Tensor:
        return torch.randint(count, shape, generator=generator)

    batch, hidden = len(_LENGTHS), config.hidden_size
    shown = torch.arange(SEQ) < _LENGTHS[:, None]  # (batch, seq)
    labeled = shown & (ids(2, batch, SEQ) == 1)
    labeled[0, 1] = True
    words = ids(config.vocab_size, batch, SEQ)
    words[0, 1] = 0  # a word as any other
    return {
        "hidden_states": normal(batch, SEQ, hidden),
        "input": normal(batch, SEQ, hidden),
        "input_tensor": normal(batch, SEQ, hidden),
        "wide_states": normal(batch, SEQ, config.intermediate_size),
        "pooled_output": normal(batch, hidden),
        "attention_mask": shown.long(),
        "additive_mask": additive_mask(shown, torch.float64),
        "input_ids": ids(config.vocab_size, batch, SEQ).where(shown, config.pad_token_id),
        "token_type_ids": ids(config.type_vocab_size, batch, SEQ),
        "position_ids": ids(config.max_position_embeddings, batch, SEQ),
        "inputs_embeds": None,
        "output_attentions": True,
        "output_hidden_states": True,
        "labels": words.where(labeled, -100),
        "next_sentence_label": ids(2, batch),
        "bias": normal(SEQ, SEQ),
    }


def leaves(
    answer: Any, reference: Any, names: tuple[str, ...] | None = None, at: str = "the result"
) -> Leaves:
    """Flatten an output like the reference's; where that is None, anything may stand."""
    if reference is None:
        return {}
    if isinstance(reference, Tensor):
        _require_tensor(answer, reference, at)
        return {at: answer}
    if fields := getattr(reference, "_fields", None):
        missing = [field for field in fields if not hasattr(answer, field)]
        if missing:
            raise MismatchError(
                f"{at} is {_kind(answer)} without {', '.join(missing)}; return a "
                f"{type(reference).__name__}, which has {', '.join(fields)}"
            )
        if getattr(answer, "_fields", None) != fields:
            raise MismatchError(
                f"{at} is {_kind(answer)}; return a {type(reference).__name__}, which is a tuple "
                "as well: later chapters take its first two, and replace one by _replace"
            )
        parts, places = [getattr(answer, field) for field in fields], fields
    else:
        places = names or tuple(f"{at}[{place}]" for place in range(len(reference)))
        kinds = tuple if at == "the result" else tuple | list  # hooks tell tuples from tensors
        if not isinstance(answer, kinds) or len(answer) != len(reference):
            expected = f"{len(reference)} values" if at != "the result" else ", ".join(places)
            raise MismatchError(f"{at} is {_kind(answer)}; it should be a tuple of {expected}")
        parts = answer
    tensors: Leaves = {}
    for name, part, our_part in zip(places, parts, reference):
        tensors |= leaves(part, our_part, at=name)
    return tensors


def _require_tensor(answer: object, reference: Tensor, at: str) -> None:
    shape = tuple(reference.shape)
    if not isinstance(answer, Tensor):
        raise MismatchError(f"{at} is {_kind(answer)}; it should be a tensor of shape {shape}")
    if answer.shape != shape:
        raise MismatchError(f"{at} has the shape {tuple(answer.shape)}; it should be {shape}")
    if answer.dtype != reference.dtype:
        raise MismatchError(
            f"{at} is {answer.dtype}; the hidden states are {reference.dtype}, and so it should "
            "be, with all that is made inside"
        )


def _kind(answer: object) -> str:
    if isinstance(answer, Tensor):
        return f"a tensor of shape {tuple(answer.shape)}"
    if isinstance(answer, tuple | list):
        return f"a {type(answer).__name__} of {len(answer)}"
    return "None" if answer is None else f"a {type(answer).__name__}"


def same_numbers(one: Leaves, other: Leaves, tolerance: float = TOLERANCE) -> bool:
    """Return whether two results hold the same numbers, which are finite."""
    return all(
        torch.allclose(one[name], other[name], rtol=tolerance, atol=tolerance) for name in other
    )
