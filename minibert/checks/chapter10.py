"""Exercises of Chapter 10: index of [MASK], the stack, the pooler, parameters from sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is

_MASK = "[MASK]"
_RNG = np.random.default_rng(10)


def _mask_index(first, second, *, start=("[CLS]",), between=("[SEP]",)):
    return [*start, *first, *between, *second].index(_MASK)


def _own_row(first, second):
    return (second if _MASK in second else first).index(_MASK) + 1


check_mask_index = Exercise(
    "Say at which index [MASK] stands in the row that BERT reads.",
    _mask_index,
    cases=[
        (["the", _MASK, "sleeps"], []),
        ([_MASK], ["a", "cat"]),
        ([*"我喜欢学习人工", _MASK], []),
        (["is", "it", "a", "cat"], ["no", _MASK]),
        (["who", "sleeps"], [_MASK, "sleeps"]),
    ],
    mistakes=[
        Mistake({"start": ()}, "You count the tokens of the text. Which token stands before all of "
                "them?"),
        Mistake({"start": ("[CLS]", "[CLS]")}, "Your first token has number 1. An index starts at "
                "0."),
        Mistake({"between": ()}, "Right for the first text. What stands between the two texts?"),
        Mistake({"start": (), "between": ()}, "You count the tokens of both texts. Which special "
                "tokens stand before them?"),
        Mistake({"between": ("[SEP]", "[CLS]")}, "Right for the first text. Only the row as a "
                "whole begins with [CLS], the second text does not."),
        Mistake(_own_row, "Right for the first text. The second does not begin a row of its own."),
        Mistake(ValueError, "Your row holds no [MASK]. It may stand in the second text, too."),
    ],
)  # fmt: skip


@dataclass(frozen=True)
class _SmallLayer:
    """A layer without weights: scaled attention of the vectors to themselves, and a residual."""

    scale: float

    def __call__(self, hidden_states, additive_mask):
        scores = self.scale * hidden_states @ hidden_states.T + additive_mask
        return hidden_states + softmax(scores) @ hidden_states


def _stack(states, mask, layers, *, masked=lambda mask, k: mask, order=as_it_is, chained=True,
           kept=as_it_is):  # fmt: skip
    """Collect the hidden states before, between and after the layers."""
    found = [states]
    for k, layer in enumerate(order(layers)):
        found.append(layer(found[-1] if chained else states, masked(mask, k)))
    return np.stack(kept(found))


def _stack_case(mask, number):
    hidden = np.where(mask, np.finfo(float).min, 0)
    layers = [_SmallLayer(0.5 * (k + 1)) for k in range(number)]
    return _RNG.normal(size=(len(mask), 3)), hidden, layers


check_stack = Exercise(
    "Send vectors through a list of layers; return the hidden states before, between and after.",
    _stack,
    cases=[
        _stack_case([0, 0, 1], 1),
        _stack_case([0, 0, 0, 1, 1], 2),
        _stack_case([0, 1, 0], 3),
        _stack_case([0, 0], 2),
    ],
    mistakes=[
        Mistake({"masked": lambda mask, k: mask * (k == 0)}, "Only the first layer gets the mask. "
                "After it, everybody looks at the padding."),
        Mistake({"masked": lambda mask, k: mask * 0}, "No layer gets the mask."),
        Mistake({"chained": False}, "Every layer gets the embeddings. What should the second layer "
                "get?"),
        Mistake({"order": lambda layers: layers[:1] * len(layers)}, "You go through the first "
                "layer again and again. Each layer has weights of its own."),
        Mistake({"order": lambda layers: layers[::-1]}, "You go through the layers from the last "
                "to the first."),
        Mistake({"kept": lambda states: states[::-1]}, "The order is turned around: what goes into "
                "the first layer comes first."),
        Mistake({"kept": lambda states: states[1:]}, "What comes out of each layer is there. What "
                "goes into the first one is a hidden state, too."),
        Mistake({"kept": lambda states: states[:-1]}, "What comes out of the last layer is "
                "missing."),
        Mistake(lambda *case: _stack(*case)[-1], "That is the last hidden state alone. Return all "
                "of them."),
    ],
)  # fmt: skip


def _first(states):
    return states[:, 0]


def _pooler(states, weight, bias, *, pick=_first, before=as_it_is, squash=np.tanh,
            turn=lambda w: w.T, bias_times=1):  # fmt: skip
    return squash(before(pick(states)) @ turn(weight) + bias_times * bias)


check_pooler = Exercise(
    "Write the pooler: one vector for each row of the batch.",
    _pooler,
    cases=[
        (_RNG.normal(size=(batch, seq, 4)), _RNG.normal(size=(4, 4)), _RNG.normal(size=4))
        for batch, seq in ((1, 3), (2, 5), (3, 1))
    ],
    mistakes=[
        Mistake({"squash": as_it_is}, "The activation is missing. Which function brings every "
                "number between -1 and 1?"),
        Mistake({"pick": lambda states: states.mean(axis=1)}, "You take the mean of all tokens. "
                "BERT's pooler reads one of them."),
        Mistake({"pick": lambda states: states[:, -1]}, "You take the last token. Where does [CLS] "
                "stand?"),
        Mistake({"pick": lambda states: states[0]}, "You take all tokens of the first text. Take "
                "the first token of all texts: the batch is the first axis."),
        Mistake({"pick": as_it_is}, "You send every token through the pooler. It reads one of "
                "them."),
        Mistake({"turn": as_it_is}, "You multiply by the weight itself. PyTorch stores one row for "
                "each output."),
        Mistake({"before": np.tanh, "squash": as_it_is}, "You activate before the linear layer. It "
                "comes after."),
        Mistake({"bias_times": 0}, "The bias is missing."),
        Mistake({"squash": lambda x: 1 / (1 + np.exp(-x))}, "That brings every number between 0 "
                "and 1. BERT's pooler takes tanh."),
    ],
)  # fmt: skip


def _parameters(
    vocab, positions, segments, hidden, intermediate, layers, *, words=1, places=1, types=1,
    first_norm=1, linears=4, biases=1, wide=1, narrow=1, norms=2, pooler=1, pooler_bias=1,
    norm=2, of=as_it_is,
):  # fmt: skip
    """Count the parameters of a BERT with pooler."""
    tables = (words * vocab + places * positions + types * segments + first_norm * norm) * hidden
    attending = linears * (hidden + biases) * hidden
    thinking = wide * (hidden + biases) * intermediate + narrow * (intermediate + biases) * hidden
    layer = attending + thinking + norms * norm * hidden
    return tables + of(layers) * layer + pooler * (hidden + biases * pooler_bias) * hidden


check_parameters = Exercise(
    "Count the parameters of any BERT with a pooler, from its sizes alone.",
    _parameters,
    cases=[
        (10, 6, 1, 4, 8, 1),
        (10, 6, 3, 4, 8, 3),
        (89, 16, 2, 12, 20, 2),
        (30522, 512, 2, 128, 512, 2),
        (30522, 512, 2, 768, 3072, 12),
    ],
    forbidden=["BertModel", "numel"],
    rtol=1e-12,
    mistakes=[
        Mistake({"biases": 0}, "You count no biases. Every linear layer has one number for each "
                "output."),
        Mistake({"norm": 0}, "You count no LayerNorm. Each has a weight and a bias, and a layer "
                "has two of them."),
        Mistake({"norm": 1}, "A LayerNorm has two numbers for each entry of a vector: a weight and "
                "a bias."),
        Mistake({"biases": 0, "norm": 0}, "You count matrices only. Linear layers have biases, and "
                "LayerNorms have parameters, too."),
        Mistake({"words": 0}, "The table of the words is missing."),
        Mistake({"places": 0}, "The table of the positions is missing."),
        Mistake({"types": 0}, "The table of the segments is missing."),
        Mistake({"linears": 3}, "Query, key and value make three. Which linear layer mixes what "
                "the heads found?"),
        Mistake({"linears": 0}, "Where is attention?"),
        Mistake({"pooler": 0}, "The pooler is missing: one more linear layer."),
        Mistake({"pooler_bias": 0}, "The pooler is a linear layer: where is its bias?"),
        Mistake({"first_norm": 0}, "The embeddings have a LayerNorm of their own."),
        Mistake({"norms": 1}, "You count one LayerNorm in a layer. Each of its two halves ends "
                "with one."),
        Mistake({"norms": 0}, "The embeddings have a LayerNorm, and every layer has two."),
        Mistake({"narrow": 0}, "The feed-forward network has two linear layers: one widens, one "
                "narrows."),
        Mistake({"narrow": 0, "wide": 0}, "Where is the feed-forward network?"),
        Mistake({"of": lambda layers: 1}, "You count one layer. How many are there?"),
    ],
)  # fmt: skip
