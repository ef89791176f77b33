"""Exercise of Chapter 11: the corruption of a whole text."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bertbook.core.exercises.common_mistakes import common_mistake
from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.contracts.require import require_contract
from bertbook.reader.module.one_device import OneDevice, OtherDeviceError
from minibert.losses import IGNORED_LABEL
from minibert.masking import corrupt_tokens

_MASK_ID = 4
_VOCAB, _SPECIAL = 200, range(5)
_TOO_FAR = 5  # spreads
_ONE_DRAW = "One draw with two borders, 0.8 and 0.9, decides among three fates."
_SHARES_OF_MISTAKES = {
    (0.72, 0.10, 0.18): f"A random word strikes masked tokens, too. {_ONE_DRAW}",
    (0.70, 0.10, 0.20): f"A random word strikes masked tokens, too. {_ONE_DRAW}",
    (0.80, 0.02, 0.18): "A random word comes for a tenth of all chosen tokens, not of the rest.",
    (0.81, 0.09, 0.10): f"You draw for what stays, then for the random word. {_ONE_DRAW}",
    (0.81, 0.10, 0.09): f"You draw for the random word, then for what stays. {_ONE_DRAW}",
    (0.80, 0.18, 0.02): "What stays is a tenth of all chosen tokens, not of the rest.",
    (1.0, 0.0, 0.0): "All chosen tokens become [MASK]. What about the other two fates?",
    (0.8, 0.0, 0.2): "No chosen token becomes a random word.",
    (0.8, 0.2, 0.0): "No chosen token stays as it is.",
    (0.8, 0.1, 0.1): "",
}


def check_corrupt_tokens(function: Callable) -> Verdict:
    """Check a reader's corruption of a text: what it leaves alone, its labels, and its shares.

    Args:
        function: Yours: it takes what `minibert.masking.corrupt_tokens` takes, and returns ids and
            labels.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    name = getattr(function, "__name__", "your function")
    try:
        require_contract(corrupt_tokens, function)
        problem = next(filter(None, (look(function) for look in _LOOKS)), "")
    except _FormError as unlike:
        problem = str(unlike)
    except Exception as error:  # whatever a reader's function raises is to be explained
        message, cause = str(error).rstrip("."), common_mistake(type(error), str(error))
        problem = f"{name} stopped with {type(error).__name__}: {message}. {cause}".strip()
    right = f"Right: {name} leaves alone what it should, and its shares are BERT's."
    return Verdict(not problem, f"Not yet. {problem}" if problem else right)


class _FormError(Exception):
    """Stop because a result has another form than it should; the message is for the reader."""


def _text(rows: int, seq: int) -> Tensor:
    ids = torch.randint(5, _VOCAB, (rows, seq), generator=torch.Generator().manual_seed(1))
    ids[:, 0], ids[:, -2], ids[:, -1] = 2, 3, 0  # [CLS], [SEP], [PAD]
    return ids


def _corrupted(function: Callable, ids: Tensor, seed: int = 0, **named: object) -> tuple:
    """Call a reader's function as models do: what is seen, its labels, and who has one."""
    usual = {"mlm_probability": 0.15, "special_ids": _SPECIAL, "continues_word": None}
    chance = torch.Generator().manual_seed(seed)
    named = {"vocab_size": _VOCAB, "mask_token_id": _MASK_ID, "generator": chance, **usual, **named}
    found = function(ids, **named)
    if found is None:
        raise _FormError("It returns nothing yet. Replace the … by your code, and return.")
    if not isinstance(found, tuple) or len(found) != 2:
        raise _FormError("Return two tensors: the ids that the model sees, and the labels.")
    for part, what in zip(found, ("ids", "labels")):
        if getattr(part, "shape", None) != ids.shape or part.dtype != ids.dtype:
            raise _FormError(f"The {what} should be integers of shape {tuple(ids.shape)}.")
    return *found, found[1] != IGNORED_LABEL


def _first(*cases: tuple[object, str]) -> str:
    """Return what is said of the first thing that is so."""
    return next((text for is_so, text in cases if is_so), "")


