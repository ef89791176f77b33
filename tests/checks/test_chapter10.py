"""Planted wrong answers to the exercises of Chapter 10 get the right hint."""

import numpy as np
import pytest
import torch

from minibert.checks.chapter10 import (
    check_mask_index,
    check_parameters,
    check_pooler,
    check_stack,
)
from minibert.config import BertConfig
from minibert.model import BertModel


def mask_index(first, second):
    """Right, and written without building the row."""
    if "[MASK]" in first:
        return 1 + first.index("[MASK]")
    return 2 + len(first) + second.index("[MASK]")


def parameters(vocab, positions, segments, hidden, intermediate, layers):
    """Right, counted on a model that has shapes and no numbers."""
    config = BertConfig(
        vocab_size=vocab,
        max_position_embeddings=positions,
        type_vocab_size=segments,
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=1,
    )
    with torch.device("meta"):
        return sum(p.numel() for p in BertModel(config).parameters())


def pooler(hidden_states, weight, bias):
    """Right, and written with einsum."""
    return np.tanh(np.einsum("bh,oh->bo", hidden_states[:, 0], weight) + bias)


def stack(hidden_states, mask, layers):
    """Right, and written with recursion."""
    if not layers:
        return hidden_states[None]
    rest = stack(layers[0](hidden_states, mask), mask, layers[1:])
    return np.concatenate([hidden_states[None], rest])


def test_right_answers_pass():
    assert check_mask_index(mask_index).passed
    assert check_parameters(parameters).passed
    assert check_pooler(pooler).passed
    assert check_stack(stack).passed


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda first, second: mask_index(first, second) - 1, "before all of them"),
        (lambda first, second: mask_index(first, second) + 1, "starts at 0"),
        (lambda first, second: 1 + (first + second).index("[MASK]"), "between the two texts"),
        (lambda first, second: (first + second).index("[MASK]"), "of both texts"),
        (
            lambda first, second: 1 + (second if "[MASK]" in second else first).index("[MASK]"),
            "a row of its own",
        ),
        (lambda first, second: first.index("[MASK]") + 1, "stopped with ValueError"),
        (lambda first, second: None, "nothing yet"),
        (lambda first, second: 8, "expected 2"),
        (lambda first, second: [mask_index(first, second)], "shape (1,)"),
        (lambda first, second: "eighth", "expected 8"),
    ],
)
def test_wrong_index(wrong, hint):
    verdict = check_mask_index(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def counted(*parts):
    """Count the named parts only."""

    def count(vocab, positions, segments, hidden, intermediate, layers):
        square, wide = hidden * hidden, hidden * intermediate
        sizes = {
            "tables": (vocab + positions + segments) * hidden,
            "embedding norm": 2 * hidden,
            "attention": layers * 3 * square,
            "output": layers * square,
            "attention bias": layers * 3 * hidden,
            "output bias": layers * hidden,
            "widen": layers * wide,
            "widen bias": layers * intermediate,
            "narrow": layers * wide,
            "narrow bias": layers * hidden,
            "norms": layers * 4 * hidden,
            "pooler": square,
            "pooler bias": hidden,
        }
        left_out = set(parts)
        assert left_out <= set(sizes)
        return sum(size for name, size in sizes.items() if name not in left_out)

    return count


BIASES = ("attention bias", "output bias", "widen bias", "narrow bias", "pooler bias")
NORMS = ("embedding norm", "norms")


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (counted(*BIASES), "no biases"),
        (counted(*NORMS), "no LayerNorm"),
        (lambda *sizes: (counted()(*sizes) + counted(*NORMS)(*sizes)) // 2, "two numbers"),
        (counted(*BIASES, *NORMS), "matrices only"),
        (counted("output", "output bias"), "mixes what the heads found"),
        (counted("pooler", "pooler bias"), "pooler is missing"),
        (counted("embedding norm"), "LayerNorm of their own"),
        (counted("narrow", "narrow bias"), "one widens, one narrows"),
        (lambda *sizes: counted()(*sizes[:-1], 1), "one layer"),
        (lambda *sizes: counted()(*sizes) + 1, "gives 273; expected 272"),
        (lambda *sizes: ..., "nothing yet"),
        (lambda vocab: vocab, "stopped with TypeError"),
    ],
)
def test_wrong_parameters(wrong, hint):
    verdict = check_parameters(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda h, w, b: h[:, 0] @ w.T + b, "bend is missing"),
        (lambda h, w, b: np.tanh(h.mean(axis=1) @ w.T + b), "mean of all tokens"),
        (lambda h, w, b: np.tanh(h[:, -1] @ w.T + b), "last token"),
        (lambda h, w, b: np.tanh(h[:, 0] @ w + b), "one row for each output"),
        (lambda h, w, b: np.tanh(h[:, 0]) @ w.T + b, "bend before"),
        (lambda h, w, b: np.tanh(h[:, 0] @ w.T), "bias is missing"),
        (lambda h, w, b: np.tanh(h[0] @ w.T + b), "shape (3, 4)"),
        (lambda h, w, b: np.tanh(h @ w.T + b), "shape (1, 3, 4)"),
        (lambda h, w, b: pooler(h, w, b) * 2, "expected"),
        (lambda h, w, b: ..., "nothing yet"),
    ],
)
def test_wrong_pooler(wrong, hint):
    verdict = check_pooler(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def stack_with(step):
    """Build all hidden states with one wrong step, given the states so far, mask, layers and k."""

    def wrong(hidden_states, mask, layers):
        states = [hidden_states]
        for k in range(len(layers)):
            states.append(step(states, mask, layers, k))
        return np.array(states)

    return wrong


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (
            stack_with(lambda s, mask, layers, k: layers[k](s[-1], 0 * mask if k else mask)),
            "Only the first layer",
        ),
        (
            stack_with(lambda s, mask, layers, k: layers[k](s[-1], 0 * mask)),
            "No layer gets the mask",
        ),
        (stack_with(lambda s, mask, layers, k: layers[k](s[0], mask)), "gets the embeddings"),
        (stack_with(lambda s, mask, layers, k: layers[0](s[-1], mask)), "weights of its own"),
        (stack_with(lambda s, mask, layers, k: layers[-k - 1](s[-1], mask)), "last to the first"),
        (lambda h, mask, layers: stack(h, mask, layers)[::-1], "order is turned around"),
        (lambda h, mask, layers: stack(h, mask, layers)[1:], "it should be (2, 3, 3)"),
        (lambda h, mask, layers: stack(h, mask, layers)[-1], "it should be (2, 3, 3)"),
        (lambda h, mask, layers: layers.pop() and h, "changes its input"),
        (lambda h, mask, layers: 2 * stack(h, mask, layers), "expected"),
        (lambda h, mask, layers: None, "nothing yet"),
    ],
)
def test_wrong_stack(wrong, hint):
    verdict = check_stack(wrong)
    assert not verdict.passed
    assert hint in verdict.message
