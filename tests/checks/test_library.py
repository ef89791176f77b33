"""What is called equal to the library is compared number by number; the chapters do so, too."""

import dataclasses

import pytest
import torch
from accepted_styles import classes_of

from bertbook.core.exercises import library
from bertbook.core.exercises.library import same_as_library
from bertbook.reader.module.pair import NO_DROPOUT, TEST_CONFIG
from minibert.attention import BertSelfAttention, additive_mask
from minibert.layer import BertOutput
from minibert.model import BertModel

pytest.importorskip("transformers")
CONFIG = dataclasses.replace(TEST_CONFIG, **NO_DROPOUT)
SEEN = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])


def shaken(module):
    """Give every parameter a value that nobody starts with."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 3)
    return module


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


IDS = torch.randint(5, 23, (3, 5), generator=torch.Generator().manual_seed(5))
STATES, WIDE, MASK = draw(3, 5, 12), draw(3, 5, 20), additive_mask(SEEN, torch.float64)
BATCH = {"input_ids": IDS, "attention_mask": SEEN, "token_type_ids": (IDS > 12).long()}
ALL = {"output_attentions": True, "output_hidden_states": True}


def test_ours_is_the_library_s_and_stays_as_it_was(capsys):
    module = shaken(BertOutput(CONFIG)).train()
    same_as_library(module, "BertOutput", CONFIG, WIDE, STATES)
    told = capsys.readouterr().out
    assert "as transformers' BertOutput: " in told
    assert f"{len([*module.parameters()]) + 2} gradients" in told
    assert module.training and next(module.parameters()).dtype == torch.float32
    assert all(parameter.grad is None for parameter in module.parameters())


class Unscaled(BertSelfAttention):
    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        return super().forward(2 * hidden_states, additive_mask, output_attentions)


class Detached(BertOutput):
    def forward(self, wide_states, input_tensor):
        return super().forward(wide_states, input_tensor.detach())


class Silent(BertModel):
    def forward(self, *args, **named):
        return super().forward(*args, **named)._replace(attentions=None)


@pytest.mark.parametrize(
    ("kind", "inputs", "named", "sentence"),
    [
        (Unscaled, (STATES, MASK), {}, r"output differs .* BertSelfAttention by \d"),
        (Detached, (WIDE, STATES), {}, r"the gradient of input 2 differs .* BertOutput by \d"),
        (Silent, (), BATCH | ALL, "BertModel returns attentions, and this one does not"),
    ],
)
def test_a_difference_is_named(kind, inputs, named, sentence):
    with pytest.raises(AssertionError, match=sentence):
        same_as_library(shaken(kind(CONFIG)), kind.__base__.__name__, CONFIG, *inputs, **named)


def test_a_number_in_32_bits_is_forgiven_to_a_reader_alone(monkeypatch, capsys):
    config = dataclasses.replace(CONFIG, num_attention_heads=2)  # the root of 6 is cut somewhere
    hers = classes_of("a number as a tensor")[BertSelfAttention]
    same_as_library(shaken(hers(config)), "BertSelfAttention", config, STATES, MASK)
    assert capsys.readouterr().out.endswith("no difference above 1e-06\n")
    monkeypatch.setattr(hers, "__module__", "minibert.attention")
    with pytest.raises(AssertionError, match=r"differs .* BertSelfAttention by \d\S*e-0[789]"):
        same_as_library(shaken(hers(config)), "BertSelfAttention", config, STATES, MASK)


def test_without_the_library_nothing_is_claimed(monkeypatch, capsys):
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda _: None)
    same_as_library(BertOutput(CONFIG), "BertOutput", CONFIG, WIDE, STATES)
    assert capsys.readouterr().out == "transformers is not installed here, so nothing is compared\n"
