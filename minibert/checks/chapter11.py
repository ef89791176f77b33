"""Exercises of Chapter 11: expected shares, labels, the replacement by one draw, the head."""

from __future__ import annotations

import numpy as np

from minibert.reference import gelu, softmax

from .exercise import Exercise, Mistake, as_it_is

_MASK_ID, _IGNORED = 4, -100
_RNG = np.random.default_rng(11)


def _chosen(tokens, share):
    return tokens * share


def _expected(tokens, share, *, of=_chosen, masked=0.8, replaced=0.1, kept=0.1, never=0,
              made=as_it_is):  # fmt: skip
    """Return how many tokens meet each of the three fates on average."""
    asked = of(tokens, share)
    rest = never * (tokens - asked)
    return tuple(map(made, (masked * asked, replaced * asked, kept * asked + rest)))


check_expected = Exercise(
    "Say how many tokens are masked, replaced, and chosen but kept, on average.",
    _expected,
    cases=[(7, 1.0), (100, 0.15), (1000, 0.15), (512, 0.15), (40, 0.4)],
    mistakes=[
        Mistake({"of": lambda tokens, share: tokens}, "You take the three shares of all tokens. "
                "They are shares of the chosen ones."),
        Mistake({"never": 1}, "The third number is of the chosen tokens that stay. You count those "
                "that were never chosen as well."),
        Mistake({"kept": 0.09}, "One draw decides among three. The tokens that stay are a tenth of "
                "the chosen, not nine tenths of a tenth."),
        Mistake({"replaced": 0.02, "kept": 0.18}, "A random word for a tenth of the chosen, not "
                "for a tenth of those that [MASK] left over."),
        Mistake({"kept": 0.2}, "The three numbers add up to more than was chosen."),
        Mistake({"masked": 1, "replaced": 0, "kept": 0}, "You mask all that are chosen. What about "
                "the other two?"),
        Mistake({"made": round}, "You round to whole tokens. An average need not be whole."),
        Mistake({"made": int}, "You round to whole tokens. An average need not be whole."),
        Mistake(lambda *case: _expected(*case)[0], "That is the first of three numbers."),
    ],
)  # fmt: skip


def _labels(ids, chosen, *, yes=as_it_is, no=_IGNORED, turned=False):
    return np.where(~chosen if turned else chosen, yes(ids), no)


check_labels = Exercise(
    "Write the labels that belong to chosen tokens.",
    _labels,
    cases=[
        (np.array([2, 9, 7, 8, 3]), np.array([False, True, False, False, False])),
        *((_RNG.integers(5, 60, size), _RNG.random(size) < 0.5) for size in ((8,), (3, 6))),
        (np.array([2, 9, 3, 0]), np.array([False] * 4)),
    ],
    mistakes=[
        Mistake({"turned": True}, "You label the tokens that were not chosen, and no other."),
        Mistake(lambda ids, chosen: ids, "You label every token. What stands where there is no "
                "label?"),
        Mistake({"no": 0}, "0 is the id of a token, here of [PAD]. Which number is the id of "
                "none?"),
        Mistake({"no": -1}, "The loss passes over one number only, and it is not -1."),
        Mistake({"no": 100}, "100 is the id of a token. The sign of the number that is none?"),
        Mistake({"yes": lambda ids: _MASK_ID}, "A label is the answer, not the question: the true "
                "id, not that of [MASK]."),
        Mistake({"yes": lambda ids: 1, "no": 0}, "A label says which token is right, not only that "
                "there is one."),
        Mistake({"yes": lambda ids: 1}, "A label says which token is right, not only that there is "
                "one."),
        Mistake(lambda ids, chosen: ids[chosen], "These are the right ids. Each must stand in its "
                "place, with −100 at the others."),
    ],
)  # fmt: skip


def _replaced(ids, chosen, draws, words, mask_id, *, masked=lambda d: d < 0.8,
              swapped=lambda d: d < 0.9, everywhere=False, mask_last=True):  # fmt: skip
    """Replace chosen tokens: one draw decides among three fates."""
    ways = [(swapped(draws), words), (masked(draws), mask_id)]
    new = ids
    for which, value in ways if mask_last else ways[::-1]:
        new = np.where(which, value, new)
    return new if everywhere else np.where(chosen, new, ids)


_BORDER = np.array([0.0, 0.05, 0.5, 0.79, 0.8, 0.81, 0.85, 0.89, 0.9, 0.95])


def _draw_case(size):
    ids, words = _RNG.integers(5, 60, size), _RNG.integers(60, 99, size)
    return ids, _RNG.random(size) < 0.5, _RNG.random(size), words, _MASK_ID


