"""What is called equal to the library is compared number by number; the chapters do so, too."""

import dataclasses

import pytest
import torch
from torch import nn

from bertbook.core.exercises import library
from bertbook.core.exercises.library import same_as_library
from bertbook.reader.module import check_module
from bertbook.reader.module.pair import NO_DROPOUT, TEST_CONFIG
from minibert.attention import BertSelfAttention, additive_mask
from minibert.config import BertConfig
from minibert.heads import BertLMPredictionHead, BertPredictionHeadTransform
from minibert.layer import BertOutput
from minibert.model import BertModel, BertPooler
from minibert.parts import override, part
from minibert.pretraining import BertForPreTraining

pytest.importorskip("transformers")
CONFIG = dataclasses.replace(TEST_CONFIG, **NO_DROPOUT)
SEEN = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])


def shaken(module: nn.Module) -> nn.Module:
    """Give every parameter a value that nobody starts with."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) / 3)
    return module


def draw(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(4), dtype=torch.float64)


IDS = torch.randint(5, 23, (3, 5), generator=torch.Generator().manual_seed(5))
STATES, WIDE, MASK = draw(3, 5, 12), draw(3, 5, 20), additive_mask(SEEN, torch.float64)
BATCH = {"input_ids": IDS, "attention_mask": SEEN, "token_type_ids": (IDS > 12).long()}
LABELS = {"labels": IDS.where(IDS % 3 == 0, -100), "next_sentence_label": torch.tensor([0, 1, 1])}
ALL = {"output_attentions": True, "output_hidden_states": True}


@pytest.mark.parametrize(
    ("kind", "inputs", "named"),
    [
        (BertOutput, (WIDE, STATES), {}),
        (BertForPreTraining, (), BATCH | LABELS),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_ours_is_the_library_s(kind, inputs, named, capsys):
    module = shaken(kind(CONFIG)).train()
    same_as_library(module, kind.__name__, CONFIG, *inputs, **named)
    told = capsys.readouterr().out
    assert f"as transformers' {kind.__name__}: " in told
    assert module.training and next(module.parameters()).dtype == torch.float32  # as it was
    assert all(parameter.grad is None for parameter in module.parameters())
    parameters = sum(1 for _ in module.parameters())
    decimals = sum(x.is_floating_point() for x in inputs)
    assert f"{parameters + decimals} gradients" in told


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


class WithoutBias(nn.Module):
    """Right by the contract: the decoder has no bias, and the head adds its own."""

    def __init__(self, config, table):
        super().__init__()
        self.transform = part(BertPredictionHeadTransform)(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.decoder.weight = table.weight
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(self, hidden_states):
        return self.decoder(self.transform(hidden_states)) + self.bias


class OfTheTable(WithoutBias):
    """Right as well: the decoder is the table itself."""

    def __init__(self, config, table):
        super().__init__(config, table)
        self.decoder = table

    def forward(self, hidden_states):
        prepared = self.transform(hidden_states)
        return nn.functional.linear(prepared, self.decoder.weight, self.bias)


@pytest.mark.parametrize("head", [WithoutBias, OfTheTable])
def test_a_bias_under_one_name_is_the_library_s_under_two(head, capsys):
    assert check_module(head, BertLMPredictionHead).passed
    alone = shaken(head(CONFIG, nn.Embedding(CONFIG.vocab_size, CONFIG.hidden_size)))
    same_as_library(alone, "BertLMPredictionHead", CONFIG, STATES)
    with override({BertLMPredictionHead: head}):
        same_as_library(shaken(BertForPreTraining(CONFIG)), "BertForPreTraining", CONFIG, **BATCH,
                        **LABELS)  # fmt: skip
    assert capsys.readouterr().out.count("no difference above") == 2
    with override(
        {BertLMPredictionHead: type("Doubled", (head,), {"forward": doubled(head.forward)})}
    ):
        wrong = shaken(BertForPreTraining(CONFIG))
    with pytest.raises(AssertionError, match="prediction_logits differs"):
        same_as_library(wrong, "BertForPreTraining", CONFIG, **BATCH)


def doubled(forward):
    return lambda self, hidden_states: forward(self, hidden_states) + self.bias


def test_without_the_library_nothing_is_claimed(monkeypatch, capsys):
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda _: None)
    same_as_library(BertPooler(BertConfig.tiny()), "BertPooler", BertConfig.tiny(), STATES)
    assert capsys.readouterr().out == "transformers is not installed here, so nothing is compared\n"
