"""The ids of special tokens, and what else only other programs ask for, survive saving."""

import json

import pytest
import torch
import transformers
from bert_pairs import build as build_bert
from bert_pairs import draw_config
from family_pairs import MEMBERS, build, build_theirs

import bertfamily as family
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel

IDS = {"bos_token_id": 11, "eos_token_id": 12, "cls_token_id": 13, "sep_token_id": 14}
FIRST = ["roberta", "distilbert", "albert", "deberta v3", "electra", "modernbert"]
OTHERS = {
    "distilbert": {"sinusoidal_pos_embds": True},
    "electra": {"summary_type": "mean", "summary_use_proj": False, "summary_last_dropout": 0.3},
}


def reopened(folder):
    return transformers.AutoConfig.from_pretrained(folder)


@pytest.mark.parametrize("name", FIRST)
def test_what_transformers_saved_it_finds_again(tmp_path, name):
    fields = IDS | OTHERS.get(name, {})
    build_theirs(MEMBERS[name], torch.float32, **fields).save_pretrained(tmp_path / "theirs")
    kind = getattr(family, f"{MEMBERS[name].name}Model")
    save_pretrained(load_pretrained(kind, tmp_path / "theirs"), tmp_path / "ours")
    config = reopened(tmp_path / "ours")
    assert {key: getattr(config, key) for key in fields} == fields


def test_the_encoder_of_a_bert_keeps_them_too(tmp_path):
    save_pretrained(build_bert(draw_config(3)), tmp_path)
    path = tmp_path / "config.json"
    fields = json.loads(path.read_text("utf-8")) | {"eos_token_id": 3, "bos_token_id": 99}
    path.write_text(json.dumps(fields), encoding="utf-8")
    model = load_pretrained(BertModel, tmp_path)
    save_pretrained(model, tmp_path / "again")
    config = reopened(tmp_path / "again")
    assert model.config.vocab_size <= 99
    assert (config.eos_token_id, config.bos_token_id) == (3, None)


@pytest.mark.parametrize("name", FIRST)
def test_a_new_model_has_no_id_beyond_its_vocabulary(tmp_path, name):
    model = build(MEMBERS[name])
    save_pretrained(model, tmp_path)
    config = reopened(tmp_path)
    ids = {key: getattr(config, key, None) for key in (*IDS, "pad_token_id")}
    assert all(number is None or number < model.config.vocab_size for number in ids.values()), ids
