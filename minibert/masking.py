"""Fill in the blank: choose the tokens to predict, hide most, and keep the answers. Chapter 11."""

from collections.abc import Collection
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from .inputs import ABOVE_0, require_ids, require_number, require_tensor
from .losses import IGNORED_LABEL

MASKED_SHARE, RANDOM_SHARE = 0.8, 0.1  # of the chosen tokens; the rest stay as they are


class CorruptedTokens(NamedTuple):
    """What corruption makes of a text, named like the arguments of a model.

    The model sees `input_ids`; `labels` are the true ids of chosen tokens, and -100 elsewhere.
    """

    input_ids: Int[Tensor, "*shape"]
    labels: Int[Tensor, "*shape"]


def corrupt_tokens(
    input_ids: Int[Tensor, "*shape"],
    *,
    vocab_size: int,
    mask_token_id: int,
    special_ids: Collection[int],
    generator: torch.Generator,
    mlm_probability: float = 0.15,
    continues_word: Bool[Tensor, "*shape"] | None = None,
) -> CorruptedTokens:
    """Choose 15 % of the tokens of a text to predict, and hide most of them.

    ``labels = where(chosen, input_ids, -100)``. Of the chosen tokens 80 % become [MASK], 10 %
    become a random word and 10 % stay. A special token is neither chosen nor drawn. At least one
    token is chosen if any may be: of a very short text the one with the smallest draw.

    Args:
        input_ids: Ids from 0 to ``vocab_size - 1``, a sentence or a batch; not changed.
        vocab_size: Size of the vocabulary.
        mask_token_id: Id of [MASK]; special, whether `special_ids` name it or not.
        special_ids: Ids that are no words: [PAD], [CLS], [SEP], [MASK], and [UNK] as well, since a
            model with [UNK] as a label learns to predict that it does not know a word.
        generator: The source of chance; the same state gives the same result.
        mlm_probability: Chance of a token to be chosen, above 0 and at most 1.
        continues_word: True for a piece that continues the word of the piece before it. If given,
            the pieces of a word are chosen all together or not at all (whole-word masking).

    Returns:
        The corrupted ids and the labels.

    Source: Devlin et al. (2019), section 3.1, task 1, and appendix A.1.

    Ids 0 to 4 are special here, 4 is [MASK]:

    >>> corrupted = corrupt_tokens(
    ...     torch.tensor([2, 9, 7, 8, 3]), vocab_size=10, mask_token_id=4, special_ids=range(5),
    ...     generator=torch.Generator().manual_seed(1), mlm_probability=0.5,
    ... )
    >>> corrupted.input_ids, corrupted.labels
    (tensor([2, 4, 4, 8, 3]), tensor([-100,    9,    7, -100, -100]))
    """
    special_ids = {mask_token_id, *special_ids}
    require_ids("input_ids", input_ids, vocab_size, "vocab_size")
    require_ids("special_ids", torch.tensor(sorted(special_ids)), vocab_size, "vocab_size")
    candidates = may_be_chosen(input_ids, special_ids)
    chosen = choose_tokens(
        candidates,
        mlm_probability=mlm_probability,
        generator=generator,
        continues_word=continues_word,
    )
    labels = torch.where(chosen, input_ids, IGNORED_LABEL)  # (..., seq), as input_ids
    if not chosen.any():
        return CorruptedTokens(input_ids.clone(), labels)
    words = ordinary_ids(vocab_size, special_ids)  # (words)
    corrupted = replace_tokens(
        input_ids, chosen, words=words, mask_token_id=mask_token_id, generator=generator
    )
    return CorruptedTokens(corrupted, labels)


def may_be_chosen(
    input_ids: Int[Tensor, "*shape"], special_ids: Collection[int]
) -> Bool[Tensor, "*shape"]:
    """Return which of `input_ids` are words, or pieces of words: those not among `special_ids`.

    >>> may_be_chosen(torch.tensor([2, 9, 7, 3, 0]), special_ids=range(5))
    tensor([False,  True,  True, False, False])
    """
    special = torch.tensor(sorted(special_ids), dtype=input_ids.dtype, device=input_ids.device)
    return torch.isin(input_ids, special, invert=True)  # (..., seq)


def choose_tokens(
    candidates: Bool[Tensor, "*shape"],
    *,
    mlm_probability: float,
    generator: torch.Generator,
    continues_word: Bool[Tensor, "*shape"] | None = None,
) -> Bool[Tensor, "*shape"]:
    """Choose each candidate with the same chance, on its own or together with its word.

    One draw between 0 and 1 decides for each token; a piece that continues a word shares that of
    its first piece. The smallest draw wins in any case, so that a short text has a label, too.
    """
    require_number("mlm_probability", mlm_probability, ABOVE_0, 1, "; BERT's is 0.15")
    draws = _draw(candidates, generator)  # (..., seq)
    if continues_word is not None:
        draws = _share_draws(draws, continues_word)
    draws = draws.masked_fill(~candidates, 2)  # later than every other
    return candidates & ((draws < mlm_probability) | (draws == draws.min()))


def ordinary_ids(vocab_size: int, special_ids: Collection[int]) -> Int[Tensor, " words"]:
    """List the ids that can be drawn as a random word: the vocabulary without special tokens."""
    vocabulary = torch.arange(vocab_size)  # (vocab)
    return vocabulary[may_be_chosen(vocabulary, special_ids)]  # (words)


def replace_tokens(
    input_ids: Int[Tensor, "*shape"],
    chosen: Bool[Tensor, "*shape"],
    *,
    words: Int[Tensor, " words"],
    mask_token_id: int,
    generator: torch.Generator,
) -> Int[Tensor, "*shape"]:
    """Hide the chosen tokens: 80 % behind [MASK], 10 % behind one of `words`, 10 % not at all.

    One draw decides: two, one for [MASK] and one for the rest, would easily make other shares.
    """
    draws = _draw(input_ids, generator)  # (..., seq)
    places = torch.randint(
        len(words), input_ids.shape, generator=generator, device=generator.device
    )  # (..., seq)
    random_words = words[places.to(words.device)].to(input_ids)  # (..., seq)
    becomes_mask = draws < MASKED_SHARE
    becomes_random = ~becomes_mask & (draws < MASKED_SHARE + RANDOM_SHARE)
    hidden = torch.where(becomes_random, random_words, input_ids)
    hidden = torch.where(becomes_mask, mask_token_id, hidden)
    return torch.where(chosen, hidden, input_ids)


def _draw(like: Tensor, generator: torch.Generator) -> Float[Tensor, "*shape"]:
    """Draw a number between 0 and 1 for each token, the same ones on every device."""
    if not isinstance(generator, torch.Generator):
        raise TypeError(f"generator ({generator!r}) must be a torch.Generator().manual_seed(0)")
    draws = torch.rand(
        like.shape, generator=generator, device=generator.device, dtype=torch.float32
    )  # (..., seq)
    return draws.to(like.device)


def _share_draws(draws: Tensor, continues_word: Tensor) -> Tensor:
    """Return draws in which every piece of a word has that of its first piece."""
    require_tensor("continues_word", continues_word, [torch.bool], [draws.shape])
    places = torch.arange(draws.shape[-1], device=draws.device)  # (seq)
    places = places.expand(draws.shape)  # (..., seq)
    first_pieces = places.masked_fill(continues_word, 0).cummax(dim=-1).values
    return draws.gather(-1, first_pieces)