check_replacement = Exercise(
    "Replace chosen tokens, by one draw for each: [MASK], a random word, or the token itself.",
    _replaced,
    cases=[
        (np.arange(10, 20), np.full(10, True), _BORDER, np.arange(30, 40), _MASK_ID),
        _draw_case((12,)),
        _draw_case((6, 8)),
    ],
    mistakes=[
        Mistake({"everywhere": True}, "Tokens that nobody chose are changed, too."),
        Mistake({"masked": lambda d: d < 1}, "All chosen tokens become [MASK]. Only draws below "
                "0.8 should."),
        Mistake({"swapped": lambda d: d < 1}, "No chosen token stays. Draws from 0.9 on leave a "
                "token as it is."),
        Mistake({"swapped": lambda d: d < 0.8}, "No token becomes a random word. What do draws "
                "from 0.8 to 0.9 do?"),
        Mistake({"masked": lambda d: d < 0.1}, "The large share goes to the random words. It "
                "belongs to [MASK]."),
        Mistake({"swapped": lambda d: d < 0.82}, "A random word comes for a tenth of the chosen "
                "tokens, not for a tenth of what [MASK] left over."),
        Mistake({"mask_last": False}, "A draw below 0.8 is below 0.9 as well. Which of the two "
                "lines has the last word?"),
        Mistake({"masked": lambda d: d > 0.2, "swapped": lambda d: d > 0.1}, "[MASK] belongs to "
                "draws below 0.8, not above 0.2."),
        *(Mistake(wrong, "A draw on a border belongs to what comes above it: from 0.8 on a random "
                  "word, from 0.9 on the token itself.")
          for wrong in ({"masked": lambda d: d <= 0.8}, {"swapped": lambda d: d <= 0.9},
                        {"masked": lambda d: d <= 0.8, "swapped": lambda d: d <= 0.9})),
    ],
)  # fmt: skip


def _normalized(x, eps=1e-12, ddof=0):
    return (x - x.mean()) / np.sqrt(x.var(ddof=ddof) + eps)


def _minus_log(shares, word):
    return -np.log(shares[word])


def _head(vector, weight, dense_bias, table, bias, word, *, turn=as_it_is, shift=1, words=1,
          activate=gelu, norm=_normalized, shares=softmax, answer=_minus_log):  # fmt: skip
    """Compute the loss of one hidden word, from its vector."""
    ready = norm(activate(turn(weight) @ vector + shift * dense_bias))
    return answer(shares(table @ ready + words * bias), word)


def _head_case(hidden, vocab, word):
    sizes = hidden, (hidden, hidden), hidden, (vocab, hidden), vocab
    return *(_RNG.normal(size=size) for size in sizes), word


check_head = Exercise(
    "Compute the loss of one hidden word, from its vector through the head.",
    _head,
    cases=[_head_case(3, 4, 0), _head_case(4, 7, 6), _head_case(6, 5, 2)],
    rtol=1e-7,
    mistakes=[
        Mistake({"activate": as_it_is}, "The activation is missing between the linear layer and "
                "LayerNorm."),
        Mistake({"activate": lambda x: np.maximum(x, 0)}, "Your activation is ReLU. BERT's is "
                "GELU."),
        Mistake({"activate": np.tanh}, "Your activation is tanh, as in the pooler. The head takes "
                "GELU."),
        Mistake({"norm": as_it_is}, "LayerNorm is missing."),
        Mistake({"norm": lambda x: _normalized(x, ddof=1)}, "Your variance divides by n − 1. "
                "LayerNorm estimates nothing from a sample: it divides by n."),
        Mistake({"norm": lambda x: _normalized(x, 1e-5)}, "Your ε is 1e-5, PyTorch's own. BERT's "
                "is 1e-12."),
        Mistake({"norm": lambda x: x - x.mean()}, "You subtract the mean. By what does LayerNorm "
                "divide?"),
        Mistake({"activate": _normalized, "norm": gelu}, "You normalize before you activate. "
                "LayerNorm comes after GELU."),
        Mistake(lambda x, w, b, table, bias, word: _minus_log(softmax(table @ x + bias), word),
                "You compare the vector with the table right away. The transform comes first."),
        Mistake({"words": 0}, "Each word has a bias of its own. Add it to the scores."),
        Mistake({"shift": 0}, "The bias of the dense layer is missing."),
        Mistake({"turn": np.transpose}, "You multiply by the transposed weight, x @ weight. "
                "PyTorch stores one row for each output: weight @ x."),
        Mistake({"answer": lambda shares, word: shares[word]}, "You return the share of the true "
                "word. The loss is minus its logarithm."),
        Mistake({"answer": lambda shares, word: np.log(shares[word])}, "The sign is wrong: a loss "
                "is never negative."),
        Mistake({"answer": lambda shares, word: -np.log2(shares[word])}, "You take the logarithm "
                "to base 2. The book counts in nats."),
        Mistake({"shares": as_it_is, "answer": lambda scores, word: scores},
                "These are the scores of all words. Softmax makes shares of them; the loss is "
                "minus the logarithm of the true word's."),
        Mistake({"shares": as_it_is, "answer": lambda scores, word: -scores[word]},
                "You return the score of the true word. Its share depends on the others: where is "
                "softmax?"),
        Mistake({"answer": lambda shares, word: -np.log(shares)}, "These are the losses of all "
                "words. Which of them was the true one?"),
    ],
)  # fmt: skip
