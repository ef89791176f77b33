"""Exercises of Chapter 11: how far to trust a word, and the corruption of a whole text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from minibert.losses import IGNORED_LABEL
from minibert.parts.contracts import require_contract

from .exercise import Exercise, Mistake
from .slips import usual_slip
from .verdict import Verdict

_MASK_ID = 4
_RNG = np.random.default_rng(11)


def _at_words(seen, labels, mask_id):
    return (labels != IGNORED_LABEL) & (seen != mask_id)


def _rate_error(p, n):
    return np.sqrt(p * (1 - p) / n)


def _trust(seen, labels, mask_id, *, among=_at_words, right=np.equal, error=_rate_error):
    """Measure how often a word that is asked about and shown is the true one."""
    places = among(seen, labels, mask_id)
    p = right(seen[places], labels[places]).mean()
    return p, error(p, places.sum())


def _trust_case(shape):
    true, lots = _RNG.integers(5, 60, shape), _RNG.integers(60, 99, shape)
    draws, asked = _RNG.random(shape), _RNG.random(shape) < 0.6
    seen = np.where(draws < 0.5, _MASK_ID, np.where(draws < 0.7, lots, true))
    return np.where(asked, seen, true), np.where(asked, true, IGNORED_LABEL), _MASK_ID


check_trust = Exercise(
    "Measure how often the word at an asked place is the true one, and the standard error.",
    _trust,
    cases=[_trust_case((20,)), _trust_case((4, 12)), _trust_case((9, 30))],
    mistakes=[
        Mistake({"among": lambda seen, labels, mask_id: labels != IGNORED_LABEL}, "You count the "
                "places with [MASK] as well. There nobody is shown a word to trust."),
        Mistake({"among": lambda seen, labels, mask_id: seen != mask_id}, "You count places that "
                "nobody asks about. Only those with a label are asked."),
        Mistake({"right": np.not_equal}, "That is how often the word is a random one."),
        Mistake({"error": lambda p, n: np.sqrt(p * (1 - p))}, "That is the spread of one place. "
                "The mean of n places has a standard error smaller by the root of n."),
        Mistake({"error": lambda p, n: p * (1 - p) / n}, "That is the variance of the mean. Its "
                "root is the standard error."),
        Mistake({"error": lambda p, n: np.sqrt(p * (1 - p)) / n}, "You divide by n. It stands "
                "under the root."),
        Mistake({"error": lambda p, n: 2 * _rate_error(p, n)}, "That is half of an interval, two "
                "standard errors. Return one."),
        Mistake(lambda *case: _trust(*case)[0], "That is the proportion. Return its standard error "
                "as well: a measurement without one cannot be judged."),
        Mistake(lambda seen, labels, mask_id: (
            _trust(seen, labels, mask_id)[0],
            _rate_error(_trust(seen, labels, mask_id)[0], labels.size)),
                "Your n is the number of all places. How many have you looked at?"),
    ],
)  # fmt: skip

# A text long enough to tell 81 of 100 from 80, and the ids in it.
_VOCAB, _SPECIAL = 200, range(5)
_TOO_FAR = 5  # spreads
_SLIPS = {
    (0.72, 0.10, 0.18): "You draw once for [MASK] and once more for the random word, so that a "
    "random word strikes masked tokens, too. One draw with two borders decides among three fates.",
    (0.80, 0.02, 0.18): "A random word comes for a tenth of what [MASK] left over. It belongs to a "
    "tenth of all chosen tokens.",
    (0.81, 0.09, 0.10): "You draw for what stays and for the random word one after the other. One "
    "draw with two borders decides among three fates.",
    (0.81, 0.10, 0.09): "You draw for the random word and for what stays one after the other. One "
    "draw with two borders decides among three fates.",
    (0.80, 0.18, 0.02): "What stays is a tenth of what is left over. It is a tenth of all chosen "
    "tokens.",
    (1.0, 0.0, 0.0): "All chosen tokens become [MASK]. What about the other two fates?",
    (0.8, 0.0, 0.2): "No chosen token becomes a random word.",
    (0.8, 0.2, 0.0): "No chosen token stays as it is.",
    (0.8, 0.1, 0.1): "",
}


def check_corrupt_tokens(function: Callable) -> Verdict:
    """Check a reader's corruption of a text: what it leaves alone, its labels, and its shares."""
    name = getattr(function, "__name__", "your function")
    try:
        require_contract("corrupt_tokens", function)
        problem = next(filter(None, (look(function) for look in _LOOKS)), "")
    except _FormError as unlike:
        problem = str(unlike)
    except Exception as error:  # whatever a reader's function raises is to be explained
        kind = type(error).__name__
        slip = usual_slip(type(error), str(error))
        problem = f"{name} stopped with {kind}: {str(error).rstrip('.')}. {slip}".strip()
    if problem:
        return Verdict(False, f"Not yet. {problem}")
    return Verdict(True, f"Right: {name} leaves alone what it should, and its shares are BERT's.")


class _FormError(Exception):
    """Stop because a result has another form than it should; the message is for the reader."""


def _text(rows: int, seq: int) -> Tensor:
    ids = torch.randint(5, _VOCAB, (rows, seq), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -2], ids[:, -1] = 2, 3, 0  # [CLS], [SEP], [PAD]
    return ids


