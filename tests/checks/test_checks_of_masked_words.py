"""The exercises of Chapter 11: right answers pass, and what is wrong with a corruption is said."""

import inspect

import pytest
import torch

from bertbook.topics.masked_words.corruption import check_corrupt_tokens
from minibert.masking import corrupt_tokens


def test_right_answers_pass_however_they_are_written():
    assert check_corrupt_tokens(corrupt_tokens).passed
    assert check_corrupt_tokens(reader()).passed


OF_LOOPS = ("token by token", "two pieces", "fate of a word")


def reader(*slips):
    """Write the corruption as a reader would, who makes some mistakes."""

    def my_corrupt_tokens(input_ids, *, vocab_size, mask_token_id, special_ids, generator,
                          mlm_probability=0.15, continues_word=None):  # fmt: skip
        device = None if "on the CPU" in slips else input_ids.device

        def rand(shape=input_ids.shape):
            source = None if "global" in slips else generator
            there = device if "draws there" in slips else None
            return torch.rand(shape, generator=source, device=there).to(device)

        if "two axes" in slips:
            _batch, _seq = input_ids.shape
        known = [*special_ids] if "given ids" in slips else [mask_token_id, *special_ids]
        special = torch.isin(input_ids, torch.tensor(known, device=device))
        if "small ids" in slips:
            special = input_ids < 5
        if "asks special" in slips:
            special = special & False
        choice, fate = rand(), rand()
        if "along the batch" in slips and input_ids.dim() == 1:
            choice = choice.flip(0)
        if "one row" in slips:
            choice = choice[:1].expand(input_ids.shape).clone()
        if continues_word is not None and not {"torn", *OF_LOOPS} & {*slips}:
            begins = torch.arange(input_ids.shape[-1], device=device) * ~continues_word
            choice = choice.gather(-1, begins.cummax(dim=-1).values)
        elif continues_word is not None and "torn" not in slips:
            draws = choice.clone()
            for k in range(1, input_ids.shape[-1]):
                before = (draws if "two pieces" in slips else choice)[..., k - 1]
                choice[..., k] = torch.where(continues_word[..., k], before, choice[..., k])
                if "fate of a word" in slips:
                    fate = fate.where(~continues_word, fate.roll(1, -1))
        choice = choice.masked_fill(special, 2)
        share = 0.15 if "own share" in slips else mlm_probability
        if "fate first" in slips:
            choice, fate = fate.masked_fill(special, 2), choice
        if "one draw" in slips:
            fate = choice / share
        if "another fate" in slips:
            fate = rand()
        if "another word" in slips:
            rand()
        chosen = choice < share
        if "special if nothing else" in slips:
            chosen = chosen | (choice == choice.min())
        elif "smallest word" in slips:
            chosen = chosen | (choice == choice[~special].min())
        elif "each row" in slips:
            chosen = chosen | (choice == choice.amin(-1, keepdim=True)) & ~special
        elif "no minimum" not in slips:
            chosen = chosen | (choice == choice.min()) & ~special
        words = [i for i in range(vocab_size - ("last" in slips)) if i not in known]
        words = range(5, vocab_size) if "first five" in slips else words
        words = range(vocab_size) if "draws special" in slips else words
        words = input_ids[~special].unique().tolist() if "words of the text" in slips else words
        lots = torch.randint(len(words), input_ids.shape, generator=generator)
        lots = torch.tensor(words)[lots if "one word" not in slips else lots * 0]
        lots = lots if "words on the CPU" in slips else lots.to(device)
        seen = _fates(input_ids, fate, rand, lots, mask_token_id, slips)
        labels = torch.where(chosen, seen if "mask as label" in slips else input_ids, -100)
        if "all labels" in slips:
            labels = input_ids.clone()
        if "no label of what stays" in slips:
            labels = torch.where(seen != input_ids, labels, -100)
        if "no label of the last fate" in slips:
            labels = torch.where(fate < 0.9, labels, -100)
        if "zeros" in slips:
            labels = labels.clamp(min=0)
        if "everywhere" not in slips:
            seen = torch.where(chosen, seen, input_ids)
        if "in place" in slips:
            input_ids.copy_(seen)
        if "answers first" in slips:
            seen, labels = labels, seen
        return seen if "no labels" in slips else (seen, labels)

    return my_corrupt_tokens


def _fates(ids, fate, rand, lots, mask_id, slips):
    masked, swapped = fate < 0.8, (fate >= 0.8) & (fate < 0.9)
    if "two draws" in slips:
        swapped = rand() < 0.1
        masked = masked & ~swapped
    if "keep first" in slips:
        kept = fate < 0.1
        swapped = ~kept & (rand() < 0.1)
        masked = ~kept & ~swapped
    if "swap first" in slips:
        swapped = fate < 0.1
        masked = ~swapped & (rand() >= 0.1)
    if "of the rest" in slips:
        swapped = (fate >= 0.8) & (fate < 0.82)
    if "no random" in slips:
        swapped = swapped & False
    if "all" in slips:
        masked = masked | True
    if "second border" in slips:
        swapped = fate < 0.1
        masked = masked & ~swapped
    if "ninety" in slips:
        masked = fate < 0.9
    return torch.where(masked, mask_id, torch.where(swapped, lots, ids))


