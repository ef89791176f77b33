"""Take words away from requests, and ask the fine-tuned encoder of Chapter 16 each time."""

from minibert.tasks import BertForSequenceClassification
from minibert.tasks.inference import encode_rows

from .classify_baselines import chapter

REMOVALS = (  # for the figure: written for it, in none of the data sets
    ("Hardware", ("I paid for", "the router", "and", "it", "stays dark.")),
    ("Software", ("My invoice", "will not", "open", "in", "the browser.")),
    ("Billing", ("The cable", "works,", "please", "cancel", "my contract.")),
    ("Hardware", ("It is not", "the password,", "the screen", "is", "cracked.")),
)


def remove_words(model: BertForSequenceClassification, tokenizer) -> list[dict]:
    """Ask for every way to take parts out of the requests of the figure."""
    found = []
    for label, parts in REMOVALS:
        kept = [
            " ".join(part for place, part in enumerate(parts) if not removed >> place & 1)
            for removed in range(2 ** len(parts))
        ]
        rows = [
            {"input_ids": ids, "token_type_ids": types}
            for ids, types in encode_rows(tokenizer, kept, max_length=40)
        ]
        chances = chapter.probabilities(model, rows, tokenizer)
        rounded = [[round(float(chance), 3) for chance in row] for row in chances]
        found.append({"label": label, "parts": list(parts), "probabilities": rounded})
    return found
