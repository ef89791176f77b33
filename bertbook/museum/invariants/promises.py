"""The invariants: each a small function that says what it saw where the model breaks it.

It returns nothing where the invariant holds, and None where the model leaves nothing to ask.
Chapter 26.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .exact import ONLY, dropped_unlike
from .tables import MOVED, asking_for_attention, equal_pair, how_far_apart, still, tables_of
from .trial import MORE, ROWS, SEQ, Nothing, Trial

INVARIANTS: dict[str, tuple[str, Callable[[Trial], str | None]]] = {}  # by name: claim, function


def invariant(sentence: str) -> Callable:
    """Keep a function as an invariant, under the name that it has without its first _."""

    def keep(look: Callable[[Trial], str | None]) -> Callable[[Trial], str | None]:
        INVARIANTS[look.__name__[1:]] = sentence, look
        return look

    return keep


@invariant("Evaluation twice gives the same numbers")
def _evaluation_repeats(trial: Trial) -> str:
    model, batch = trial.copied(torch.float32, dropout=True), trial.batch()
    return how_far_apart(trial.call(batch, model, True), trial.call(batch, model, True))


@invariant("Training differs from evaluation by dropout only")
def _training_adds_dropout_only(trial: Trial) -> str:
    batch, learning = trial.batch(), trial.copied(torch.float32, dropout=True).train()
    calm = trial.at_tokens(batch)
    if seen := how_far_apart(trial.at_tokens(batch, trial.copied().train()), calm):
        return seen
    one, other = (trial.call(batch, learning, True) for _ in range(2))
    if trial.drops and all(still(a - b) for a, b in zip(one, other)):
        return "with dropout switched on nothing is dropped"
    learning = trial.copied().train()
    for name in trial.drops:
        if trial.is_idle_by_design(name):
            continue
        part: Any = learning.get_submodule(name)
        part.p = ONLY
        if all(still(a - b) for a, b in zip(trial.at_tokens(batch, learning), calm)):
            return f"{name} drops nothing"
        part.p = 0.0
    return dropped_unlike(trial.given)


@invariant("A call changes nothing of the calls around it")
def _calls_stay_apart(trial: Trial) -> str:
    first = tables_of(trial.run(trial.batch()))
    kept = [table.detach().clone() for table in first]
    trial.call(trial.inputs(trial.replaced(trial.ids)))
    return how_far_apart(first, kept) or how_far_apart(trial.call(trial.batch()), kept)


@invariant("A text has the same numbers whoever shares its batch")
def _batch_mates_do_not_matter(trial: Trial) -> str:
    together = trial.call(trial.batch())
    for row in range(ROWS):
        alone = trial.call(trial.batch(slice(row, row + 1)))
        if seen := how_far_apart([table[row : row + 1] for table in together], alone):
            return f"text {row + 1} of {ROWS} against the same text alone: {seen}"
    return ""


@invariant("Padding changes nothing at the tokens")
def _padding_changes_nothing(trial: Trial) -> str:
    for ids, length in zip(trial.ids[[0, 1, 2, 3, 0]], [*trial.mask.sum(dim=1).tolist(), 1]):
        filler = trial.words[torch.arange(MORE) % len(trial.words)]
        padded = torch.cat([ids[:length], filler])[None]  # (1, length + MORE)
        mask = (torch.arange(padded.shape[1]) < length).long()[None]
        short = trial.at_tokens(trial.inputs(ids[None, :length]))
        if seen := how_far_apart(trial.at_tokens(trial.inputs(padded, mask)), short):
            return f"{length} tokens with {MORE} columns of padding and without: {seen}"
    ids = trial.words[torch.arange(MORE + SEQ) % len(trial.words)][None]
    for where, start in (("on the left", 0), ("in the middle", SEQ // 2)):
        columns = torch.arange(MORE + SEQ) - start
        mask = ((columns < 0) | (columns >= MORE)).long()[None]
        both = [torch.where(mask == 0, word, ids) for word in trial.words[-2:]]
        tables = [trial.at_tokens(trial.inputs(each, mask)) for each in both]
        # a text's vector may be that of its first column, and on the left this is padding
        told = ([t for t, by in zip(each, trial.by_token) if by or start] for each in tables)
        if seen := how_far_apart(*told):
            unasked = Nothing("it may look for what these texts do not have")
            said = f"another word at {MORE} columns of padding {where}: {seen}"
            return unasked if trial.unasked else said
    return ""


@invariant("A text of nothing but padding gives finite numbers in 32 and 16 bits")
def _padding_alone_gives_numbers(trial: Trial) -> str:
    mask = trial.mask.clone()
    mask[0] = 0
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        model = trial.copied(dtype)
        try:
            trial.call(trial.inputs(trial.ids), model, True)
        except (RuntimeError, TypeError):
            continue  # there is no such model in so few bits
        tables = trial.call(trial.inputs(trial.ids, mask), model, True)
        if not all(table.isfinite().all() for table in tables):
            return f"NaN or infinity in {dtype}"
    return ""


@invariant("No mask means a mask of ones, and no segments the first one")
def _no_mask_means_all_ones(trial: Trial) -> str:
    batch = trial.inputs(trial.ids)
    masked = trial.call(batch)
    del batch["attention_mask"]
    if (seen := how_far_apart(trial.call(batch), masked)) or not trial.segments:
        return seen
    first = trial.call(batch | {"token_type_ids": torch.zeros_like(trial.ids)})
    del batch["token_type_ids"]
    seen = how_far_apart(trial.call(batch), first)
    return Nothing("it may make segments of its own") if seen and trial.unasked else seen


@invariant("A word that stands twice in a text has two vectors")
def _places_matter(trial: Trial) -> str:
    length = trial.longest()
    ids = trial.words[torch.randint(len(trial.words), (1, length), generator=trial.generator)]
    places = torch.randperm(length - 2, generator=trial.generator)[: length // 2]
    places = torch.cat([places, torch.arange(length - 2, length)])
    ids[0, places] = trial.words[0]  # one word at every second place, by chance, and at the end
    batch = {name: table for name, table in trial.inputs(ids).items() if name != "token_type_ids"}
    for table, by_token in zip(trial.call(batch), trial.by_token):
        if by_token and table.shape[1] == length and (pair := equal_pair(table[0, places])):
            one, other = places[pair].sort().values.tolist()
            return f"at places {one} and {other} a word has the same numbers"
    return ""


@invariant("The other segment gives other numbers")
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


@invariant("Every token changes the vector of every token")
def _every_token_hears_every_token(trial: Trial) -> str:
    words = trial.many_words()
    ids = trial.words[:3].repeat(len(words), 1)
    ids[:, 1] = words
    for parts in zip(*(trial.call(trial.inputs(part)) for part in ids.split(SEQ))):
        if pair := equal_pair(torch.cat(parts)):
            one, other = words[pair].tolist()
            return f"words {one} and {other} give the same numbers"
    if (reach := trial.reach()) < SEQ - 1:
        return Nothing(f"its windows reach {reach} tokens far")
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


@invariant("The longest text is read to its last token")
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


@invariant("Attention weights sum to 1, none for padding")
def _attention_is_shared_among_tokens(trial: Trial) -> str | None:
    if not (asked := asking_for_attention(trial.encoder)):
        return None
    with torch.no_grad():
        attentions = trial.encode(trial.batch(), **asked).attentions
    if not attentions or attentions[0].shape[-2:] != (SEQ, SEQ):
        return Nothing("it gives no table of tokens by tokens")
    for number, probs in enumerate(attentions, 1):  # (rows, heads, seq, seq)
        sums = (probs * trial.mask[:, None, None]).sum(-1)  # (rows, heads, seq)
        sums = sums.mT[trial.mask.bool()]  # (tokens, heads); what padding looks at is free
        if seen := how_far_apart([sums], [torch.ones_like(sums)]):
            return f"sums of a row over the tokens in layer {number}: {seen}"
    return ""
