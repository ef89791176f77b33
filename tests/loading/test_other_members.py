"""A folder of another member of the family is never opened in silence."""

import itertools
import json
import re
from ast import literal_eval

import pytest
from family_pairs import MEMBERS, build
from saved_folders import CONFIG, change_json, change_weights, refused, small_folder

import bertfamily as family
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM
from minibert.tasks import BertForSequenceClassification

FIRST = ["roberta", "distilbert", "albert", "deberta v3", "electra", "modernbert"]
NAMES = {member: MEMBERS[member].name for member in FIRST}
HEADS = ["Model", "ForMaskedLM", "ForSequenceClassification"]
OF_BERT = dict(zip(HEADS, (BertModel, BertForMaskedLM, BertForSequenceClassification), strict=True))
HOMES = dict(zip(HEADS, ("model", "pretraining", "tasks"), strict=True))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("family")
    for member in FIRST:
        save_pretrained(build(MEMBERS[member]), root / NAMES[member])
    small_folder(root / "Bert")
    return root


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("ours", "there"), [*itertools.permutations(["Bert", *NAMES.values()], 2)])
def test_the_class_that_opens_a_folder_is_named(folders, ours, there, head):
    kind = OF_BERT[head] if ours == "Bert" else getattr(family, ours + head)
    home = f"minibert.{HOMES[head]}" if there == "Bert" else "bertfamily"
    message = refused(folders / there, kind)
    assert message.endswith(f"; open them with {home}.{there}{head}")
    assert f"is not supported by {ours}{head}" in message


def test_a_class_of_ones_own_is_told_the_encoder(folders):
    class Mine(BertModel):
        pass

    message = refused(folders / "Roberta", Mine)
    assert message.endswith("open them with bertfamily.RobertaModel")


def test_the_saved_class_tells_what_the_model_type_does_not(tmp_path):
    save_pretrained(build(MEMBERS["roberta"]), tmp_path)
    fields = json.loads((tmp_path / CONFIG).read_text("utf-8"))
    del fields["model_type"]
    (tmp_path / CONFIG).write_text(json.dumps(fields), encoding="utf-8")
    assert "bertfamily.RobertaModel" in refused(tmp_path)
    load_pretrained(family.RobertaModel, tmp_path)
    change_json(tmp_path / CONFIG, architectures=["RobertaForMaskedLM", "BertModel"])
    assert "bertfamily.Roberta" in refused(tmp_path)
    change_json(tmp_path / CONFIG, architectures=None)
    message = refused(tmp_path, family.RobertaModel)
    assert "it has no model_type" in message and '"model_type": "roberta"' in message


@pytest.mark.parametrize("member", FIRST)
def test_a_head_is_new_and_another_is_left_out_in_so_many_words(tmp_path, member):
    """Encoder to head, and head to encoder, by the names of the files."""
    save_pretrained(build(MEMBERS[member]), tmp_path)
    kind = getattr(family, NAMES[member] + "ForTokenClassification")
    message = refused(tmp_path, kind, num_labels=5)
    advice = dict(re.findall(r"say (new|unused)=(\(.*\))\.", message))
    parts = {word: literal_eval(message) for word, message in advice.items()}
    model = load_pretrained(kind, tmp_path, **parts, num_labels=5)
    assert model.classifier.weight.shape == (5, 24)
    assert 0.01 < model.classifier.weight.std() < 0.03
    encoder = load_pretrained(getattr(family, NAMES[member] + "Model"), tmp_path)
    ours = model.bert.state_dict()
    for name, tensor in encoder.state_dict().items():
        assert "pooler" in name or tensor.equal(ours[name]), name


def test_weights_whose_names_only_begin_like_a_part_do_not_belong_to_it(tmp_path):
    small_folder(tmp_path)
    change_weights(tmp_path, lambda t: t.update(poolers=t["pooler.dense.bias"] + 1))
    message = refused(tmp_path, unused=("pooler",), add_pooling_layer=False)
    assert "1 unknown: poolers" in message and "pooler.dense" not in message
