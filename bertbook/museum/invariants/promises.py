"""The invariants: each a small function that says what it saw where the model breaks it.

It returns nothing where the invariant holds, and None where the model leaves nothing to ask.
Chapter 23.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from minibert.losses import IGNORED_LABEL

from .trial import (
    MORE,
    MOVED,
    ROWS,
    SEQ,
    Trial,
    asking_for_attention,
    how_far_apart,
    lacks_gradient,
    still,
    tables_of,
)

INVARIANTS: dict[str, tuple[str, Callable[[Trial], str | None]]] = {}  # by name: claim, function


def _claim(sentence: str) -> Callable:
    def keep(look: Callable[[Trial], str | None]) -> Callable[[Trial], str | None]:
        INVARIANTS[look.__name__[1:]] = sentence, look
        return look

    return keep


@_claim("Evaluation twice gives the same numbers")
def _evaluation_repeats(trial: Trial) -> str:
    model, batch = trial.copied(dropout=True), trial.batch()
    return how_far_apart(trial.call(batch, model), trial.call(batch, model))


@_claim("Training differs from evaluation by dropout only")
def _training_adds_dropout_only(trial: Trial) -> str:
    batch, learning = trial.batch(), trial.copied(dropout=True).train()
    calm = trial.at_tokens(batch)
    if seen := how_far_apart(trial.at_tokens(batch, trial.copied().train()), calm):
        return seen
    if trial.drops and not how_far_apart(trial.call(batch, learning), trial.call(batch, learning)):
        return "with dropout switched on nothing is dropped"
    return ""


@_claim("A call changes nothing of the calls around it")
def _calls_stay_apart(trial: Trial) -> str:
    first = tables_of(trial.model(**trial.batch()))
    kept = [table.detach().clone() for table in first]
    trial.call(trial.inputs(trial.replaced(trial.ids)))
    return how_far_apart(first, kept) or how_far_apart(trial.call(trial.batch()), kept)


@_claim("A text has the same numbers whoever shares its batch")
def _batch_mates_do_not_matter(trial: Trial) -> str:
    together = trial.call(trial.batch())
    for row in range(ROWS):
        alone = trial.call(trial.batch(slice(row, row + 1)))
        if seen := how_far_apart([table[row : row + 1] for table in together], alone):
            return f"text {row + 1} of {ROWS} against the same text alone: {seen}"
    return ""


@_claim("Padding changes nothing at the tokens")
def _padding_changes_nothing(trial: Trial) -> str:
    for ids, length in zip(trial.ids, trial.mask.sum(dim=1).tolist()):
        filler = trial.words[torch.arange(MORE) % len(trial.words)]
        padded = torch.cat([ids[:length], filler])[None]  # (1, length + MORE)
        mask = (torch.arange(padded.shape[1]) < length).long()[None]
        short = trial.at_tokens(trial.inputs(ids[None, :length]))
        if seen := how_far_apart(trial.at_tokens(trial.inputs(padded, mask)), short):
            return f"{length} tokens with {MORE} columns of padding and without: {seen}"
    return ""


@_claim("A text of nothing but padding gives finite numbers in 32 and 16 bits")
def _padding_alone_gives_numbers(trial: Trial) -> str:
    mask = trial.mask.clone()
    mask[0] = 0
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        tables = trial.call(trial.inputs(trial.ids, mask), trial.copied(dtype))
        if not all(table.isfinite().all() for table in tables):
            return f"NaN or infinity in {dtype}"
    return ""


@_claim("No mask means a mask of ones, and no segments the first one")
def _no_mask_means_all_ones(trial: Trial) -> str:
    batch = trial.inputs(trial.ids)
    masked = trial.call(batch)
    del batch["attention_mask"]
    if (seen := how_far_apart(trial.call(batch), masked)) or not trial.segments:
        return seen
    first = trial.call(batch | {"token_type_ids": torch.zeros_like(trial.ids)})
    del batch["token_type_ids"]
    return how_far_apart(trial.call(batch), first)


@_claim("A word that stands twice in a text has two vectors")
def _places_matter(trial: Trial) -> str:
    length = trial.longest()
    ids = trial.words[torch.randint(len(trial.words), (1, length), generator=trial.generator)]
    places = torch.randperm(length - 2, generator=trial.generator)[: length // 2]
    places = torch.cat([places, torch.arange(length - 2, length)])
    ids[0, places] = trial.words[0]  # one word at every second place, by chance, and at the end
    batch = {name: table for name, table in trial.inputs(ids).items() if name != "token_type_ids"}
    for table, by_token in zip(trial.call(batch), trial.by_token):
        if by_token and table.shape[1] == length:
            rows = table[0, places].unflatten(0, (-1, 1)).flatten(1)  # (places, numbers)
            away = torch.cdist(rows, rows, compute_mode="donot_use_mm_for_euclid_dist")
            equal = (away <= MOVED).triu(1).nonzero()
            if len(equal):
                one, other = places[equal[0]].sort().values.tolist()
                return f"at places {one} and {other} a word has the same numbers"
    return ""


@_claim("The other segment gives other numbers")
def _segments_matter(trial: Trial) -> str | None:
    if not trial.segments:
        return None
    batch = trial.inputs(trial.ids)
    one, two = (
        trial.call(batch | {"token_type_ids": torch.full_like(trial.ids, segment)})
        for segment in (0, 1)
    )
    silent = all(still(a - b) for a, b in zip(one, two))
    return "segments 0 and 1 give the same numbers" if silent else ""


@_claim("Every token changes the vector of every token")
def _every_token_hears_every_token(trial: Trial) -> str:
    ids = trial.ids[:1].repeat(SEQ, 1)  # row j is to have another token j
    other = torch.where(torch.eye(SEQ).bool(), trial.replaced(ids), ids)
    before, after = trial.call(trial.inputs(ids)), trial.call(trial.inputs(other))
    for a, b, by_token in zip(after, before, trial.by_token):
        # How much token j moves token i, or the text's vector: (seq, seq) or (seq, 1)
        moved = (a - b).abs().reshape(SEQ, SEQ if by_token else 1, -1).amax(-1)
        if not bool((moved > MOVED).all()):
            changed, deaf = (moved <= MOVED).nonzero()[0].tolist()
            hearer = f"token {deaf + 1}" if moved.shape[1] > 1 else "the text's vector"
            return f"{hearer} does not change with token {changed + 1}"
    return ""


@_claim("The longest text is read to its last token")
def _long_texts_are_read_to_the_end(trial: Trial) -> str:
    length = trial.longest()
    ids = trial.words[torch.arange(2 * length) % len(trial.words)].view(2, length)
    ids[1, :-1] = ids[0, :-1]
    ids[1, -1] = trial.replaced(ids[0, -1])
    tables = trial.call(trial.inputs(ids))
    for table, by_token in zip(tables, trial.by_token):
        if by_token and table.shape[1] != length:
            return f"{length} tokens went in, {table.shape[1]} came out"
    silent = all(still(one - other) for one, other in tables)
    return f"of {length} tokens the last one does not matter" if silent else ""


@_claim("Attention weights sum to 1, none for padding")
def _attention_is_shared_among_tokens(trial: Trial) -> str | None:
    encoder = getattr(trial.model, "bert", trial.model)
    asked = asking_for_attention(encoder)
    if not asked:
        return None
    with torch.no_grad():
        attentions = encoder(**trial.batch(), **asked).attentions
    for number, probs in enumerate(attentions, 1):  # (rows, heads, seq, seq)
        sums = (probs * trial.mask[:, None, None]).sum(-1)  # (rows, heads, seq)
        sums = sums.mT[trial.mask.bool()]  # (tokens, heads); what padding looks at is free
        if seen := how_far_apart([sums], [torch.ones_like(sums)]):
            return f"sums of a row over the tokens in layer {number}: {seen}"
    return ""


@_claim("Words are read and predicted by one table")
def _table_is_tied(trial: Trial) -> str | None:
    vocab, parts = trial.config.vocab_size, list(trial.model.modules())
    tables = [m.weight for m in parts if isinstance(m, nn.Embedding) and len(m.weight) == vocab]
    decoders = [m.weight for m in parts if isinstance(m, nn.Linear) and m.out_features == vocab]
    wide = [weight for weight in decoders if tables and weight.shape == tables[0].shape]
    if not wide or not getattr(trial.config, "tie_word_embeddings", True):
        return None
    return "" if wide[0] is tables[0] else "words are read and predicted by two tables"


@_claim("The loss is the mean over labels, and nothing else counts")
def _labels_count_alike(trial: Trial) -> str | None:
    labels = trial.labels()
    if labels is None or labels.is_floating_point():
        return None
    row, batch = labels[:1], trial.batch(slice(0, 1))
    said = trial.call(batch)[0].flatten(0, -2).log_softmax(-1)  # (seq or 1, classes)
    places = row.flatten() != IGNORED_LABEL
    wanted = -said[places, row.flatten()[places]].mean()
    with torch.no_grad():
        seen = how_far_apart([trial.loss(batch, row)[None]], [wanted[None]])
    return f"{int(places.sum())} labels, and the mean of their -ln p: {seen}" if seen else ""


@_claim("A batch in parts, weighted by labels, has the loss of the whole")
def _split_batch_is_whole_batch(trial: Trial) -> str | None:
    labels = trial.labels()
    if labels is None:
        return None
    halves = (slice(0, 1), slice(1, ROWS))
    with torch.no_grad():
        whole = trial.loss(trial.batch(), labels)
        losses = torch.stack([trial.loss(trial.batch(half), labels[half]) for half in halves])
    counts = torch.stack([(labels[half] != IGNORED_LABEL).sum() for half in halves])
    seen = how_far_apart([whole[None]], [((losses * counts).sum() / counts.sum())[None]])
    return f"{counts.tolist()} labels, together and weighted: {seen}" if seen else ""


@_claim("A gradient reaches every trainable parameter, and is the slope")
def _gradients_reach_everything(trial: Trial) -> str:
    labels, batch = trial.labels(), trial.batch()
    weights = [trial.drawn_like(table) for table in trial.call(batch)]
    for weight, by_token in zip(weights, trial.by_token, strict=True):
        if by_token:  # a padding that sees nothing but padding has no slope, and is nobody's
            weight[batch["attention_mask"] == 0] = 0

    def total() -> Float[Tensor, ""]:
        tables = tables_of(trial.model(**batch))
        sums = [(weight * table).sum() for weight, table in zip(weights, tables, strict=True)]
        return torch.stack([*sums, *([] if labels is None else [trial.loss(batch, labels)])]).sum()

    total().backward()
    trained = {n: p for n, p in trial.model.named_parameters() if p.requires_grad}
    for name, parameter in trained.items():
        if lacks_gradient(parameter):
            return f"{name} has no gradient"
    return trial.off_the_slope(total, [*trained.values()])


@_claim("A new model with the saved state gives the same numbers")
def _saved_is_loaded(trial: Trial) -> str | None:
    fresh = trial.built_anew()
    if fresh is None:
        return None
    fresh.load_state_dict(trial.given.state_dict())
    batch = trial.batch()
    return how_far_apart(trial.call(batch, Trial(fresh).model), trial.call(batch))
