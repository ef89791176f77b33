"""A head takes the arguments of its encoder by name or place, and labels where Hugging Face has."""

import inspect
import re

import pytest
import torch
import transformers
from bert_pairs import KINDS, SMALL, build, close, draw_batch

from minibert.tasks import BertForSequenceClassification

WISHES = ["output_attentions", "output_hidden_states", "return_dict"]


@pytest.mark.parametrize("kind", KINDS[1:])
def test_tools_and_pages_see_every_argument_in_its_order(kind):
    theirs = inspect.signature(getattr(transformers, kind.__name__).forward).parameters
    expected = [name for name in theirs if not name.startswith(("encoder_", "output_", "kwargs"))]
    names = [*inspect.signature(kind.forward).parameters]
    assert names == [*(name for name in expected if name != "return_dict"), *WISHES]
    described = re.findall(r"^    (\w+(?:, \w+)*):", kind.forward.__doc__, re.MULTILINE)
    assert ", ".join(described).split(", ") == names[1:]


@pytest.mark.usefixtures("unchecked")
def test_arguments_go_by_place_or_name_and_none_too_many_twice_or_unknown():
    model = build(SMALL, kind=BertForSequenceClassification)
    batch, labels = draw_batch(SMALL, 0), torch.tensor([0, 1, 1, 0])
    expected = model(**batch, labels=labels, output_attentions=True, return_dict=None)
    found = model(*batch.values(), None, None, labels, True, False)
    close(found.loss, expected.loss)
    close(found.attentions[1], expected.attentions[1])
    assert found.hidden_states is None
    ids = batch["input_ids"]
    for by_place, by_name, words in (
        ([ids, *[None] * 9], {}, f"labels, {', '.join(WISHES)}, not 10"),
        ([ids], {"input_ids": ids}, "multiple values for keyword argument 'input_ids'"),
        ([ids], {"label": labels}, "unexpected keyword argument 'label'"),
    ):
        with pytest.raises(TypeError, match=words):
            model(*by_place, **by_name)