def _corrupted(function: Callable, ids: Tensor, seed: int = 0, share: float = 0.15) -> tuple:
    """Call a reader's function as models do, and take its result apart."""
    found = function(
        ids, vocab_size=_VOCAB, mask_token_id=_MASK_ID, special_ids=_SPECIAL,
        generator=torch.Generator().manual_seed(seed), mlm_probability=share,
    )  # fmt: skip
    if found is None:
        raise _FormError("It returns nothing yet. Replace the … by your code, and return.")
    if not isinstance(found, tuple) or len(found) != 2:
        raise _FormError("Return two tensors: the ids that the model sees, and the labels.")
    for part, what in zip(found, ("ids", "labels")):
        if getattr(part, "shape", None) != ids.shape or part.dtype != ids.dtype:
            raise _FormError(f"The {what} should be integers of shape {tuple(ids.shape)}.")
    return found


def _leaves_alone(function: Callable) -> str:
    """Look at the caller's ids, and at special tokens."""
    ids = _text(1000, 50)
    before = ids.clone()
    seen, labels = _corrupted(function, ids, share=0.9)
    if not torch.equal(ids, before):
        return "The caller's ids have changed. Work on a copy: the next epoch needs the text again."
    chosen = labels != IGNORED_LABEL
    if (seen != before)[~chosen].any():
        return "A token without a label has changed. Only chosen tokens may."
    special = before < 5
    if (chosen & special).any():
        if len(said := labels[special].unique()) == 1:
            return f"Where nothing is asked the label is -100; yours is {said.item()}."
        return "Special tokens are asked for. [CLS], [SEP] and padding are never chosen."
    wrong = chosen & (labels != before)
    if wrong.any():
        said = labels[wrong][0].item()
        return (
            "A label is the answer, the true id; yours is that of [MASK]."
            if said == _MASK_ID
            else f"A label is the true id of its token; one is {said} and should be "
            f"{before[wrong][0].item()}."
        )
    drawn = seen[chosen & (seen != _MASK_ID) & (seen != before)]
    if (drawn < 5).any():
        return "A special token was drawn as a random word. Draw from the ids that are words."
    if len(drawn) > 2000 and drawn.max() < _VOCAB - 1:
        return f"The last word, {_VOCAB - 1}, is never drawn as a random word."
    return ""


def _chance(function: Callable) -> str:
    """Look at where chance comes from, and whether each token has its own."""
    ids = _text(20, 50)
    before = torch.random.get_rng_state()
    one, same, other = (_corrupted(function, ids, seed)[1] for seed in (1, 1, 2))
    if not torch.equal(torch.random.get_rng_state(), before) or not torch.equal(one, same):
        return "Chance does not come from the generator alone. Hand it to every draw."
    if torch.equal(one, other):
        return "Another generator gives the same result. Is it made anew inside?"
    chosen = one != IGNORED_LABEL
    if (chosen[:, 1:-2] == chosen[:1, 1:-2]).all():
        return "All rows have the same tokens chosen. Draw one number for each token of each row."
    return ""


def _shares(function: Callable) -> str:
    """Count the chosen tokens and their fates on a text that is long enough."""
    ids = _text(2000, 200)
    words = ids >= 5
    for share in (0.15, 0.4):
        seen, labels = _corrupted(function, ids, 3, share)
        chosen = (labels != IGNORED_LABEL)[words]
        found = chosen.double().mean().item()
        if abs(found - share) > _TOO_FAR * (share * (1 - share) / len(chosen)) ** 0.5:
            return f"{found:.3f} of the words are chosen; it should be mlm_probability, {share}."
    asked = labels != IGNORED_LABEL
    total = int(asked.sum())
    # A random word is the true one now and then.
    same = (seen == ids)[asked].double().mean().item()
    masked = (seen == _MASK_ID)[asked].double().mean().item()
    random = (1 - same - masked) * (_VOCAB - 5) / (_VOCAB - 6)
    fates = (masked, random, 1 - masked - random)
    for slip, hint in _SLIPS.items():
        far = (abs(a - b) for a, b in zip(fates, slip))
        if all(
            d < _TOO_FAR * max(b * (1 - b), 1e-4) ** 0.5 / total**0.5 for d, b in zip(far, slip)
        ):
            return hint
    told = ", ".join(f"{fate:.3f}" for fate in fates)
    return f"Of the chosen tokens become [MASK], a random word, or stay: {told}, not 0.8, 0.1, 0.1."


def _whole_words(function: Callable) -> str:
    """Look at the pieces of words, if whole words are asked for."""
    ids = _text(200, 50)
    continued = torch.zeros_like(ids, dtype=torch.bool)
    continued[:, 2:40:2] = True
    _, labels = function(
        ids, vocab_size=_VOCAB, mask_token_id=_MASK_ID, special_ids=_SPECIAL,
        generator=torch.Generator().manual_seed(0), continues_word=continued,
    )  # fmt: skip
    chosen = labels != IGNORED_LABEL
    if (chosen[:, 1:] != chosen[:, :-1])[continued[:, 1:]].any():
        return "With continues_word, a word is torn apart: all its pieces share one draw."
    return ""


def _always_asks(function: Callable) -> str:
    """Look at a text so short that its draws may all lie above the share."""
    ids = torch.tensor([[2, 9, 8, 7, 3]])
    counts = [int((_corrupted(function, ids, s, 0.01)[1] != IGNORED_LABEL).sum()) for s in range(9)]
    if min(counts) == 0:
        return (
            "Of a short text no token may be chosen, and a batch without a label has no loss. "
            "Choose the word with the smallest draw in any case."
        )
    return ""


_LOOKS = (_leaves_alone, _chance, _shares, _always_asks, _whole_words)
