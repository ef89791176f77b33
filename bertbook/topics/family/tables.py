"""What Chapter 25 shows of the family: the grid of members and parts."""

from html import escape

from bertbook.core.grid import sign_grid
from bertbook.core.html import Html

MACHINE_PARTS = {
    "words": "30,522 rows of 768",
    "positions": "512 rows of 768, added",
    "segments": "2 rows, added",
    "attention": "12 heads, every token looks at all",
    "LayerNorm": "after each half",
    "feed-forward": "768 to 3072, GELU, and back",
    "layers": "12, each with its weights",
    "task": "15 % masked words, and next sentence",
}
CHANGED = {
    "RoBERTa": {
        "words": "50,265 rows: other pieces",
        "positions": "514 rows: counted from the padding id + 1",
        "segments": "one, for all",
        "task": "masked words only, masks drawn anew",
    },
    "DistilBERT": {
        "segments": "none",
        "layers": "6 instead of 12",
        "task": "masked words, and what a teacher predicts",
    },
    "ALBERT": {
        "words": "30,000 rows of 128, widened to 768",
        "positions": "512 rows of 128",
        "segments": "2 rows of 128",
        "layers": "one, passed 12 times",
        "task": "masked words, and which sentence came first",
    },
    "DeBERTa": {
        "words": "128,100 rows: other pieces",
        "positions": "none added: distances, in the attention",
        "segments": "none",
        "attention": "words with words, words with distances, distances with words",
        "task": "version 3: which tokens were replaced",
    },
    "ELECTRA": {"task": "which tokens were replaced by a generator"},
    "ModernBERT": {
        "words": "50,368 rows: other pieces",
        "positions": "none added: queries and keys are rotated",
        "segments": "none",
        "attention": "2 of 3 layers see 64 tokens to each side",
        "LayerNorm": "before each half, without biases",
        "feed-forward": "768 to 2 · 1152, GELU times a gate",
        "layers": "22, thinner ones",
        "task": "30 % masked words only",
    },
}


def family_grid(caption: str) -> Html:
    """Draw all members against all parts, with what each changes in a fold below."""
    rows = {
        member: ["●" * (part in own) for part in MACHINE_PARTS] for member, own in CHANGED.items()
    }
    items = "".join(
        f"<dt>{member}</dt><dd>"
        + "; ".join(f"<em>{part}</em>: {escape(text)}" for part, text in own.items())
        + "</dd>"
        for member, own in {"BERT": MACHINE_PARTS, **CHANGED}.items()
    )
    below = (
        "<details><summary>How does each member change it?</summary>"
        f'<dl class="mb-changes">{items}</dl></details>'
    )
    return sign_grid([*MACHINE_PARTS], rows, caption, below)
