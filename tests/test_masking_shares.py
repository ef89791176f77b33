"""The shares of the riddle maker, on a million tokens and more; single tokens and whole words."""

import pytest
import torch
from riddles import CLS, MASK, MILLION, SEP, UNK, VOCAB, assert_share, corrupt, draw_ids, seeded

# --- Shares --------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("probability", [0.01, 0.15, 0.4])
def test_the_share_of_chosen_tokens_is_the_one_asked_for(probability):
    chosen = corrupt(draw_ids(MILLION), mlm_probability=probability).labels != -100
    assert_share(chosen.sum(), MILLION, probability)


def test_of_a_million_chosen_tokens_it_is_80_10_10_and_not_81_10_9():
    ids = torch.full((MILLION,), 7)
    hidden, labels = corrupt(ids, vocab_size=100_005, mlm_probability=1)
    assert torch.equal(labels, ids)
    assert_share((hidden == MASK).sum(), MILLION, 0.8)
    assert_share((hidden == 7).sum(), MILLION, 0.1 + 0.1 / 100_000)
    assert abs((hidden == MASK).sum() / MILLION - 0.81) > 0.008
    assert abs((hidden == 7).sum() / MILLION - 0.09) > 0.008


def test_random_words_are_all_words_alike():
    hidden, labels = corrupt(draw_ids(MILLION, vocab=25), vocab_size=25, mlm_probability=1)
    drawn = hidden[(hidden != MASK) & (hidden != labels)]
    counts = torch.bincount(drawn, minlength=25)
    assert (counts[:5] == 0).all()
    for count in counts[5:]:
        assert_share(count, len(drawn), 1 / 20)


def test_every_place_and_every_word_is_chosen_alike():
    ids = draw_ids(MILLION // 64, 64, vocab=25)
    chosen = corrupt(ids, vocab_size=25).labels != -100
    for column in chosen.T:
        assert_share(column.sum(), len(column), 0.15)
    for word in range(5, 25):
        here = chosen[ids == word]
        assert_share(here.sum(), len(here), 0.15)


def test_neighbors_are_chosen_and_hidden_independently():
    hidden, labels = corrupt(draw_ids(MILLION), mlm_probability=0.4)
    chosen, masked = labels != -100, hidden == MASK
    assert_share((chosen[1:] & chosen[:-1]).sum(), MILLION - 1, 0.16)
    pairs = chosen[1:] & chosen[:-1]
    assert_share((masked[1:] & masked[:-1])[pairs].sum(), int(pairs.sum()), 0.64)


# --- Whole words ---------------------------------------------------------------------------------


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
