"""Right answers to the exercises of Chapter 10, written in other ways, pass."""

import re

import numpy as np
import pytest
import torch

from minibert.checks.chapter10 import check_mask_index, check_parameters, check_pooler, check_stack
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


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_mask_index, mask_index),
        (check_parameters, counted()),
        (check_pooler, pooler),
        (check_stack, stack),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_parameters, parameters, "BertModel"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
