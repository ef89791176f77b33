"""A model in eight bits, its rival that counts pairs, and the figure in which both answer."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch

from bertbook.core.any_sentence import any_sentence
from bertbook.core.bigram_chain import BigramChain
from bertbook.core.eight_bits import load_from_eight_bits, save_in_eight_bits
from bertbook.core.live_scripts import folder_script
from bertbook.corpus.kjv.chapters import kjv_parts
from bertbook.records import record_of, trained_folder
from minibert.config import BertConfig
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

ENGLISH = trained_folder("english")
WORDS = ["the", "cat", "dog", "sleeps", "."]
TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, *WORDS])
CLS, SEP, MASK, THE, CAT, DOG, SLEEPS, STOP = 2, 3, 4, 5, 6, 7, 8, 9
MIDDLES = [THE, CAT, SLEEPS, STOP], [THE, DOG, SLEEPS], [THE, CAT, THE, DOG], [DOG, SLEEPS, STOP]
ROWS = [[CLS, *middle, SEP] for middle in MIDDLES]
CHAIN = BigramChain.count_pairs(ROWS, 10)


@pytest.fixture
def saved(tmp_path):
    """Save a model with random weights, and the same in eight bits."""
    torch.manual_seed(3)
    config = BertConfig.tiny(vocab_size=10, max_position_embeddings=12)
    save_pretrained(BertForPreTraining(config), tmp_path / "whole", TOKENIZER)
    save_in_eight_bits(tmp_path / "whole", tmp_path / "packed")
    return tmp_path


def chance(left, right):
    """Compute p(right | left) by the formula of Chen and Goodman, one pair at a time."""
    counts = Counter(pair for row in ROWS for pair in itertools.pairwise(row))
    once, twice = ([*counts.values()].count(n) for n in (1, 2))
    discount = once / (once + 2 * twice)
    after = [number for (a, _), number in counts.items() if a == left]
    followed = dict.fromkeys(range(10), 0.5)
    for _, b in counts:
        followed[b] += 1
    base = followed[right] / sum(followed.values())
    kept = max(counts[left, right] - discount, 0)
    return (kept + discount * len(after) * base) / sum(after) if after else base


def test_the_chances_after_each_piece_are_kneser_and_ney_s_and_sum_to_one():
    table = [[chance(a, b) for b in range(10)] for a in range(10)]
    assert np.sum(table, axis=1) == pytest.approx(1)
    found = np.outer(CHAIN.rest, CHAIN.base)
    found[CHAIN.left, CHAIN.right] += CHAIN.kept
    np.testing.assert_allclose(found, table, atol=1e-12)


@pytest.mark.parametrize(
    "middle", [[THE, MASK, SLEEPS], [MASK, MASK, STOP], [MASK, DOG, MASK, MASK]]
)
def test_the_answers_are_sums_over_all_ways_to_fill_all_places(middle):
    row = [CLS, *middle, SEP]
    places = [place for place, piece in enumerate(row) if piece == MASK]
    sums = np.zeros((len(places), 10))
    for filled in itertools.product(range(5, 10), repeat=len(places)):
        pieces = iter(filled)
        whole = [next(pieces) if piece == MASK else piece for piece in row]
        weight = np.prod([chance(a, b) for a, b in itertools.pairwise(whole)])
        for n, piece in enumerate(filled):
            sums[n, piece] += weight
    found = CHAIN.answers(row, MASK)
    np.testing.assert_allclose(found, sums / sums.sum(axis=1, keepdims=True), atol=1e-12)


@pytest.mark.slow
def test_the_stored_pairs_are_those_of_the_chapters_that_the_model_has_read():
    tokenizer = load_tokenizer(ENGLISH, do_lower_case=True)
    rows = [tokenizer.encode(verse) for one in kjv_parts().train for verse in one.verses]
    counted = BigramChain.count_pairs(rows, tokenizer.vocab_size)
    stored = BigramChain.load(ENGLISH, tokenizer.vocab_size)
    for name in ("left", "right", "count"):
        np.testing.assert_array_equal(getattr(stored, name), getattr(counted, name))


def test_each_number_is_half_a_step_away_at_most_and_vectors_are_exact(saved):
    whole = load_pretrained(BertForPreTraining, saved / "whole").state_dict()
    packed = load_from_eight_bits(BertForPreTraining, saved / "packed").state_dict()
    assert packed.keys() == whole.keys()
    for name, numbers in whole.items():
        largest = numbers.abs().amax(-1, keepdim=True) if numbers.ndim == 2 else torch.zeros(1)
        assert ((packed[name] - numbers).abs() <= 0.5001 * largest / 127).all(), name
    assert load_tokenizer(saved / "packed").pieces == TOKENIZER.pieces
    with pytest.raises(ValueError, match="whole' is not in eight bits; load_pretrained opens it"):
        load_from_eight_bits(BertForPreTraining, saved / "whole")


def test_the_stored_model_costs_little_and_the_record_says_so():
    for part in ("chapters", "books"):
        measured = record_of("english_page")[part]
        lost = measured["8 bits"]["loss"] - measured["32 bits"]["loss"]
        assert abs(lost) < 0.01 and measured["changed"] < 0.05 and measured["hidden"] > 5000
    assert len(folder_script(ENGLISH).encode()) < 2_500_000


def test_the_first_answer_stands_there_and_the_model_comes_along_in_jupyter_only(
    saved, monkeypatch
):
    CHAIN.save(saved / "packed")
    first, second = "The cat [MASK]. <b>", "the [MASK] sleeps"
    content = any_sentence([first, second], saved / "packed", caption="It loads {size}.").content
    assert f"It loads {len(folder_script(saved / 'packed')) / 1e6:.1f} MB." in content
    assert content.count('class="mb-hide') == 9 and "<b>" not in content
    ids = TOKENIZER.encode(first)
    model = load_from_eight_bits(BertForPreTraining, saved / "packed")
    with torch.no_grad():
        probs = model(torch.tensor([ids])).prediction_logits[0, 3].softmax(-1)
    counted = CHAIN.answers(ids, MASK)[0]
    for name, chances in (("BERT", probs.numpy()), ("counts", counted)):
        piece = TOKENIZER.pieces[chances.argmax()]
        assert f"{name} “{piece}” ({chances.max():.2f})" in content
    with pytest.raises(ValueError, match=r"'the cat' has no \[MASK\]; write it where"):
        any_sentence(["the cat"], saved / "packed", caption="")
    assert "minibert.receive" not in content
    monkeypatch.delenv("BOOK_STORED")
    live = any_sentence([first], saved / "packed", caption="").content
    assert live.count('minibert.receive("packed"') == 1 and "rival:new BigramChain" in live
