"""The record of Chapter 25, measured again in part."""

import json

import pytest
import torch

from benchmarks import shoot_out
from benchmarks.shoot_out_ideas import IDEAS, InAWindow
from benchmarks.shoot_out_members import BERT, HIDDEN, MEMBERS, WINDOW, encode
from minibert.config import BertConfig


@pytest.fixture(scope="module")
def record():
    return json.loads(shoot_out.RECORD.read_text(encoding="utf-8"))


@pytest.fixture
def batch():
    return shoot_out.batches(7, 0.15, 40)[0]


def runs_of(record, member, part="updates"):
    return [run for run in record["runs"] if (run["member"], run["part"]) == (member, part)]


def test_the_floor_repeats(record, monkeypatch):
    monkeypatch.setattr(shoot_out, "FLOOR_PAIRS", 1000)
    again = shoot_out.limits.__wrapped__()
    assert again["ladder"] == record["ladder"]
    error = again["floor"]["error"] + record["floor"]["error"]
    assert again["floor"]["value"] == pytest.approx(record["floor"]["value"], abs=3 * error)


def test_every_member_has_five_seeds_at_the_rate_that_was_best(record):
    for name in MEMBERS | shoot_out.ALONE:
        runs = runs_of(record, name, "apart" if name in shoot_out.ALONE else "updates")
        assert [run["seed"] for run in runs] == [*shoot_out.SEEDS], name
        best = shoot_out.best_rate(record["runs"], name)
        assert {run["learning_rate"] for run in runs} == {best}
        assert {run["updates"] for run in runs} == {record["updates"]}


def test_a_taught_model_begins_as_every_second_layer_of_its_teacher(batch):
    teacher = MEMBERS["RoBERTa"].build(None)
    student = MEMBERS["DistilBERT, taught"].build(teacher).eval()
    with torch.no_grad():
        teacher.encoder.encoder.layer = teacher.encoder.encoder.layer[::2]
        teacher.encoder.embeddings.token_type_embeddings.weight.zero_()  # it has no segments
        a, b = (
            encode(m.encoder, batch)[batch["attention_mask"].bool()] for m in (student, teacher)
        )
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)


def test_electra_labels_a_lucky_guess_as_original(batch, monkeypatch):
    model = MEMBERS["ELECTRA"].build(None).eval()
    original = batch["labels"][batch["labels"] >= 0]
    monkeypatch.setattr(torch.Tensor, "multinomial", lambda probs, count: original[:, None])
    score = model.detector.discriminator_predictions.dense_prediction
    score.weight.data.zero_()
    score.bias.data.fill_(-20.0)  # everything is original, it says
    assert model(**batch).loss.item() < 1e-6


def test_with_rope_alone_only_distances_count(batch):
    model = IDEAS["RoPE alone"].build(None).encoder.eval()
    ids = batch["input_ids"][:1, :6]
    behind = torch.cat([torch.zeros(1, 3, dtype=torch.long), ids], dim=1)
    with torch.no_grad():
        alone = model(ids).last_hidden_state
        shifted = model(behind, (behind != 0).long()).last_hidden_state[:, 3:]
    torch.testing.assert_close(alone, shifted, atol=1e-5, rtol=1e-5)


def test_a_window_hides_what_is_further_away_and_nothing_else():
    attention = InAWindow(BertConfig(**BERT)).eval()
    x = torch.randn(1, WINDOW + 2, HIDDEN)
    probs = attention(x, None, True)[1]
    assert (probs[:, :, 0, -1] == 0).all() and (probs[:, :, 0, :-1] > 0).all()
    near = x[:, : WINDOW + 1]
    plain = type(attention).__base__.forward(attention, near)[0]
    torch.testing.assert_close(attention(near)[0], plain)


def test_with_pre_norm_a_layer_that_says_nothing_changes_nothing():
    layers = IDEAS["pre-norm alone"].build(None).encoder.encoder.layer
    x = torch.randn(1, 4, HIDDEN)
    for layer in layers:
        for dense in (layer.layer.attention.output.dense, layer.layer.output.dense):
            dense.weight.data.zero_()
            dense.bias.data.zero_()
    assert torch.equal(layers[0](x)[0], x)
    torch.testing.assert_close(layers[1](x)[0], layers[1].final_norm(x))
