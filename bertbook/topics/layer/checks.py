"""Exercises of Chapter 9: LayerNorm, and a layer in pre-norm.

The classes of BERT's own layer have `check_module`.
"""

import copy
import dataclasses

import numpy as np
import torch
from torch import Tensor, nn

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.module import check_module
from minibert.config import BertConfig
from minibert.layer import BertLayer

_RNG = np.random.default_rng(91)


def _layer_norm(x, weight, bias, eps):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return centered / np.sqrt(variance + eps) * weight + bias


def _norm_case(*shape, eps):
    x = 0.4 * _RNG.standard_normal(shape) + 1
    return x, *_RNG.standard_normal((2, shape[-1])), eps


check_layer_norm = Exercise(
    "Write LayerNorm along the last axis, for any number of axes in front, with ε in its place.",
    _layer_norm,
    cases=[_norm_case(4, eps=0.04), _norm_case(2, 3, eps=0.01), _norm_case(2, 3, 5, eps=1e-12)],
    forbidden=["layer_norm", "LayerNorm"],
    mistakes={
        "np.sqrt(variance + eps) → (np.sqrt(variance) + eps)": "Add ε inside the root.",
        "+ eps → ¦ + 1e-5 ¦ - eps ¦ + eps**2": "Which ε is added to the variance?",
        "(centered**2).mean( → (centered**2).sum(": "A variance is a mean of squares, not a sum.",
        "centered**2 → abs(centered) ¦ centered": "A variance is a mean of squares.",
        "(centered**2).mean( → x.var(ddof=1,": "LayerNorm divides by n, not by n - 1.",
        "np.sqrt( → (": "You divide by the variance. Which unit has it?",
        "/ np.sqrt(…) →": "Where is the division by the spread?",
        "return centered → return x": "What is to be subtracted, before you divide?",
        "centered**2 → x**2": "A variance averages the squares of what is left without the mean.",
        "* weight + bias → * (weight + bias) ¦ * bias + weight ¦ * weight + bias * weight":
            "Normalize, stretch, shift.",
        "axis=-1 → axis=None ¦ axis=0": "Along which axis lies the vector of one token?",
        ("* weight + bias →", "+ bias →", "* weight →"): "Is it times weight, plus bias?",
    },
)  # fmt: skip


_CONFIG = BertConfig(vocab_size=9, hidden_size=12, num_attention_heads=3, intermediate_size=20,
                     max_position_embeddings=8, hidden_dropout_prob=0.5,
                     attention_probs_dropout_prob=0.0)  # fmt: skip


def check_pre_norm(layer: type[nn.Module]) -> Verdict:
    """Check a layer that normalizes before each half and leaves the sums alone, by what it must do.

    Its parameters may have any names: nothing is compared with numbers of ours.

    Args:
        layer: Yours: a layer in the place of `BertLayer`, with ``own_parameters = True``.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    if not getattr(layer, "own_parameters", False):
        return Verdict(False, "Not yet. Its parameters may have names of their own, so the class "
                       "needs own_parameters = True.")  # fmt: skip
    if not (found := check_module(layer, BertLayer)).passed:
        return found
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        problem = _pre_norm_problem(layer)
    right = f"Right: {layer.__name__} adds to its input; each half is normalized first."
    return Verdict(not problem, f"Not yet. {problem}" if problem else right)


def _pre_norm_problem(kind: type[nn.Module]) -> str:
    """Say which property of pre-norm fails, if one does."""
    x = torch.randn(2, 5, 12, dtype=torch.float64)
    nothing_new, layer = _drawn(kind, hidden_dropout_prob=1.0).train(), _drawn(kind)
    left, result = nothing_new(x)[0], layer(x)[0]
    found = {
        "With p = 1 nothing is left. Where is the residual, and does dropout spare it?":
            not left.any(),
        "With p = 1 yours comes out normalized. What is kept: the vector, or what LayerNorm makes "
        "of it?": _same(left, nothing_new(x + 7)[0]),
        "With p = 1 the input should come out as it is. Does dropout hit what each half adds, and "
        "is the residual added once in each?": not _same(left, x),
        "If the input is shifted by 7, the result should be, and nothing else. Which half gets "
        "vectors that are not normalized?": not _same(result + 7, layer(x + 7)[0]),
        "hidden_act has no effect. Where is the activation that the config names?":
            _same(result, _drawn(kind, hidden_act="relu")(x)[0]),
        "A LayerNorm has an ε of its own. Which one does config.layer_norm_eps ask for?":
            {norm.eps for norm in _drawn(kind, layer_norm_eps=0.3).modules()
             if isinstance(norm, nn.LayerNorm)} - {0.3},
    }  # fmt: skip
    hint = next((hint for hint, is_so in found.items() if is_so), "")
    return hint or _size_problem(layer) or _path_problem(layer, x)


def _size_problem(layer: nn.Module) -> str:
    """Compare the number of parameters with that of BERT's layer."""
    layers = layer, BertLayer(_CONFIG)
    parameters, expected = (sum(p.numel() for p in one.parameters()) for one in layers)
    hint = "Has each half its own LayerNorm, with weight and bias, and does no bias lack?"
    if sum(p.shape == (12, 12) for p in layer.parameters()) < 4:
        hint = "Query, key and value are three square matrices. Which one mixes the heads?"
    if parameters > expected:
        hint = "Which part is there that BERT's layer has not?"
    many = f"It has {parameters} parameters, and BERT's layer of this size has {expected}."
    return f"{many} {hint}" if parameters != expected else ""


def _path_problem(layer: nn.Module, x: Tensor) -> str:
    """Ask whether all parameters count, and whether the second half follows the first."""
    layer.zero_grad()
    layer(x)[0].pow(2).sum().backward()
    silent = (name for name, p in layer.named_parameters() if p.grad is None or not p.grad.any())
    idle = [name for name in silent if not name.endswith("key.bias")]
    if idle:
        return f"{idle[0]} has no effect on the result. Is its part called, and used?"
    first = _without(layer, (12, 20))(x)[0]  # x and what attention adds
    again = _without(layer, (12, 12))(first)[0]  # what the second half makes of that alone
    hint = "The second half begins with the sum, x plus what attention adds, and normalizes it."
    return "" if _same(layer(x)[0], again) else f"{hint} On which vectors does yours work?"


def _without(layer: nn.Module, shape: tuple[int, int]) -> nn.Module:
    """Copy a layer, and silence the linear layers whose weights have a shape."""
    silenced = copy.deepcopy(layer)
    for part in (m for m in silenced.modules() if isinstance(m, nn.Linear)):
        for p in part.parameters() if part.weight.shape == shape else ():
            nn.init.zeros_(p)
    return silenced


def _drawn(kind: type[nn.Module], **changes: object) -> nn.Module:
    """Build a layer with weights of ordinary size, none of them 0 and always the same."""
    layer = kind(dataclasses.replace(_CONFIG, **changes)).double().eval()
    generator = torch.Generator().manual_seed(92)
    with torch.no_grad():
        for p in layer.parameters():
            noise = torch.randn(p.shape, generator=generator, dtype=torch.float64)
            p.copy_(0.5 * noise + (p.dim() == 1))
    return layer


def _same(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=0, atol=1e-8)
