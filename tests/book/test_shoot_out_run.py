"""The record of Chapter 25, measured again in part."""

import json
import statistics

import pytest
import torch

from benchmarks import shoot_out
from benchmarks.shoot_out_apart import APART, OrderedPairs
from benchmarks.shoot_out_ideas import IDEAS, InAWindow, Turned
from benchmarks.shoot_out_members import BERT, HIDDEN, MEMBERS, WINDOW, Words, encode
from minibert.config import BertConfig
from minibert.pretraining import BertForMaskedLM

FILL_BLANKS = [name for name, member in MEMBERS.items() if member.asked == "masked_lm_loss"]


@pytest.fixture(scope="module")
def record():
    return json.loads(shoot_out.RECORD.read_text(encoding="utf-8"))


@pytest.fixture
def batch():
    return shoot_out.batches(7, 0.15, 40)[0]


def runs_of(record, member, part="updates"):
    return [run for run in record["runs"] if (run["member"], run["part"]) == (member, part)]


@pytest.mark.thorough
def test_a_run_repeats(record, one_thread):
    name = "DistilBERT, alone"
    run = next(run for run in runs_of(record, name, "rates") if run["learning_rate"] == 3e-3)
    again = shoot_out.make_run(name, "rates", run["seed"], 3e-3, run["updates"])
    assert again["parameters"] == run["parameters"]
    assert again["masked_lm_loss"] == pytest.approx(run["masked_lm_loss"], abs=0.03)


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


def test_equal_time_is_the_seconds_of_bert(record):
    for name in MEMBERS:
        for run in runs_of(record, name, "time"):
            both = runs_of(record, name), runs_of(record, "BERT")
            seconds, of_bert = (statistics.median(r["seconds"] for r in x) for x in both)
            expected = record["updates"] * of_bert / seconds
            assert run["updates"] == pytest.approx(expected, rel=0.05), name


@pytest.mark.parametrize("name", FILL_BLANKS)
def test_nobody_is_below_the_floor(record, name):
    limit = record["floor"]["value"] - 3 * record["floor"]["error"]
    assert all(run["masked_lm_loss"] > limit for run in runs_of(record, name))


def test_the_head_of_words_is_berts(batch):
    ours = BertForMaskedLM(BertConfig(**BERT)).eval()
    words = Words(ours).eval()
    del batch["next_sentence_label"]
    assert words(**batch).loss.item() == pytest.approx(ours(**batch).loss.item(), rel=1e-5)


def test_a_taught_model_begins_as_every_second_layer_of_its_teacher(batch):
    teacher = MEMBERS["RoBERTa"].build(None)
    student = MEMBERS["DistilBERT, taught"].build(teacher)
    with torch.no_grad():
        teacher.encoder.encoder.layer = teacher.encoder.encoder.layer[::2]
        teacher.encoder.embeddings.token_type_embeddings.weight.zero_()  # it has no segments
        a, b = (
            encode(m.encoder, batch)[batch["attention_mask"].bool()] for m in (student, teacher)
        )
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
    trained = {id(parameter) for parameter in student.parameters()}
    assert trained.isdisjoint(id(parameter) for parameter in teacher.parameters())


def test_the_teacher_counts_in_training_only(batch):
    teacher = MEMBERS["RoBERTa"].build(None)
    student = MEMBERS["DistilBERT, taught"].build(teacher)
    words = student.eval()(**batch).loss.item()
    assert student.train()(**batch).loss.item() != pytest.approx(words, rel=1e-3)


def test_electra_labels_a_lucky_guess_as_original(batch, monkeypatch):
    model = MEMBERS["ELECTRA"].build(None).eval()
    original = batch["labels"][batch["labels"] >= 0]
    monkeypatch.setattr(torch.Tensor, "multinomial", lambda probs, count: original[:, None])
    score = model.detector.discriminator_predictions.dense_prediction
    score.weight.data.zero_()
    score.bias.data.fill_(-20.0)  # everything is original, it says
    assert model(**batch).loss.item() < 1e-6


def test_all_members_give_a_vector_for_every_token(batch):
    for name, member in shoot_out.EVERYBODY.items():
        model = member.build(MEMBERS["RoBERTa"].build(None))
        assert encode(model.encoder, batch).shape == (*batch["input_ids"].shape, HIDDEN), name


def test_intact_pairs_have_no_word_hidden():
    hidden, whole = shoot_out.batches(7, 0.15, 40)[0], shoot_out.intact(7, 40)[0]
    changed = hidden["input_ids"] != whole["input_ids"]
    assert changed.any() and (hidden["labels"][changed] >= 0).all()
    chosen = hidden["labels"] >= 0
    assert torch.equal(whole["input_ids"][chosen], hidden["labels"][chosen])


