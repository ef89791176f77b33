"""Pre-training by itself: what is returned, scores at labels only, the start, and mistakes."""

import copy

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_config, draw_labels, gradients, played
from effort import mostly_slow

from minibert.config import BertConfig
from minibert.fast.labeled import labeled_positions
from minibert.masking import corrupt_tokens
from minibert.parts import use
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

BATCH = draw_batch(SMALL, seed=0)
BOTH = draw_labels(SMALL, BATCH, seed=0)
WORDS, PAIRS = {"labels": BOTH["labels"]}, {"next_sentence_label": BOTH["next_sentence_label"]}
KINDS = [BertForMaskedLM, BertForPreTraining]
LABELS = {BertForMaskedLM: WORDS, BertForPreTraining: BOTH}


# --- What is returned, and scores only where labels are ------------------------------------------


@pytest.mark.parametrize("labels", [{}, WORDS, PAIRS, BOTH])
def test_scores_come_with_labels_and_without(labels):
    model = build(SMALL, kind=BertForPreTraining)
    output, scored = model(**BATCH, **labels), model(**BATCH)
    assert (output.loss is not None) == bool(labels)
    assert (output.masked_lm_loss is not None) == ("labels" in labels)
    assert (output.next_sentence_loss is not None) == ("next_sentence_label" in labels)
    assert torch.equal(output.prediction_logits, scored.prediction_logits)
    assert torch.equal(output.seq_relationship_logits, scored.seq_relationship_logits)
    if "next_sentence_label" in labels:
        return
    model = build(SMALL, kind=BertForMaskedLM)
    output = model(**BATCH, **labels)
    assert (output.loss is not None) == bool(labels)
    assert torch.equal(output.logits, model(**BATCH).logits)


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_states_and_attentions_come_on_request(kind):
    model = build(SMALL, kind=kind)
    plain = model(**BATCH, **LABELS[kind])
    assert plain.hidden_states is None
    assert plain.attentions is None
    output = model(
        **BATCH, **LABELS[kind], output_attentions=True, output_hidden_states=True, return_dict=True
    )
    expected = model.bert(**BATCH, output_attentions=True, output_hidden_states=True)
    for own, other in zip(
        output.hidden_states + output.attentions, expected.hidden_states + expected.attentions
    ):
        assert torch.equal(own, other)
    assert torch.equal(output.loss, plain.loss)


