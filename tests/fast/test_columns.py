"""Matrices by columns: the same numbers, and files that know nothing of it."""

import torch
from bert_pairs import SMALL, build, close

from minibert.fast import store_by_columns
from minibert.model import BertModel
from minibert.pretrained import load_pretrained, save_pretrained
from minibert.pretraining import BertForPreTraining


def matrices(model):
    return {name: x for name, x in model.named_parameters() if x.dim() == 2}


def test_by_columns_every_number_stays_and_results_do():
    model, same = (build(SMALL, kind=BertForPreTraining) for _ in "ab")
    assert store_by_columns(model) is model
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, same.state_dict()[name])
    ids = torch.tensor([[2, 5, 6, 7, 3], [2, 8, 3, 0, 0]])
    batch = {
        "input_ids": ids,
        "attention_mask": (ids != 0).long(),
        "labels": ids.masked_fill(ids != 7, -100),
        "next_sentence_label": torch.tensor([1, 0]),
    }
    losses = [each(**batch).loss for each in (model, same)]
    close(*losses)
    for loss in losses:
        loss.backward()
    for ours, theirs in zip(model.parameters(), same.parameters(), strict=True):
        close(ours.grad, theirs.grad)
    for each in (model, same):
        torch.optim.AdamW(each.parameters(), lr=0.01, fused=True).step()
    for ours, theirs in zip(model.parameters(), same.parameters(), strict=True):
        close(ours, theirs, atol=1e-9)  # the first step of Adam magnifies tiny gradients


def test_by_columns_are_the_matrices_and_not_the_tables():
    model = store_by_columns(build(SMALL, kind=BertForPreTraining))
    tables = [name for name, x in matrices(model).items() if x.is_contiguous()]
    kinds = ("word", "position", "token_type")
    assert tables == [f"bert.embeddings.{kind}_embeddings.weight" for kind in kinds]
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight
    assert all(x.T.is_contiguous() for name, x in matrices(model).items() if name not in tables)
    places = [x.data_ptr() for x in model.parameters()]
    assert [x.data_ptr() for x in store_by_columns(model).parameters()] == places


def test_by_columns_a_file_is_neither_changed_nor_different(tmp_path):
    save_pretrained(build(SMALL), tmp_path / "a")
    weights = (tmp_path / "a" / "model.safetensors").read_bytes()
    model = store_by_columns(load_pretrained(BertModel, tmp_path / "a"))
    with torch.no_grad():
        model.pooler.dense.weight.add_(1).sub_(1)
    assert (tmp_path / "a" / "model.safetensors").read_bytes() == weights
    save_pretrained(store_by_columns(load_pretrained(BertModel, tmp_path / "a")), tmp_path / "b")
    assert (tmp_path / "b" / "model.safetensors").read_bytes() == weights
