"""The riddle maker: a second witness, its promises about special tokens, its edges, its words."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from riddles import (
    CLS,
    KNOWN,
    MASK,
    MILLION,
    PAD,
    SEP,
    UNK,
    assert_share,
    corrupt,
    draw_ids,
    seeded,
)

from minibert.masking import (
    choose_tokens,
    corrupt_tokens,
    may_be_chosen,
    ordinary_ids,
    replace_tokens,
)
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

# --- A second witness ----------------------------------------------------------------------------


def corrupt_with_loops(ids, vocab, special, mask, generator, probability):
    """Walk over the tokens with plain Python numbers; the draws come in the same order."""
    rows, seq = len(ids), len(ids[0])
    choice = torch.rand((rows, seq), generator=generator).tolist()
    fate = torch.rand((rows, seq), generator=generator).tolist()
    words = [word for word in range(vocab) if word not in special]
    places = torch.randint(len(words), (rows, seq), generator=generator).tolist()
    least = min(c for r, cs in enumerate(choice) for t, c in enumerate(cs)
                if ids[r][t] not in special)  # fmt: skip
    hidden, labels = [list(row) for row in ids], [[-100] * seq for _ in ids]
    for r in range(rows):
        for t in range(seq):
            lucky = choice[r][t] < probability or choice[r][t] == least
            if ids[r][t] in special or not lucky:
                continue
            labels[r][t] = ids[r][t]
            if fate[r][t] < 0.8:
                hidden[r][t] = mask
            elif fate[r][t] < 0.9:
                hidden[r][t] = words[places[r][t]]
    return hidden, labels


@given(
    seed=st.integers(0, 2**32),
    rows=st.integers(1, 4),
    seq=st.integers(1, 12),
    probability=st.sampled_from([0.01, 0.15, 0.5, 1.0]),
    special=st.sampled_from([{0, 1, 2, 3, 4}, {2, 9, 11}, {0, 2, 3}]),
)
def test_loops_and_tensors_make_the_same_riddle(seed, rows, seq, probability, special):
    ids = torch.randint(12, (rows, seq), generator=seeded(seed))
    mask = max(special)
    ids[0, 0] = 7  # no special token in any of the sets
    ours = corrupt(
        ids, seed, vocab_size=12, mask_token_id=mask, special_ids=special,
        mlm_probability=probability,
    )  # fmt: skip
    hidden, labels = corrupt_with_loops(ids.tolist(), 12, special, mask, seeded(seed), probability)
    assert ours.input_ids.tolist() == hidden
    assert ours.labels.tolist() == labels


# --- Promises ------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**32),
    shape=st.sampled_from([(1,), (9,), (3, 8), (2, 2, 5)]),
    probability=st.floats(0.01, 1.0),
    special=st.sets(st.integers(0, 29), max_size=29),
    mask=st.integers(0, 29),
)
def test_what_any_riddle_promises(seed, shape, probability, special, mask):
    ids = torch.randint(30, shape, generator=seeded(seed))
    before = ids.clone()
    hidden, labels = corrupt(
        ids, seed, vocab_size=30, mask_token_id=mask, special_ids=special,
        mlm_probability=probability,
    )  # fmt: skip
    special = torch.tensor(sorted(special | {mask}))
    is_special, chosen = torch.isin(ids, special), labels != -100
    assert torch.equal(ids, before)
    assert hidden.shape == labels.shape == ids.shape
    assert hidden.dtype == labels.dtype == ids.dtype
    assert torch.equal(labels[chosen], ids[chosen])
    assert torch.equal(hidden[~chosen], ids[~chosen])
    assert not (chosen & is_special).any()
    assert chosen.any() == (~is_special).any()
    shown = hidden[chosen]
    assert ((shown == mask) | ~torch.isin(shown, special)).all()


def test_the_same_generator_makes_the_same_riddle_and_goes_on():
    ids, generator = draw_ids(20, 30), seeded(3)
    first = corrupt(ids, generator=generator)
    second = corrupt(ids, generator=generator)
    again = corrupt(ids, 3)
    assert torch.equal(first.input_ids, again.input_ids)
    assert torch.equal(first.labels, again.labels)
    assert not torch.equal(first.labels, second.labels)


def test_no_chance_comes_from_anywhere_else():
    torch.manual_seed(0)
    before = torch.get_rng_state()
    corrupt(draw_ids(20, 30))
    assert torch.equal(torch.get_rng_state(), before)


def test_the_result_shares_nothing_with_the_input():
    for ids in (draw_ids(3, 8), torch.full((3, 8), PAD)):
        hidden, labels = corrupt(ids)
        assert len({tensor.data_ptr() for tensor in (ids, hidden, labels)}) == 3


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_the_type_of_the_ids_stays(dtype):
    hidden, labels = corrupt(draw_ids(40).to(dtype), mlm_probability=1)
    assert hidden.dtype == labels.dtype == dtype


def test_the_mask_token_is_special_even_if_nobody_says_so():
    ids = torch.tensor([9, MASK, 9, MASK])
    hidden, labels = corrupt(ids, special_ids=[], mlm_probability=1)
    assert labels.tolist() == [9, -100, 9, -100]
    hidden, _ = corrupt(draw_ids(MILLION), special_ids=[0], vocab_size=2000, mlm_probability=1)
    assert_share((hidden == MASK).sum(), MILLION, 0.8)


def test_unknown_words_are_not_asked_for():
    ids = torch.tensor([CLS, UNK, 9, UNK, SEP])
    for seed in range(50):
        hidden, labels = corrupt(ids, seed, mlm_probability=1)
        assert labels.tolist() == [-100, -100, 9, -100, -100]
        assert (hidden[[0, 1, 3, 4]] == ids[[0, 1, 3, 4]]).all()


def test_with_a_tokenizer():
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "rome", "is", "the", "capital", "##s"])
    batch = tokenizer(["Rome is the capital", "rome"], ["the capitals of Rome", "is"])
    hidden, labels = corrupt_tokens(
        batch["input_ids"],
        vocab_size=tokenizer.vocab_size,
        mask_token_id=tokenizer.mask_token_id,
        special_ids=[tokenizer.vocab[token] for token in SPECIAL_TOKENS],
        generator=seeded(1),
        mlm_probability=0.6,
    )
    assert (hidden == tokenizer.mask_token_id).any()
    assert (labels[batch["attention_mask"] == 0] == -100).all()
    assert (labels[batch["input_ids"] == tokenizer.unk_token_id] == -100).all()
    assert tokenizer.decode(torch.where(labels == -100, hidden, labels)[0]) == (
        tokenizer.decode(batch["input_ids"][0])
    )


# --- Edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "vocab"),
    [
        ([[CLS, SEP]], 1000),
        ([[PAD, PAD, PAD], [PAD, PAD, PAD]], 1000),
        ([[CLS, UNK, SEP, PAD], [CLS, MASK, SEP, PAD]], 1000),
        ([[CLS, UNK, SEP]], 5),
    ],
)
def test_where_all_is_special_nothing_happens(ids, vocab):
    ids = torch.tensor(ids)
    hidden, labels = corrupt(ids, vocab_size=vocab, mlm_probability=1)
    assert torch.equal(hidden, ids)
    assert (labels == -100).all()


def test_a_vocabulary_of_one_word():
    hidden, labels = corrupt(torch.full((1000,), 5), vocab_size=6, mlm_probability=1)
    assert set(hidden.tolist()) == {MASK, 5}
    assert (labels == 5).all()


def test_a_sentence_of_one_word_asks_for_it_every_time():
    ids = torch.tensor([[CLS, 9, SEP]])
    assert all(corrupt(ids, seed).labels[0, 1] == 9 for seed in range(100))


def test_a_batch_always_asks_for_something_and_a_row_not_always():
    ids = torch.tensor([[CLS, 9, SEP], [CLS, 8, SEP]])
    counts = [[int((row != -100).sum()) for row in corrupt(ids, s).labels] for s in range(200)]
    assert all(sum(rows) >= 1 for rows in counts)
    assert [0, 1] in counts and [1, 0] in counts and [1, 1] in counts


@pytest.mark.slow
def test_in_a_short_text_every_word_has_the_same_chance():
    chosen = torch.stack(
        [corrupt(torch.tensor([CLS, 9, 8, 7, SEP]), seed).labels != -100 for seed in range(1000)]
    )
    expected = 0.15 + 0.85**3 / 3  # drawn, or the least of three that were not
    assert not chosen[:, [0, 4]].any()
    for word in (1, 2, 3):
        assert_share(chosen[:, word].sum(), 1000, expected)


# --- The parts -----------------------------------------------------------------------------------


def test_candidates_are_what_is_not_special_and_without_them_nothing_is_chosen():
    ids = torch.tensor([[CLS, 9, MASK], [5, UNK, PAD]])
    expected = [[False, True, False], [True, False, False]]
    assert may_be_chosen(ids, range(5)).tolist() == expected
    assert may_be_chosen(ids, frozenset()).all()
    none = torch.zeros(2, 3, dtype=torch.bool)
    assert not choose_tokens(none, mlm_probability=1, generator=seeded()).any()


def test_ordinary_ids_leave_out_the_special_ones_wherever_they_are():
    assert ordinary_ids(8, [0, 3, 7]).tolist() == [1, 2, 4, 5, 6]
    assert ordinary_ids(3, range(5)).tolist() == []
    assert ordinary_ids(3, range(5)).dtype == torch.int64


def test_only_chosen_tokens_are_replaced():
    ids = draw_ids(1000)
    chosen = torch.arange(1000) % 3 == 0
    hidden = replace_tokens(
        ids, chosen, words=torch.tensor([2000]), mask_token_id=MASK, generator=seeded()
    )
    assert torch.equal(hidden[~chosen], ids[~chosen])
    assert {MASK, 2000} < set(hidden[chosen].tolist())


# --- Other ways to run it, and bad input ---------------------------------------------------------


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here")
def test_a_gpu_makes_the_same_riddle():
    ids = draw_ids(20, 30)
    expected, on_gpu = corrupt(ids), corrupt(ids.cuda())
    assert on_gpu.input_ids.is_cuda
    assert torch.equal(on_gpu.input_ids.cpu(), expected.input_ids)
    assert torch.equal(on_gpu.labels.cpu(), expected.labels)


IDS = draw_ids(2, 6)
BAD = [
    ({"input_ids": IDS.tolist()}, TypeError, "input_ids must be a tensor, not a list"),
    ({"input_ids": IDS.double()}, TypeError, r"torch\.int64 or torch\.int32, not torch\.float64"),
    ({"input_ids": IDS[:0]}, ValueError, r"input_ids of shape \(0, 6\) must not be empty"),
    ({"input_ids": IDS + 1000}, ValueError, r"input_ids run from 0 to 999 .* = 1000, not 1\d+"),
    ({"input_ids": IDS * 0 + 1000}, ValueError, "input_ids run from 0 to 999 .*, not 1000"),
    ({"input_ids": IDS * 0 - 1}, ValueError, "input_ids run from 0 to 999 .*, not -1"),
    ({"input_ids": IDS - 1000}, ValueError, r"input_ids run from 0 to 999 .*, not -\d+"),
    ({"special_ids": [2, 1000]}, ValueError, "special_ids run from 0 to 999 .* = 1000, not 1000"),
    ({"mask_token_id": -1}, ValueError, "special_ids run from 0 to 999 .*, not -1"),
    ({"mlm_probability": 0}, ValueError, r"mlm_probability \(0\) must be at least 1e-30 .* 0\.15"),
    ({"mlm_probability": 15}, ValueError, r"mlm_probability \(15\) must be .* at most 1"),
    ({"mlm_probability": math.nan}, ValueError, r"mlm_probability \(nan\)"),
    ({"generator": None}, TypeError, r"generator \(None\) must be a torch\.Generator"),
    ({"generator": 0}, TypeError, r"generator \(0\) must be a torch\.Generator"),
    ({"continues_word": IDS[0] > 0}, ValueError, r"continues_word .* \(2, 6\), not \(6,\)"),
    ({"continues_word": IDS}, TypeError, r"continues_word must be torch\.bool, not torch\.int64"),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("changes", "error", "words"), BAD)
def test_bad_input_is_answered_in_words(changes, error, words):
    arguments = {"input_ids": IDS, **KNOWN, "generator": seeded()} | changes
    with pytest.raises(error, match=words):
        corrupt_tokens(arguments.pop("input_ids"), **arguments)
    with pytest.raises(TypeError, match="generator"):
        corrupt_tokens(IDS, **KNOWN)  # chance has no default
