"""Use of a model: batches by tokens, order, modes, and sentence vectors as everybody has them."""

import pytest
import torch
from bert_pairs import SMALL, build, close
from hypothesis import given
from hypothesis import strategies as st

from minibert.tasks import BertForTokenClassification
from minibert.tasks.inference import (
    batch_by_tokens,
    encode_rows,
    mean_pool,
    predict,
    sentence_vectors,
)
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

TINY = WordPieceTokenizer([*SPECIAL_TOKENS, *"abcdef", "##x"])
TEXTS = ["a b c", "a", "bx cx d e f a b c", "", "a b", "f e d c b a a a a a a a a a a a"]


def pooled(output, mask):
    return output.pooler_output


def read(rows):
    return predict(build(SMALL), rows, pooled, pad_token_id=0)


REFUSED = [
    (lambda: sentence_vectors(build(SMALL), TINY, []), "there is no text; give at least one"),
    (lambda: encode_rows(TINY, ["a"], max_length=1), r"\(1\) .* no room for the 2 special tokens"),
    (lambda: batch_by_tokens([1], 0), r"max_tokens \(0\) must be at least 1"),
    (lambda: read(["ab"]), r"row 0 is a text \('ab'\)"),
    (lambda: read([[2, 5, 3]]), r"row 0 \(\[2, 5, 3\]\) is no pair \(ids, segment ids\) of two"),
    (lambda: read([([2, 3], [0])]), r"row 0 .* two lists of one length, at least 1"),
    (lambda: read([([], [])]), r"row 0 .* two lists of one length, at least 1"),
]


@pytest.mark.usefixtures("unchecked")
def test_what_cannot_be_read_is_named():
    for attempt, words in REFUSED:
        with pytest.raises(TypeError if "is a text" in words else ValueError, match=words):
            attempt()


@given(lengths=st.lists(st.integers(1, 50), max_size=40), max_tokens=st.integers(1, 200))
def test_every_row_is_in_one_batch_and_no_batch_is_too_large(lengths, max_tokens):
    batches = batch_by_tokens(lengths, max_tokens)
    assert sorted(row for batch in batches for row in batch) == list(range(len(lengths)))
    longest = [max(lengths[row] for row in batch) for batch in batches]
    for batch, widest in zip(batches, longest, strict=True):
        assert len(batch) * widest <= max_tokens or len(batch) == 1
    for batch, widest, next_widest in zip(batches, longest, longest[1:], strict=False):
        assert (len(batch) + 1) * widest > max_tokens
        assert min(lengths[row] for row in batch) >= next_widest


@pytest.mark.parametrize("max_tokens", [1, 20, 10_000])
def test_each_row_gets_its_own_answer_and_tokens_come_with_their_padding(max_tokens):
    model = build(SMALL, kind=BertForTokenClassification, num_labels=3)
    rows = encode_rows(TINY, TEXTS, TEXTS[::-1], max_length=13)
    options = {"pad_token_id": 0, "max_tokens": max_tokens}
    found = predict(model, rows, lambda output, mask: output.logits, **options)
    for (ids, types), logits in zip(rows, found, strict=True):
        alone = model(torch.tensor([ids]), token_type_ids=torch.tensor([types])).logits[0]
        close(logits[: len(ids)], alone)


def test_there_is_no_dropout_and_every_mode_comes_back_even_if_reading_fails():
    model = build(SMALL).train()
    model.encoder.layer[0].eval()
    before = [part.training for part in model.modules()]
    rows = encode_rows(TINY, TEXTS, max_length=13)
    first, second = (predict(model, rows, pooled, pad_token_id=0) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    with pytest.raises(ValueError, match=r"read\(\) gave 1 entries for a batch of 6 rows"):
        predict(model, rows, lambda output, mask: output.pooler_output[:1], pad_token_id=0)
    assert [part.training for part in model.modules()] == before
    # A part in training mode inside of a model that is not.
    model.eval().encoder.layer[1].train()
    first, second = (predict(model, rows, pooled, pad_token_id=0) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def test_the_mean_takes_tokens_and_no_padding():
    hidden_states = torch.arange(24.0).view(2, 3, 4)
    means = mean_pool(hidden_states, torch.tensor([[1, 1, 0], [1, 1, 1]]))
    assert means.tolist() == [[2, 3, 4, 5], [16, 17, 18, 19]]


def test_vectors_have_length_one_long_texts_are_cut_and_they_may_take_part_in_training():
    vectors = sentence_vectors(build(SMALL), TINY, TEXTS)
    assert not vectors.requires_grad and not vectors.is_inference()
    close(vectors.norm(dim=-1), torch.ones(6, dtype=torch.float64))
    cut = sentence_vectors(build(SMALL), TINY, TEXTS, max_length=6)
    close(cut[1], vectors[1])
    close(cut[5], sentence_vectors(build(SMALL), TINY, ["f e d c"])[0])