def _leaves_alone(function: Callable) -> str:
    """Look at the caller's ids, and at special tokens."""
    ids = _text(1000, 50)
    before, special = ids.clone(), ids < 5
    seen, labels, chosen = _corrupted(function, ids, mlm_probability=0.9)
    wrong = chosen & (labels != before)
    label, true = (of[wrong][:1].tolist() for of in (labels, before))
    drawn = seen[chosen & (seen != _MASK_ID) & (seen != before)]
    many, unasked = len(drawn) > 2000, labels[special].unique().tolist()
    return _first(
        (not torch.equal(ids, before), "The caller's ids have changed. Work on a copy: the next "
         "epoch needs the text again."),
        ((seen != before)[~chosen].any(), "A token without a label has changed."),
        ((seen == IGNORED_LABEL).any(), "The ids hold -100. Which of the two results comes first?"),
        (torch.equal(labels, before), "Every token has a label. Which number is for the others?"),
        ((chosen & special).any() and len(unasked) == 1, "Where a token is not chosen, the label "
         f"is -100; yours is {unasked[0]}."),
        ((chosen & special).any(), "Special tokens are chosen. [CLS], [SEP], padding never are."),
        (label == [_MASK_ID], "A label is the answer, the true id; yours is that of [MASK]."),
        (label, f"A label is the true id of its token; one is {label} and should be {true}."),
        ((drawn < 5).any(), "A special token was drawn as a random word. Draw from the words."),
        (many and len(drawn.unique()) == 1, "All random words are the same. Draw one for each."),
        (many and (drawn < _VOCAB - 1).all(), f"The last word, {_VOCAB - 1}, is never drawn."),
    )  # fmt: skip


def _special_anywhere(function: Callable) -> str:
    """Look at special tokens in the middle of the vocabulary, and at [MASK], which is one too."""
    ids = _text(300, 50).clamp(max=90)
    ids[:, 3], ids[:, 4] = 77, _MASK_ID
    seen, _, chosen = _corrupted(function, ids, mlm_probability=0.9, special_ids=(0, 2, 3, 77))
    drawn, text = (
        seen[(seen != ids) & (seen != _MASK_ID)],
        "With special_ids (0, 2, 3, 77), 77 is",
    )
    return _first(
        (len(drawn) and (drawn <= 90).all(), "Draw random words from the whole vocabulary."),
        (chosen[:, 4].any(), "A [MASK] in the text is chosen. It is special, named or not."),
        (chosen[:, 3].any(), f"{text} chosen."),
        ((drawn == 77).any(), f"{text} drawn as a random word."),
    )  # fmt: skip


def _one_sentence(function: Callable) -> str:
    """Look at ids without an axis for the batch."""
    ids, alone = _text(1, 400)[0], "For a single sentence, ids of shape (400,),"
    for words in (None, torch.zeros_like(ids, dtype=torch.bool)):
        try:
            submission, reference = (_corrupted(f, ids, 6, continues_word=words)
                         for f in (function, corrupt_tokens))  # fmt: skip
        except Exception as error:
            kind = type(error).__name__
            return f"{alone} it stopped with {kind}: {error}. Which axis is missing?"
        if not all(map(torch.equal, submission, reference)):
            return f"{alone} the tokens are not those of the loop."
    return ""


def _chance(function: Callable) -> str:
    """Look at where chance comes from, and whether each token has its own."""
    ids, before = _text(20, 50), torch.random.get_rng_state()
    one, same, other = (_corrupted(function, ids, seed)[1] for seed in (1, 1, 2))
    drawn_elsewhere = not torch.equal(torch.random.get_rng_state(), before)
    chosen = (one != IGNORED_LABEL)[:, 1:-2]
    return _first(
        (drawn_elsewhere or not torch.equal(one, same), "Chance does not come from the generator "
         "alone. Hand it to every draw."),
        (torch.equal(one, other), "Another generator gives the same result. Is it made anew?"),
        ((chosen == chosen[:1]).all(), "All rows have the same tokens chosen. Draw for each row."),
    )  # fmt: skip


