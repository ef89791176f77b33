"""The gradient of every member is the slope of its own function, padding on either side."""

import pytest
import torch
from family_pairs import MEMBERS, build_with_head
from torch import nn

SEQ = 9
LENGTHS = torch.tensor([SEQ, 2, 6])[:, None]  # a window of ModernBERT's may hold padding alone
HEADS = ["ForQuestionAnswering", "ForMaskedLM", "ForSequenceClassification"]
NAMES = ["bert", *MEMBERS]


def draw(model, head, side):
    generator = torch.Generator().manual_seed(1)
    mask = (torch.arange(SEQ) < LENGTHS).long()
    mask = mask.flip(1) if side == "left" else mask
    ids = torch.randint(8, 41, mask.shape, generator=generator)
    batch = {"input_ids": torch.where(mask == 1, ids, model.config.pad_token_id)}
    if head == "ForMaskedLM":
        labels = {"labels": torch.where(mask == 1, ids.roll(1), -100)}
    elif head == "ForQuestionAnswering":
        first = mask.argmax(dim=1)
        labels = {"start_positions": first, "end_positions": first + 1}
    else:
        labels = {"labels": torch.tensor([0, 1, 1])}
    return batch | labels | {"attention_mask": mask}


def draw_direction(model, generator, only_words):
    """Draw a direction for each parameter; the rows of padding do not learn, and stay."""
    table = model.get_parameter(next(n for n, _ in model.named_parameters()))  # of words
    directions = {p: torch.randn(p.shape, generator=generator).double() for p in model.parameters()}
    for module in model.modules():
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            directions[module.weight][module.padding_idx] = 0
    return {table: directions[table]} if only_words else directions


@torch.no_grad()
def loss_beside(model, batch, directions, step):
    """Return the loss a step away."""
    for parameter, direction in directions.items():
        parameter += step * direction
    loss = model(**batch).loss.item()
    for parameter, direction in directions.items():
        parameter -= step * direction
    return loss


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("name", NAMES)
def test_autograd_gives_the_slope_along_any_direction(name, head, side):
    model, generator = build_with_head(name, head).double(), torch.Generator().manual_seed(2)
    batch = draw(model, head, side)
    model(**batch).loss.backward()
    for only_words in (False, True):
        directions = draw_direction(model, generator, only_words)
        learned = {p: d for p, d in directions.items() if p.grad is not None}
        expected = sum((p.grad * d).sum().item() for p, d in learned.items())
        above, below = (loss_beside(model, batch, directions, step) for step in (1e-6, -1e-6))
        assert (above - below) / 2e-6 == pytest.approx(expected, rel=1e-4, abs=1e-6)