def build_fast(kind, config=SMALL, seed=0):
    """Build the same model so that it scores words at the labeled positions only."""
    model = build(config, seed, kind=kind)
    model.scored_positions = labeled_positions
    return model


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", mostly_slow(range(6)))
@pytest.mark.parametrize("training", [False, True])
def test_scoring_labeled_positions_only_changes_no_loss_and_no_gradient(kind, seed, training):
    config = draw_config(seed)
    batch = draw_batch(config, seed)
    labels = draw_labels(config, batch, seed)
    labels = {name: labels[name] for name in LABELS[kind]}
    results = []
    for model in (build_fast(kind, config, seed), build(config, seed, kind=kind)):
        torch.manual_seed(seed)  # the same dropout
        loss = model.train(training)(**batch, **labels).loss
        results.append((loss, gradients(model, loss)))
    (few, few_grads), (all_of_them, all_grads) = results
    close(few, all_of_them, 1e-12)
    for name, grad in all_grads.items():
        close(few_grads[name], grad, 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_with_the_fast_part_words_are_scored_where_labels_are_and_nowhere_else(kind):
    labeled = int((WORDS["labels"] != -100).sum())
    assert 1 < labeled < WORDS["labels"].numel() / 2
    scores = build_fast(kind)(**BATCH, **LABELS[kind])
    scores = scores.logits if kind is BertForMaskedLM else scores.prediction_logits
    everywhere = build(SMALL, kind=kind)(**BATCH, **LABELS[kind])
    everywhere = everywhere.logits if kind is BertForMaskedLM else everywhere.prediction_logits
    close(scores, everywhere[WORDS["labels"] != -100])
    assert scores.shape == (labeled, SMALL.vocab_size)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("kind", KINDS)
def test_the_fast_part_plays_in_models_that_are_built_with_it(kind):
    with use(scored_positions=labeled_positions):
        model = played(kind)(SMALL)
    assert model.scored_positions is labeled_positions
    with pytest.raises(ValueError, match=r"labels must have the shape \(4, \d+\), not"):
        model(**BATCH, labels=WORDS["labels"][:, 1:])
    with pytest.raises(ValueError, match="no item is labeled"):
        model(**BATCH, labels=torch.full_like(WORDS["labels"], -100))


def test_the_labeled_vectors_come_in_reading_order():
    hidden_states = torch.arange(24.0).view(2, 3, 4)
    labels = torch.tensor([[-100, 7, -100], [0, -100, 5]])
    kept, answers = labeled_positions(hidden_states, labels)
    assert kept.tolist() == hidden_states.view(6, 4)[[1, 3, 5]].tolist()
    assert answers.tolist() == [7, 0, 5]


# --- The start -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_heads_start_as_the_encoder_does(kind):
    torch.manual_seed(0)
    config = BertConfig.tiny(vocab_size=300, initializer_range=0.05, pad_token_id=3)
    model = kind(config)
    dense = model.cls.predictions.transform.dense
    assert abs(dense.weight.std().item() / 0.05 - 1) < 0.05
    if kind is BertForPreTraining:
        assert 0.04 < model.cls.seq_relationship.weight.std() < 0.06
    for name, parameter in model.cls.named_parameters():
        if name.endswith("bias"):
            assert not parameter.any(), name
    assert (model.cls.predictions.transform.LayerNorm.weight == 1).all()
    table = model.bert.embeddings.word_embeddings.weight
    assert not table[3].any()
    assert abs(table[4:].std().item() / 0.05 - 1) < 0.05


def test_a_model_that_has_learned_nothing_answers_by_chance():
    torch.manual_seed(0)
    output = BertForPreTraining(BertConfig.tiny(vocab_size=1000)).eval()(
        **BATCH, **WORDS, next_sentence_label=PAIRS["next_sentence_label"]
    )
    assert abs(output.masked_lm_loss.item() - 6.908) < 0.15
    assert abs(output.next_sentence_loss.item() - 0.693) < 0.15


# --- Use -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_no_loss(kind):
    model = build(SMALL, kind=kind)
    longer = {
        name: torch.nn.functional.pad(values, (0, 1), value=-100 if name == "labels" else 0)
        for name, values in (BATCH | WORDS).items()
    }
    if kind is BertForPreTraining:
        longer |= PAIRS
    close(model(**longer).loss, model(**BATCH, **LABELS[kind]).loss)


def test_a_wrong_answer_of_the_first_pair_counts_as_much_as_one_of_the_last():
    """`ignore_index=0` in one loss for both tasks would silence every pair labeled 0."""
    model = build(SMALL, kind=BertForPreTraining)
    for pair in range(4):
        for label in (0, 1):
            alone = torch.full((4,), -100)
            alone[pair] = label
            loss = model(**BATCH, next_sentence_label=alone).loss
            scores = model(**BATCH).seq_relationship_logits[pair]
            close(loss, -scores.log_softmax(-1)[label])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_riddle_is_learned(kind):
    torch.manual_seed(0)
    model = played(kind)(BertConfig(**dict(vars(SMALL), hidden_dropout_prob=0.0)))
    riddle = corrupt_tokens(
        BATCH["input_ids"],
        vocab_size=41,
        mask_token_id=4,
        special_ids=range(5),
        generator=torch.Generator().manual_seed(1),
    )
    batch = BATCH | riddle._asdict() | (PAIRS if kind is BertForPreTraining else {})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] > 3
    assert losses[-1] < 0.2


@pytest.fixture
def fresh_compiler():
    """Let the compiler forget what it has seen, so that no test depends on another."""
    torch.compiler.reset()
    yield
    torch.compiler.reset()


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked", "fresh_compiler")
def test_the_compiler_sees_one_graph_of_the_scores():
    model = build(SMALL, kind=BertForPreTraining)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    expected, output = model(**BATCH), compiled(**BATCH)
    close(output.prediction_logits, expected.prediction_logits)
    close(output.seq_relationship_logits, expected.seq_relationship_logits)