def test_albert_apart_shares_layers_or_narrows_words():
    both, one, other = (
        shoot_out.EVERYBODY[name].build(None).encoder
        for name in ("ALBERT", "shared layers alone", "narrow words alone")
    )
    layers = one.encoder.layer
    assert layers[0] is layers[1]
    assert one.embeddings.word_embeddings.embedding_dim == HIDDEN
    first, second = other.encoder.layer
    assert first is not second
    sizes = {sum(p.numel() for p in layer.parameters()) for layer in (first, second, layers[0])}
    assert len(sizes) == 1
    narrow = other.embeddings.word_embeddings.embedding_dim
    assert narrow == both.embeddings.word_embeddings.embedding_dim < HIDDEN


def test_half_of_the_ordered_pairs_are_turned():
    batches = shoot_out.batches(7, 0.15, 400, 1, OrderedPairs)
    turned = torch.cat([batch["next_sentence_label"] for batch in batches]).double()
    assert 0.4 < turned.mean() < 0.6
    names = set()
    for batch in batches:
        first = torch.where(batch["labels"] >= 0, batch["labels"], batch["input_ids"])[:, 1]
        names |= {*first[batch["next_sentence_label"] == 0].tolist()}
    assert len(names) == len(shoot_out.corner().heroes.rows)  # a story begins with its hero


def test_the_third_loss_is_one_minus_a_cosine(batch):
    model = APART["DistilBERT, 3 losses"].build(MEMBERS["RoBERTa"].build(None))
    states = encode(model.encoder, batch)
    assert model.more(states, 3 * states, batch).item() == pytest.approx(0, abs=1e-5)
    assert model.more(states, -states, batch).item() == pytest.approx(2, abs=1e-5)


def test_with_rope_alone_only_distances_count(batch):
    model = IDEAS["RoPE alone"].build(None).encoder.eval()
    ids = batch["input_ids"][:1, :6]
    behind = torch.cat([torch.zeros(1, 3, dtype=torch.long), ids], dim=1)
    with torch.no_grad():
        alone = model(ids).last_hidden_state
        shifted = model(behind, (behind != 0).long()).last_hidden_state[:, 3:]
    torch.testing.assert_close(alone, shifted, atol=1e-5, rtol=1e-5)
    attention = Turned(BertConfig(**BERT)).eval()
    x = torch.randn(1, 5, HIDDEN)
    assert not torch.allclose(attention(x)[0], attention(x.flip(1))[0].flip(1), atol=1e-4)


def test_a_window_hides_what_is_further_away_and_nothing_else():
    attention = InAWindow(BertConfig(**BERT)).eval()
    x = torch.randn(1, WINDOW + 2, HIDDEN)
    probs = attention(x, None, True)[1]
    assert (probs[:, :, 0, -1] == 0).all() and (probs[:, :, 0, :-1] > 0).all()
    near = x[:, : WINDOW + 1]
    plain = type(attention).__base__.forward(attention, near)[0]
    torch.testing.assert_close(attention(near)[0], plain)


def test_gates_can_close_and_have_as_many_numbers():
    model, plain = IDEAS["GeGLU alone"].build(None), MEMBERS["RoBERTa"].build(None)
    first, usual = (m.encoder.encoder.layer[0] for m in (model, plain))
    first.intermediate.dense.weight.data.chunk(2)[1].zero_()
    assert not first.intermediate(torch.randn(2, HIDDEN)).any()
    size, expected = (sum(p.numel() for p in layer.parameters()) for layer in (first, usual))
    assert size == pytest.approx(expected, rel=0.02)


def test_with_pre_norm_a_layer_that_says_nothing_changes_nothing():
    layers = IDEAS["pre-norm alone"].build(None).encoder.encoder.layer
    x = torch.randn(1, 4, HIDDEN)
    for layer in layers:
        for dense in (layer.layer.attention.output.dense, layer.layer.output.dense):
            dense.weight.data.zero_()
            dense.bias.data.zero_()
    assert torch.equal(layers[0](x)[0], x)
    torch.testing.assert_close(layers[1](x)[0], layers[1].final_norm(x))


def test_the_start_alone_begins_as_a_taught_model_and_is_told_nothing(batch):
    teacher = MEMBERS["RoBERTa"].build(None)
    started, taught = (
        shoot_out.EVERYBODY[name].build(teacher)
        for name in ("DistilBERT, teacher's start", "DistilBERT, taught")
    )
    for (name, one), other in zip(started.named_parameters(), taught.parameters(), strict=True):
        assert torch.equal(one, other), name
    words = started.eval()(**batch).loss.item()
    assert words == pytest.approx(taught.eval()(**batch).loss.item(), rel=1e-6)
    assert started.train()(**batch).loss.item() == pytest.approx(words, rel=1e-6)


def test_one_layer_gets_the_time_of_a_teacher_and_its_student(record):
    seconds = [
        statistics.median(run["seconds"] for run in runs_of(record, name))
        for name in ("RoBERTa", "DistilBERT, alone")
    ]
    expected = record["updates"] * sum(seconds) / seconds[1]
    runs = runs_of(record, "DistilBERT, alone", "time of both")
    assert [run["seed"] for run in runs] == [*shoot_out.SEEDS]
    assert all(run["updates"] == pytest.approx(expected, abs=5) for run in runs)
