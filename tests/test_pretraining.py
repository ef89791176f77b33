"""Pre-training by itself: what is returned, scores at labels only, the start, and mistakes."""

import copy

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_config, draw_labels, gradients, played
from effort import mostly_thorough

from minibert.config import BertConfig
from minibert.fast import score_labeled_words
from minibert.masking import corrupt_tokens
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining, score_words

BATCH = draw_batch(SMALL, seed=0)
BOTH = draw_labels(SMALL, BATCH, seed=0)
WORDS, PAIRS = {"labels": BOTH["labels"]}, {"next_sentence_label": BOTH["next_sentence_label"]}
LABELS = {BertForMaskedLM: WORDS, BertForPreTraining: BOTH}
each_kind = pytest.mark.parametrize("kind", LABELS)


def word_logits(output):
    return output.logits if hasattr(output, "logits") else output.prediction_logits


@pytest.mark.parametrize("labels", [{}, WORDS, PAIRS, BOTH])
def test_each_loss_comes_with_its_labels(labels):
    output = build(SMALL, kind=BertForPreTraining)(**BATCH, **labels)
    assert (output.loss is not None) == bool(labels)
    assert (output.masked_lm_loss is not None) == ("labels" in labels)
    assert (output.next_sentence_loss is not None) == ("next_sentence_label" in labels)


@each_kind
def test_hidden_states_and_attentions_come_on_request(kind):
    model = build(SMALL, kind=kind)
    asked = {"output_attentions": True, "output_hidden_states": True}
    plain, output = model(**BATCH, **LABELS[kind]), model(**BATCH, **LABELS[kind], **asked)
    assert plain.hidden_states is plain.attentions is None
    expected = model.bert(**BATCH, **asked)
    for name in ("hidden_states", "attentions"):
        for own, other in zip(getattr(output, name), getattr(expected, name), strict=True):
            assert torch.equal(own, other)
    assert torch.equal(output.loss, plain.loss)


@each_kind
@pytest.mark.parametrize("seed", mostly_thorough(range(6)))
@pytest.mark.parametrize("training", [False, True])
def test_scoring_labeled_positions_only_changes_no_loss_and_no_gradient(kind, seed, training):
    config = draw_config(seed)
    batch = draw_batch(config, seed)
    labels = draw_labels(config, batch, seed)
    batch |= {name: labels[name] for name in LABELS[kind]}
    model = build(config, seed, kind=kind).train(training)
    results = []
    for scored in (score_words, score_labeled_words):
        model.score_words = scored
        torch.manual_seed(seed)  # the same dropout
        output = model(**batch)
        results.append((output, gradients(model, output.loss)))
    (everywhere, all_grads), (few, few_grads) = results
    close(few.loss, everywhere.loss)
    close(word_logits(few), word_logits(everywhere)[labels["labels"] != -100])
    for name, grad in all_grads.items():
        close(few_grads[name], grad, 1e-12)


@pytest.mark.usefixtures("unchecked")
@each_kind
def test_the_fast_part_plays_in_models_that_are_built_with_it(kind):
    with override({score_words: score_labeled_words}):
        model = played(kind)(SMALL)
    assert model.score_words is score_labeled_words
    with pytest.raises(ValueError, match=r"labels must have the shape \(4, \d+\), not"):
        model(**BATCH, labels=WORDS["labels"][:, 1:])
    with pytest.raises(ValueError, match="no item is labeled"):
        model(**BATCH, labels=torch.full_like(WORDS["labels"], -100))


@each_kind
def test_padding_changes_no_loss(kind):
    model = build(SMALL, kind=kind)
    longer = {
        name: torch.nn.functional.pad(values, (0, 1), value=-100 if name == "labels" else 0)
        for name, values in (BATCH | WORDS).items()
    }
    if kind is BertForPreTraining:
        longer |= PAIRS
    close(model(**longer).loss, model(**BATCH, **LABELS[kind]).loss)


@pytest.mark.slow
@each_kind
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


@each_kind
def test_bfloat16_autocast_stays_near(kind):
    model = build(SMALL, dtype=torch.float32, kind=kind)
    exact = model(**BATCH, **LABELS[kind]).loss
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = model(**BATCH, **LABELS[kind]).loss
    rough.backward()
    close(rough.float(), exact, 0.2)
    assert all(p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
@each_kind
def test_a_gpu_gives_the_same_loss(kind):
    model = build(SMALL, dtype=torch.float32, kind=kind)
    expected = model(**BATCH, **LABELS[kind]).loss
    batch = {name: values.cuda() for name, values in (BATCH | LABELS[kind]).items()}
    moved = copy.deepcopy(model).cuda()
    assert moved.cls.predictions.decoder.weight is moved.bert.embeddings.word_embeddings.weight
    close(moved(**batch).loss.cpu(), expected, 1e-4)


def test_the_input_is_left_as_it_was():
    given = BATCH | BOTH
    before = {name: values.clone() for name, values in given.items()}
    build(SMALL, kind=BertForPreTraining)(**given).loss.backward()
    assert all(torch.equal(given[name], before[name]) for name in given)


ASKED, ANSWERS = WORDS["labels"], PAIRS["next_sentence_label"]
BAD = [
    ({"input_ids": BATCH["input_ids"] + 41}, ValueError, r"input_ids run from 0 to 40 .* not"),
    ({"labels": ASKED.tolist()}, TypeError, "labels must be a tensor, not a list"),
    ({"labels": ASKED[:, 1:]}, ValueError, r"labels must .* \(4, \d+\), not \(4, \d+\); -100"),
    ({"labels": ASKED + 41}, ValueError, r"labels run from 0 to 40, .*, not -?\d+"),
    ({"next_sentence_label": ANSWERS[:, None]}, ValueError, r"shape \(4,\), not \(4, 1\)"),
    ({"next_sentence_label": ANSWERS + 1}, ValueError, "labels run from 0 to 1, .*, not 2"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "error", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, error, words):
    with pytest.raises(error, match=words):
        build(SMALL, kind=BertForPreTraining)(**BATCH | BOTH | changes)