def _shares(function: Callable) -> str:
    """Count the chosen tokens and their fates on a text that is long enough."""
    ids = _text(2000, 200)  # enough to tell 81 of 100 from 80
    for share in (0.15, 0.4):
        seen, _, chosen = _corrupted(function, ids, 3, mlm_probability=share)
        found = (of_words := chosen[ids >= 5]).double().mean().item()
        if abs(found - share) > _TOO_FAR * (share * (1 - share) / len(of_words)) ** 0.5:
            text = f"{found:.3f} of the words are chosen; it should be mlm_probability, {share}."
            stay = (seen == ids)[chosen].double().mean() > 0.01  # a random word is true, rarely
            return text if stay else f"{text} Where is the label of what stays?"
    # A random word is the true one now and then.
    same, masked = ((seen == of)[chosen].double().mean().item() for of in (ids, _MASK_ID))
    random = (1 - same - masked) * (_VOCAB - 5) / (_VOCAB - 6)
    fates = (masked, random, 1 - masked - random)
    for mistaken, hint in _SHARES_OF_MISTAKES.items():
        spreads = ((max(b * (1 - b), 1e-4) / int(chosen.sum())) ** 0.5 for b in mistaken)
        if all(abs(a - b) < _TOO_FAR * s for a, b, s in zip(fates, mistaken, spreads)):
            return hint
    text = ", ".join(f"{fate:.3f}" for fate in fates)
    return f"Of the chosen tokens become [MASK], a random word, or stay: {text}, not 0.8, 0.1, 0.1."


def _rows(function: Callable) -> str:
    """Look at rows so short that a smallest draw in each would be chosen too often."""
    ids = _text(3000, 9)
    found = _corrupted(function, ids, 4)[2][ids >= 5].double().mean().item()
    text = f"In rows of six words {found:.2f} of the words are chosen; it should be 0.15."
    text = f"{text} Is the smallest draw that of the whole batch, or of each row?"
    return text if found > 0.17 else ""


def _drawing_order(function: Callable) -> str:
    """Compare with the loop of the chapter, which draws a choice, a fate and a word."""
    ids = _text(40, 50)
    (seen, labels, asked), (reference, right, _) = (
        _corrupted(f, ids, 5) for f in (function, corrupt_tokens)
    )
    if not torch.equal(labels, right):
        if len({int(_corrupted(function, ids, seed)[2].sum()) for seed in range(3)}) == 1:
            return "Of 100 words 15 are chosen, never 14 or 16. Is each drawn for itself?"
        return "With the same seed you choose other tokens than the loop. Which draw chooses?"
    masked = seen == _MASK_ID
    if not torch.equal(masked, reference == _MASK_ID):
        first = torch.rand(ids.shape, generator=torch.Generator().manual_seed(5))
        low, high = first[asked & masked], first[asked & ~masked]
        if low.max() < high.min() or high.max() < low.min():
            return "One number decides who is chosen, and its fate. Where is the second draw?"
        return "The chosen tokens are right, their fates are not. Has each token a second draw?"
    same = torch.equal(seen, reference)
    return "" if same else "Choices are right, the random words are not. Draw one for each token."


def _whole_words(function: Callable) -> str:
    """Look at the pieces of words, if whole words are asked for."""
    ids = _text(200, 50)
    continued = torch.zeros_like(ids, dtype=torch.bool)
    continued[:, 2:40:4] = continued[:, 3:40:4] = True  # words of one piece and of three
    submission, reference = (
        _corrupted(f, ids, continues_word=continued) for f in (function, corrupt_tokens)
    )
    one = {"mlm_probability": 1e-9, "continues_word": continued[:1, :4]}  # word, of three pieces
    pieces = int(_corrupted(function, ids[:1, :4], **one)[2].sum())
    torn = (submission[2][:, 1:] != submission[2][:, :-1]) & continued[:, 1:]
    text = "With continues_word,"
    return _first(
        (torn[:, 1:39:4].any(), f"{text} a word is torn apart: all its pieces share one draw."),
        (torn.any(), f"{text} a word of three pieces is torn apart. Whose draw has the third?"),
        (not torch.equal(submission[0], reference[0]),
         f"{text} pieces share one draw. Has each its fate?"),
        (pieces < 3, f"{text} the smallest draw is a whole word's. Which pieces are chosen then?"),
    )  # fmt: skip