@pytest.mark.parametrize(
    ("slip", "words"),
    [
        ("in place", "The caller's ids have changed"),
        ("everywhere", "A token without a label has changed"),
        ("asks special", "Special tokens are chosen"),
        ("answers first", "Which of the two results comes first?"),
        ("all labels", "Every token has a label"),
        ("words of the text", "Draw random words from the whole vocabulary"),
        ("zeros", "the label is -100; yours is 0"),
        ("mask as label", "the true id; yours is that of [MASK]"),
        ("draws special", "A special token was drawn as a random word"),
        ("last", "The last word, 199, is never drawn"),
        ("global", "Chance does not come from the generator alone"),
        ("one row", "All rows have the same tokens chosen"),
        ("own share", "0.150 of the words are chosen; it should be mlm_probability, 0.4"),
        ("two draws", "A random word strikes masked tokens, too"),
        ("second border", "A random word strikes masked tokens, too"),
        ("no label of what stays", "Where is the label of what stays?"),
        ("no label of the last fate", "Where is the label of what stays?"),
        ("one word", "All random words are the same"),
        ("fate of a word", "Has each its fate?"),
        ("keep first", "You draw for what stays, then for the random word"),
        ("swap first", "You draw for the random word, then for what stays"),
        ("of the rest", "a tenth of all chosen tokens, not of the rest"),
        ("no random", "No chosen token becomes a random word"),
        ("all", "All chosen tokens become [MASK]"),
        ("ninety", "0.899, 0.000, 0.101, not 0.8, 0.1, 0.1"),
        ("no minimum", "Choose the word with the smallest draw in any case"),
        ("each row", "that of the whole batch, or of each row?"),
        ("fate first", "With the same seed you choose other tokens than the loop"),
        ("one draw", "Where is the second draw?"),
        ("another fate", "their fates are not"),
        ("another word", "the random words are not"),
        ("torn", "a word is torn apart"),
        ("two pieces", "a word of three pieces is torn apart"),
        ("first five", "77 is drawn as a random word"),
        ("given ids", "A [MASK] in the text is chosen"),
        ("small ids", "77 is chosen"),
        ("two axes", "For a single sentence, ids of shape (400,), it stopped with"),
        ("along the batch", "the tokens are not those of the loop"),
        ("token by token", "but you go from token to token"),
        ("smallest word", "such as [CLS] [SEP], stopped it with RuntimeError"),
        ("special if nothing else", "such as [CLS] [SEP], should come back as it is"),
        ("on the CPU", "With ids on a GPU it would stop: isin gets tensors on"),
        ("draws there", "rand draws there, and its generator is on the CPU"),
        ("words on the CPU", "With ids on a GPU it would stop: where gets tensors on"),
        ("no labels", "Return two tensors: the ids that the model sees, and the labels"),
    ],
)
def test_a_slip_is_named(slip, words):
    verdict = check_corrupt_tokens(reader(slip))
    assert not verdict.passed
    assert words in verdict.message


def test_what_chapter_12_leaves_out_has_a_default():
    right = reader()

    def asks_for_all(input_ids, vocab_size, mask_token_id, special_ids, generator,
                     mlm_probability, continues_word):  # fmt: skip
        return right(input_ids, vocab_size=vocab_size, mask_token_id=mask_token_id,
                     special_ids=special_ids, generator=generator,
                     mlm_probability=mlm_probability, continues_word=continues_word)  # fmt: skip

    def another_share(ids, mlm_probability=0.5, **named):
        return right(ids, mlm_probability=mlm_probability, **named)

    assert "Which two arguments have defaults?" in check_corrupt_tokens(asks_for_all).message
    other = another_share
    other.__signature__ = inspect.signature(right)
    assert "What is its default?" in check_corrupt_tokens(other).message


def test_a_skeleton_and_other_arguments():
    def my_corrupt_tokens(input_ids, *, vocab_size, mask_token_id, special_ids, generator,
                          mlm_probability=0.15, continues_word=None):  # fmt: skip
        ...

    assert "returns nothing yet" in check_corrupt_tokens(my_corrupt_tokens).message
    told = check_corrupt_tokens(lambda ids: ids).message
    assert "it must take input_ids, vocab_size, mask_token_id, special_ids, generator" in told


def test_another_error_is_explained():
    def my_corrupt_tokens(input_ids, **named):
        return torch.where(named["chosen"], input_ids, 0)

    assert "stopped with KeyError: 'chosen'" in check_corrupt_tokens(my_corrupt_tokens).message
