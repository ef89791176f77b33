"""The riddle maker: a second witness, its shares on a million tokens, and its words."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from minibert.masking import corrupt_tokens

UNK, CLS, SEP, MASK = range(1, 5)
VOCAB, MILLION = 1000, 2**20
KNOWN = {"vocab_size": VOCAB, "mask_token_id": MASK, "special_ids": range(5)}


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def corrupt(ids, seed=0, **changes):
    return corrupt_tokens(ids, **{**KNOWN, "generator": seeded(seed)} | changes)


def draw_ids(*shape, seed=0, vocab=VOCAB):
    """Draw words, none of them special."""
    return torch.randint(5, vocab, shape, generator=seeded(seed))


def assert_share(hits, total, share):
    """Fail if a count is further from its mean than a binomial one would ever be."""
    assert total > 0
    spread = math.sqrt(total * share * (1 - share))
    assert abs(int(hits) - total * share) < 4.5 * spread + 1e-9, (int(hits) / total, share)


def corrupt_with_loops(ids, vocab, special, mask, generator, probability):
    """Walk over the tokens with plain Python numbers; the draws come in the same order."""
    choice = torch.rand(len(ids), generator=generator).tolist()
    hidden, labels = [*ids], [-100] * len(ids)
    may = [place for place, word in enumerate(ids) if word not in special]
    if not may:
        return hidden, labels
    fate = torch.rand(len(ids), generator=generator).tolist()
    words = [word for word in range(vocab) if word not in special]
    drawn = torch.randint(len(words), (len(ids),), generator=generator).tolist()
    least = min(choice[place] for place in may)
    for place in may:
        if choice[place] < probability or choice[place] == least:
            labels[place] = ids[place]
            if fate[place] < 0.8:
                hidden[place] = mask
            elif fate[place] < 0.9:
                hidden[place] = words[drawn[place]]
    return hidden, labels


@given(
    seed=st.integers(0, 2**32),
    shape=st.sampled_from([(1,), (9,), (3, 8), (2, 2, 5)]),
    dtype=st.sampled_from([torch.int64, torch.int32]),
    probability=st.sampled_from([0.01, 0.15, 0.5, 1.0]),
    special=st.sets(st.integers(0, 11)),
    mask=st.integers(0, 11),
)
def test_loops_and_tensors_make_the_same_riddle(seed, shape, dtype, probability, special, mask):
    ids = torch.randint(12, shape, generator=seeded(seed)).to(dtype)
    before, chance = ids.clone(), torch.get_rng_state()
    ours = corrupt(
        ids, seed, vocab_size=12, mask_token_id=mask, special_ids=special,
        mlm_probability=probability,
    )  # fmt: skip
    flat = ids.flatten().tolist()
    twins = corrupt_with_loops(flat, 12, special | {mask}, mask, seeded(seed), probability)
    for tensor, twin in zip(ours, twins, strict=True):
        assert tensor.flatten().tolist() == twin
        assert (tensor.shape, tensor.dtype) == (ids.shape, dtype)
    assert torch.equal(ids, before)
    assert torch.equal(torch.get_rng_state(), chance)
    assert len({tensor.data_ptr() for tensor in (ids, *ours)}) == 3


def test_the_same_generator_makes_the_same_riddle_and_goes_on():
    ids, generator = draw_ids(20, 30), seeded(3)
    first = corrupt(ids, generator=generator)
    second = corrupt(ids, generator=generator)
    assert torch.equal(first.labels, corrupt(ids, 3).labels)
    assert not torch.equal(first.labels, second.labels)


def test_fifteen_percent_are_chosen_and_80_10_10_of_them_replaced():
    ids = draw_ids(MILLION // 64, 64)
    hidden, labels = corrupt(ids)
    chosen = labels != -100
    total = int(chosen.sum())
    assert_share(total, MILLION, 0.15)
    masked, changed = hidden[chosen] == MASK, hidden[chosen] != labels[chosen]
    same_word = 1 / (VOCAB - 5)  # a random word may be the true one
    assert_share(masked.sum(), total, 0.8)
    assert_share((changed & ~masked).sum(), total, 0.1 * (1 - same_word))
    assert_share((~changed).sum(), total, 0.1 + 0.1 * same_word)


def test_random_words_are_all_words_alike():
    hidden, labels = corrupt(draw_ids(MILLION, vocab=25), vocab_size=25, mlm_probability=1)
    drawn = hidden[(hidden != MASK) & (hidden != labels)]
    counts = torch.bincount(drawn, minlength=25)
    assert (counts[:5] == 0).all()
    for count in counts[5:]:
        assert_share(count, len(drawn), 1 / 20)


def draw_words(words, seed=0):
    """Draw words of one to four pieces; return ids, who continues, and each piece's word."""
    lengths = torch.randint(1, 5, (words,), generator=seeded(seed))
    word_of = torch.arange(words).repeat_interleave(lengths)
    continues = torch.cat([torch.tensor([False]), word_of[1:] == word_of[:-1]])
    return draw_ids(len(word_of), seed=seed), continues, word_of


def test_the_pieces_of_a_word_are_chosen_together_and_words_by_the_same_chance():
    ids, continues, word_of = draw_words(MILLION // 2)
    assert len(ids) > MILLION
    hidden, labels = corrupt(ids, continues_word=continues)
    chosen = labels != -100
    first = chosen[~continues]
    assert torch.equal(chosen, first[word_of])
    assert_share(first.sum(), len(first), 0.15)
    assert_share((hidden == MASK).sum(), int(chosen.sum()), 0.8)


def test_each_piece_of_a_chosen_word_has_its_own_fate():
    ids, continues, _ = draw_words(20_000)
    hidden, _ = corrupt(ids, continues_word=continues, mlm_probability=1)
    masked = hidden == MASK
    assert_share((masked[1:] & masked[:-1])[continues[1:]].sum(), int(continues[1:].sum()), 0.64)


def test_rows_do_not_share_a_word():
    """The first piece of a row begins a word, even if it is said to continue one."""
    ids, all_continue = draw_ids(2000, 3), torch.ones(2000, 3, dtype=torch.bool)
    chosen = corrupt(ids, continues_word=all_continue).labels != -100
    assert torch.equal(chosen.any(dim=1), chosen.all(dim=1))
    assert_share(chosen[:, 0].sum(), 2000, 0.15)


def test_a_special_token_is_not_chosen_with_its_word():
    ids = torch.tensor([[CLS, 9, UNK, 8, SEP]])
    continues = torch.tensor([[False, False, True, True, False]])
    seen = {tuple(corrupt(ids, s, continues_word=continues).labels[0].tolist()) for s in range(20)}
    assert seen == {(-100, 9, -100, 8, -100)}


@pytest.mark.cuda
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
    ({"special_ids": [2, 1000]}, ValueError, "special_ids run from 0 to 999 .* = 1000, not 1000"),
    ({"mask_token_id": -1}, ValueError, "special_ids run from 0 to 999 .*, not -1"),
    ({"mlm_probability": 0}, ValueError, r"mlm_probability \(0\) must be at least 1e-30 .* 0\.15"),
    ({"mlm_probability": math.nan}, ValueError, r"mlm_probability \(nan\) must be .* at most 1"),
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