def _usual_shares(function: Callable) -> str:
    """Leave out what has a default."""
    ids, chance = _text(40, 50), torch.Generator().manual_seed(5)
    try:
        found = function(ids, vocab_size=_VOCAB, mask_token_id=_MASK_ID, special_ids=_SPECIAL,
                         generator=chance)  # fmt: skip
    except TypeError as error:
        return f"Called as in Chapter 12, it stops: {error}. Which two arguments have defaults?"
    same = torch.equal(found[1], _corrupted(function, ids, 5)[1])
    return "" if same else "Without mlm_probability 15 % should be chosen. What is its default?"


def _nothing_to_ask(function: Callable) -> str:
    """Look at a text of special tokens alone."""
    ids = torch.tensor([[2, 3, 0], [2, _MASK_ID, 3]])
    text = "A text of special tokens alone, such as [CLS] [SEP],"
    try:
        seen, _, chosen = _corrupted(function, ids)
    except _FormError:
        raise
    except Exception as error:
        return (
            f"{text} stopped it with {type(error).__name__}: {error}. What is the smallest of none?"
        )
    same = not chosen.any() and torch.equal(seen, ids)
    return "" if same else f"{text} should come back as it is, without a label."


class _Count(TorchFunctionMode):
    """Count the operations on tensors."""

    calls = 0

    def __torch_function__(
        self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> object:
        """Count a call, and make it."""
        self.calls += 1
        return func(*args, **(kwargs or {}))


def _on_tensors(function: Callable) -> str:
    """Count the operations for a longer text: on tensors they are no more than for a short one."""
    counts = []
    for seq in (20, 40):
        ids = _text(4, seq)
        words = torch.zeros_like(ids, dtype=torch.bool)
        words[:, 2::3] = True
        with _Count() as counted:
            _corrupted(function, ids, continues_word=words)
        counts.append(counted.calls)
    if counts[1] < counts[0] + 10:
        return ""
    return (
        "The numbers are right, but you go from token to token, and this exercise asks to do "
        "without. Where does each token's word begin? The largest place so far, cummax, says it, "
        "and gather takes the draw from there."
    )


def _other_device(function: Callable) -> str:
    """Look at ids on another device; one without numbers stands for a GPU."""
    ids, text = _text(4, 20).to("meta"), "With ids on a GPU"
    for words in (None, torch.zeros_like(ids, dtype=torch.bool)):
        try:
            with OneDevice():
                seen, labels, _ = _corrupted(function, ids, continues_word=words)
        except OtherDeviceError as mixed:
            return f"{text} it would stop: {mixed}. Move what you make to input_ids.device."
        except Exception as error:  # other things cannot be done without numbers, either
            if "device" in f"{error}" and "meta tensors" not in f"{error}":
                return f"{text} it would stop: {error}. Is each draw made on the CPU, and moved?"
        else:
            if {seen.device, labels.device} != {ids.device}:
                return f"{text} the results are on the CPU. Move them to input_ids.device."
    return ""


def _always_asks(function: Callable) -> str:
    """Look at a text so short that its draws may all lie above the share."""
    ids = torch.tensor([[2, 9, 8, 7, 3]])
    asked = (_corrupted(function, ids, seed, mlm_probability=0.01)[2] for seed in range(9))
    text = "A short text may get no label. Choose the word with the smallest draw in any case."
    return "" if all(chosen.any() for chosen in asked) else text


_LOOKS = (
    _leaves_alone, _special_anywhere, _chance, _shares, _always_asks, _rows, _drawing_order,
    _whole_words, _one_sentence, _usual_shares, _nothing_to_ask, _on_tensors, _other_device,
)  # fmt: skip
