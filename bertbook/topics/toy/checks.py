"""Exercise of Chapter 5: the masked loss."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise

_RNG = np.random.default_rng(51)


def _masked_loss(logits, labels):
    labeled = labels != -100
    scores, truth = logits[labeled], labels[labeled]
    scores = scores - scores.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(scores).sum(axis=-1))
    of_truth = scores[np.arange(len(truth)), truth]
    return (log_total - of_truth).mean()


_LOG_OF_SHARES = (
    "log_total = np.log(np.exp(scores).sum(axis=-1)) → log_total = 0; "
    "scores = np.log(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))"
)

check_masked_loss = Exercise(
    "Compute the mean loss over the labeled positions, from logits, in numpy.",
    _masked_loss,
    cases=[(_RNG.standard_normal((3, 4)), np.array([3, 1, -100])), (_RNG.standard_normal((5, 7)),
           np.array([-100, 2, -100, 6, 0]))],
    edges=[(np.array([[4000.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), np.array([0, 1, -100])),
           (np.array([[0.0, 1000.0], [0.5, 0.0]]), np.array([0, 1]))],
    forbidden=["cross_entropy", "masked_lm_loss"], rtol=1e-8,
    mistakes={
        (".mean() → .sum()", ".mean() →"): "Take the mean over the labeled positions.",
        "→ right(logits, labels.clip(0))": "You count -100 as if it were id 0.",
        "scores.max(…) → scores.max(axis=0) || np.log(…) → "
            "np.log(np.exp(scores).sum(axis=0))[truth]": "Softmax runs over the words.",
        "→ scores = logits - logits.max(); scores = scores - np.log(np.exp(scores).sum()); labeled "
            "= labels != -100; return -scores[labeled, labels[labeled]].mean()":
            "Each position has a softmax of its own.",
        "log_total - of_truth → (np.exp(scores - log_total[:, None]) - "
            "np.eye(scores.shape[1])[truth]) ** 2 || mean() → sum(axis=-1).mean()": "That is a "
            "squared error. The loss is −ln of one probability.",
        "→ labeled = labels != -100; p = 1 / (1 + np.exp(-logits[labeled])); truth = "
            "np.eye(logits.shape[-1])[labels[labeled]]; return -np.log(np.where(truth, p, 1 - "
            "p)).sum(axis=-1).mean()": "A sigmoid asks each word by itself.",
        "!= -100 → > 0": "You leave out the word with id 0, which is a word like any other.",
        ("→ right(logits, labels) / np.log(2) ¦ right(logits, labels) / np.log(10)", "np.log → "
            "np.log2 ¦ np.log10"): "Which logarithm undoes np.exp and gives nats?",
        "→ np.exp(right(logits, labels))": "That is e to the loss, the perplexity.",
        "sum( → mean( ¦ max(": "Softmax divides by the sum of all exponentials.",
        "scores.max(…) → scores.mean(axis=-1, keepdims=True) ¦ 800": "A high logit still "
            "overflows. What leaves none above 0?",
        "- of_truth →": "You take the loss of the most probable word. Which one is true?",
        "log_total - of_truth → -np.exp(of_truth - log_total) ¦ 1 - np.exp(of_truth - log_total)":
            "That is made of a probability. "
            "Where is the logarithm?",
        "(…).mean() → -np.log(np.exp(-(…)).mean())": "Take logarithms first.",
        "- scores.max(…) → || log_total - → -": "A probability depends on the other words: where "
            "is their sum?",
        ".mean() → [log_total != of_truth].mean()": "A labeled position counts, loss 0 or not.",
        _LOG_OF_SHARES: "A tiny probability becomes 0. Can you take the logarithm earlier?",
        tuple(f"{_LOG_OF_SHARES[:-1]} + 1e-{digits})" for digits in (7, 8, 9, 10, 12)): "A tiny "
            "number in the logarithm changes the answer for hopeless words.",
    },
)  # fmt: skip
