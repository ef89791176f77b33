"""A task model keeps the names of its labels on disk, and takes a new head on any encoder."""

import json

import pytest
from bert_pairs import build, draw_config
from saved_folders import open_theirs, same_weights, small_folder, their_folder
from torch import nn

from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForPreTraining
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)
from minibert.tasks.labels import PROBLEM_TYPES

NAMES = {0: "Hardware", 1: "Software", 2: "Billing"}
NAMED = [BertForSequenceClassification, BertForTokenClassification]


@pytest.mark.parametrize(
    ("kind", "problem_type"), [(NAMED[1], None), *((NAMED[0], each) for each in PROBLEM_TYPES)]
)
def test_names_and_problem_go_to_transformers_and_back(tmp_path, kind, problem_type):
    problem = {"problem_type": problem_type} if problem_type else {}
    ours = build(draw_config(1), 1, kind=kind, id2label=NAMES, **problem)
    save_pretrained(ours, tmp_path / "ours")
    theirs, complaints = open_theirs(tmp_path / "ours", kind)
    assert not complaints
    assert theirs.config.id2label == NAMES
    assert theirs.config.label2id == {name: number for number, name in NAMES.items()}
    assert theirs.config.problem_type == problem_type
    theirs.save_pretrained(tmp_path / "theirs")
    for folder in ("ours", "theirs"):
        again = load_pretrained(kind, tmp_path / folder)
        assert again.label_fields == ours.label_fields
        same_weights(again, ours)


def test_a_model_without_labels_says_nothing_of_them(tmp_path):
    for kind in (BertModel, BertForPreTraining, BertForQuestionAnswering):
        save_pretrained(build(draw_config(3), kind=kind), tmp_path)
        text = (tmp_path / "config.json").read_text("utf-8")
        assert "label" not in text and "problem_type" not in text


def test_two_labels_without_names_are_those_of_transformers_and_can_be_given_others(tmp_path):
    kind = BertForSequenceClassification
    theirs = their_folder(tmp_path, kind, seed=1)
    assert "id2label" not in json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert load_pretrained(kind, tmp_path).id2label == theirs.config.id2label
    named = load_pretrained(kind, tmp_path, id2label={0: "no", 1: "yes"})
    assert named.id2label == {0: "no", 1: "yes"}
    same_weights(named, theirs)


def five_labels(folder, kind, fields=None):
    """Save a model with five labels; let only these fields tell of them, if any are given."""
    names = {number: f"topic {number}" for number in range(5)}
    task = {"problem_type": "multi_label_classification"} if kind is NAMED[0] else {}
    model = build(draw_config(3), kind=kind, id2label=names, **task)
    save_pretrained(model, folder)
    if fields is not None:
        path = folder / "config.json"
        said = json.loads(path.read_text("utf-8"))
        kept = {key: value for key, value in said.items() if "label" not in key}
        path.write_text(json.dumps(kept | fields), encoding="utf-8")
    return model


def test_another_number_of_labels_needs_a_new_classifier(tmp_path):
    kind = BertForSequenceClassification
    model = five_labels(tmp_path, kind)
    with pytest.raises(ValueError, match="2 of another shape") as caught:
        load_pretrained(kind, tmp_path, num_labels=3)
    assert "classifier.bias (5,), here (3,)" in str(caught.value)
    assert "say new=('classifier',)." in str(caught.value)
    again = load_pretrained(kind, tmp_path, id2label=NAMES, new=("classifier",))
    assert again.id2label == NAMES
    assert again.problem_type is None  # that of the old labels
    same_weights(again.bert, model.bert)


CONTRADICTIONS = [
    {"num_labels": 5, "id2label": {"0": "a", "1": "b"}},
    {"_num_labels": 5, "id2label": {"0": "a", "1": "b"}, "label2id": {"a": 0, "b": 1}},
    {"num_labels": None, "id2label": {"0": "a", "1": "b"}},
    {},
]


@pytest.mark.parametrize("fields", CONTRADICTIONS)
@pytest.mark.parametrize("kind", NAMED)
def test_a_config_that_has_another_number_of_labels_than_the_weights(tmp_path, fields, kind):
    model = five_labels(tmp_path, kind, fields)
    with pytest.raises(ValueError, match=r"has 5 in the weights\. Say num_labels=5 ") as caught:
        load_pretrained(kind, tmp_path)
    assert "new=" not in str(caught.value)
    assert all(key in str(caught.value) for key, value in fields.items() if value is not None)
    same_weights(load_pretrained(kind, tmp_path, num_labels=5), model)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"label2id": {"b": 1, "a": 0, "c": 2, "e": 4, "d": 3}}, "abcde"),
        ({"_num_labels": 5}, [f"LABEL_{n}" for n in range(5)]),
    ],
)
def test_other_fields_that_tell_of_labels(tmp_path, fields, names):
    model = five_labels(tmp_path, NAMED[0], fields)
    again = load_pretrained(NAMED[0], tmp_path)
    assert list(again.id2label.values()) == list(names)
    same_weights(again, model)


class BertWithItsOwnHead(nn.Module):
    """A reader's model, which takes no labels."""

    def __init__(self, config, width: int):
        super().__init__()
        self.config, self.bert = config, BertModel(config)
        self.score = nn.Linear(config.hidden_size, width)


def test_a_model_of_the_readers_own(tmp_path):
    small_folder(tmp_path, BertForSequenceClassification)
    parts = {"unused": ("classifier",), "new": ("score",)}
    model = load_pretrained(BertWithItsOwnHead, tmp_path, **parts, width=4)
    save_pretrained(model, tmp_path / "own")
    same_weights(load_pretrained(BertWithItsOwnHead, tmp_path / "own", width=4), model)
