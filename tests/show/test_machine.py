"""The drawing of the machine: its shapes are the model's, and it opens where it is asked to."""

import re

import pytest
import torch

from bertbook.topics.encoder.machine import machine
from minibert.config import BertConfig
from minibert.model import BertModel

TINY = BertConfig.tiny(vocab_size=100)


@pytest.mark.parametrize(
    ("at", "names"),
    [
        ("", []),
        ("layer", ["stack", "layer 1"]),
        ("attention", ["stack", "layer 1", "self-attention"]),
    ],
)
def test_it_opens_with_all_around_it(at, names):
    content = machine(at, caption="c").content
    assert re.findall(r'<details class="mb-box" open><summary>([^<]*) <', content) == names
    with pytest.raises(ValueError, match="no part 'head'; it opens at embeddings, attention"):
        machine("head", caption="c")


def test_its_shapes_are_those_of_the_model():
    content = machine(caption="c", tokens=5, config=TINY).content.replace("\N{NO-BREAK SPACE}", " ")
    with torch.no_grad():
        found = BertModel(TINY).eval()(
            torch.arange(5)[None], output_attentions=True, output_hidden_states=True
        )
    for tensor in (found.hidden_states[1], found.attentions[0]):
        assert " × ".join(map(str, tensor.shape[1:])) in content
    for parameter in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        rows, hidden = getattr(BertModel(TINY).embeddings, parameter).weight.shape
        assert f"{rows} × {hidden}" in content
    assert f"5 × {TINY.intermediate_size}" in content
