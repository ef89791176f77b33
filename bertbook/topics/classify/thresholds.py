"""What Chapter 16 says of probabilities: how high they are, and which promises they keep."""

import numpy as np
from jaxtyping import Float, Int

from bertbook.core.html import Html, html
from bertbook.core.tables import result_table

from .runs import Runs, from_to


def stored_beliefs(runs: Runs, split: str) -> Float[np.ndarray, "rows classes"]:
    """Give the probabilities of the encoder that was fine-tuned on all labels, seed 0."""
    (run,) = (run for run in runs.curve if (run["seed"], run["labels"]) == (0, 630))
    return np.array(run["probabilities"][split])


def calibration(
    probabilities: dict[str, Float[np.ndarray, "rows classes"]],
    truth: Int[np.ndarray, " rows"],
    threshold: float,
) -> Html:
    """Compare the mean of the largest probability with what is right, for all and for the sure."""
    rows = []
    for name, chances in probabilities.items():
        sure, hit = chances.max(axis=1), chances.argmax(axis=1) == truth
        kept = sure >= threshold
        rows.append(
            (
                name,
                f"{sure.mean():.2f} / {hit.mean():.2f}",
                from_to(sure - hit, signed=True),
                f"{kept.mean():.0%}",
                f"{hit[kept].mean():.2f}",
            )
        )
    kept_at = f"keeps at {threshold:g}"
    heads = ["confidence / accuracy", "overconfident by", kept_at, "right of these"]
    return html(
        result_table(heads, rows),
        caption=f"The mean of the largest probability and the share of right answers, on "
        f"{len(truth)} requests; the interval for their difference is a bootstrap over requests.",
    )


def kept_promises(found: dict[str, list[tuple[float, float]]], wanted: float) -> Html:
    """Count in how many draws a rule promises, and how many of its promises are kept."""
    rows = []
    for name, counts in found.items():
        made = np.array([pair for pair in counts if pair[0] > 0]).reshape(-1, 2)
        keeps, reached = made.T
        broken = reached < wanted
        share = f"{keeps.mean():.0%}" if len(made) else ""
        kept = f"{1 - broken.mean():.0%}" if len(made) else ""
        numbers = f"{len(made) / len(counts):.0%}", share, f"{broken.sum() / len(counts):.0%}", kept
        rows.append((name, *numbers))
    heads = ["promises", "then keeps", "broken, of all draws", "kept, of those made"]
    return html(
        result_table(heads, rows, corner="rule"),
        caption=f"A threshold chosen on 120 requests, {len(next(iter(found.values())))} times, for "
        f"{wanted:g} right. “Then keeps” is the part of the requests that it does not send to a "
        "person.",
    )
