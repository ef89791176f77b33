"""A model is built from a class that takes a configuration, and from nothing else."""

import pytest
from saved_folders import small_folder
from torch import nn

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.pretrained import load_pretrained

pytestmark = pytest.mark.usefixtures("unchecked")


def refused(tmp_path, kind, **arguments):
    small_folder(tmp_path)
    with pytest.raises(TypeError) as caught:
        load_pretrained(kind, tmp_path, **arguments)
    return str(caught.value)


def test_a_class_that_takes_no_configuration(tmp_path):
    assert refused(tmp_path, nn.Linear) == (
        "Linear cannot be built as Linear(config): missing a required argument: 'out_features'; "
        "give BertModel, a model with a head, or a class of your own that takes a BertConfig first"
    )


def test_a_model_in_place_of_its_class(tmp_path):
    assert refused(tmp_path, BertModel(BertConfig.tiny(vocab_size=9))) == (
        "load_pretrained builds the model: give the class BertModel, not an instance of it"
    )


def test_an_argument_that_the_class_does_not_take(tmp_path):
    told = refused(tmp_path, BertModel, top=3)
    assert told.startswith("BertModel cannot be built as BertModel(config, top=…): got an unexpec")
