"""What Chapter 26 shows of its invariants: the exhibits, and encoders of transformers."""

from collections.abc import Mapping, Sequence

from bertbook.core.grid import sign_grid
from bertbook.core.html import Html

SHORT = {  # the invariants in their order, as columns call them
    "evaluation_repeats": "repeats",
    "training_adds_dropout_only": "training",
    "dropout_keeps_the_mean": "dropout",
    "calls_stay_apart": "calls apart",
    "batch_mates_do_not_matter": "batch-mates",
    "padding_changes_nothing": "padding",
    "padding_alone_gives_numbers": "only padding",
    "no_mask_means_all_ones": "no mask",
    "places_matter": "positions",
    "segments_matter": "segments",
    "every_token_changes_every_token": "all tokens",
    "long_texts_are_read_to_the_end": "long texts",
    "attention_is_shared_among_tokens": "weights",
    "table_is_tied": "tied table",
    "labels_count_alike": "labels",
    "split_batch_is_whole_batch": "parts",
    "gradients_reach_everything": "gradients",
    "saved_is_loaded": "saving",
}
SIGNS = {"holds": "", "falls": "●", "not asked": "–", "stops": "×"}


def exhibits_grid(broken: Mapping[str, Sequence[str]], caption: str) -> Html:
    """Show which invariant finds which exhibit, given what each one breaks."""
    rows = {name: ["●" if one in falls else "" for one in SHORT] for name, falls in broken.items()}
    return sign_grid([*SHORT.values()], rows, caption)


def encoders_grid(record: Mapping, caption: str) -> Html:
    """Show what each encoder of the record answers to each invariant."""
    rows = {
        row["encoder"]: [SIGNS[row["answers"][name]] for name in SHORT]
        for row in record["encoders"]
    }
    return sign_grid([*SHORT.values()], rows, caption)
