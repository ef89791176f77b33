"""Pre-training by itself: scores at labels only, and words for mistakes."""

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch, draw_config, draw_labels, gradients, played
from effort import mostly_thorough

from minibert.fast import score_labeled_words
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining, score_words

BATCH = draw_batch(SMALL, seed=0)
BOTH = draw_labels(SMALL, BATCH, seed=0)
WORDS, PAIRS = {"labels": BOTH["labels"]}, {"next_sentence_label": BOTH["next_sentence_label"]}
LABELS = {BertForMaskedLM: WORDS, BertForPreTraining: BOTH}
each_kind = pytest.mark.parametrize("kind", LABELS)


def word_logits(output):
    return output.logits if hasattr(output, "logits") else output.prediction_logits


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
    with pytest.raises(ValueError, match=r"labels run from 0 to 40, .*, not -?\d+"):
        model(**BATCH, labels=WORDS["labels"] + 41)
    with pytest.raises(ValueError, match="no item is labeled"):
        model(**BATCH, labels=torch.full_like(WORDS["labels"], -100))


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
