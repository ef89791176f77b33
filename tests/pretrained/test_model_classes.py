"""A model is built from a class that takes a configuration, and from nothing else."""

import pytest
from saved_folders import refused, small_folder
from torch import nn

from minibert.config import BertConfig
from minibert.model import BertModel

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize(
    ("kind", "arguments", "told"),
    [
        (nn.Linear, {}, "Linear cannot be built as Linear(config): missing a required argument: "
         "'out_features'; give BertModel, a model with a head, or a class of your own that takes a "
         "BertConfig first"),
        (BertModel(BertConfig.tiny(vocab_size=9)), {}, "load_pretrained builds the model: give the "
         "class BertModel, not an instance of it"),
        (BertModel, {"top": 3}, "BertModel cannot be built as BertModel(config, top=…): got an "),
    ],
)  # fmt: skip
def test_a_class_that_cannot_be_built_of_a_configuration(tmp_path, kind, arguments, told):
    small_folder(tmp_path)
    assert refused(tmp_path, kind, **arguments).startswith(told)