# The number of labels is not known beforehand: the compiler cuts the graph there, and warns.
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("unchecked", "fresh_compiler")
def test_training_runs_compiled():
    model = build(SMALL, kind=BertForPreTraining)
    compiled = torch.compile(model, backend="aot_eager")
    expected = gradients(model, model(**BATCH, **BOTH).loss)
    compiled(**BATCH, **BOTH).loss.backward()
    for name, parameter in model.named_parameters():
        close(parameter.grad, expected[name])


@pytest.mark.parametrize("kind", KINDS)
def test_bfloat16_autocast_stays_near(kind):
    model = build(SMALL, dtype=torch.float32, kind=kind)
    exact = model(**BATCH, **LABELS[kind]).loss
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(**BATCH, **LABELS[kind]).loss
    rough.backward()
    close(rough.float(), exact, 0.2)
    assert all(p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
@pytest.mark.parametrize("kind", KINDS)
def test_a_gpu_gives_the_same_loss(kind):
    model = build(SMALL, dtype=torch.float32, kind=kind)
    expected = model(**BATCH, **LABELS[kind]).loss
    batch = {name: values.cuda() for name, values in (BATCH | LABELS[kind]).items()}
    moved = copy.deepcopy(model).cuda()
    assert moved.cls.predictions.decoder.weight is moved.bert.embeddings.word_embeddings.weight
    close(moved(**batch).loss.cpu(), expected, 1e-4)


# --- Bad input -----------------------------------------------------------------------------------

IDS, ASKED = BATCH["input_ids"], WORDS["labels"]
ANSWERS = PAIRS["next_sentence_label"]
BAD = [
    ({"input_ids": IDS + 41}, ValueError, r"input_ids run from 0 to 40 .* = 41, not \d+"),
    ({"labels": ASKED.tolist()}, TypeError, "labels must be a tensor, not a list"),
    ({"labels": ASKED.float()}, TypeError, r"labels must be .*int32, not torch\.float32"),
    ({"labels": ASKED[:, 1:]}, ValueError, r"labels must .* \(4, \d+\), not \(4, \d+\); -100"),
    ({"labels": ASKED[0]}, ValueError, r"labels must .* \(4, \d+\), not \(\d+,\); -100"),
    ({"labels": ASKED + 41}, ValueError, r"labels run from 0 to 40, .*, not -?\d+"),
    ({"labels": ASKED * 0 - 1}, ValueError, "labels run from 0 to 40, .*, not -1"),
    ({"labels": torch.full_like(ASKED, -100)}, ValueError, "no item is labeled .* its label"),
]
BAD_PAIRS = [
    ([0, 1, 1, 0], TypeError, "labels must be a tensor, not a l"),
    (ANSWERS[:, None], ValueError, r"labels must have the shape \(4,\), not \(4, 1\)"),
    (ANSWERS + 1, ValueError, "labels run from 0 to 1, .*, not 2"),
    (ANSWERS * 1.0, TypeError, "labels must be .*float32"),
    (torch.full_like(ANSWERS, -100), ValueError, "no item is labeled .*-100.* one its label"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("kind", "changes", "error", "words"),
    [(kind, *case) for kind in KINDS for case in BAD]
    + [(KINDS[1], {"next_sentence_label": given}, *told) for given, *told in BAD_PAIRS],
)
def test_bad_input_is_answered_in_words(kind, changes, error, words):
    with pytest.raises(error, match=words):
        build(SMALL, kind=kind)(**BATCH | LABELS[kind] | changes)


def test_the_input_is_left_as_it_was():
    given = BATCH | BOTH
    before = {name: values.clone() for name, values in given.items()}
    build(SMALL, kind=BertForPreTraining)(**given).loss.backward()
    assert all(torch.equal(given[name], before[name]) for name in given)
