"""The invariants: each a small function that says what it saw where the model breaks it.

It returns nothing where the invariant holds, and None where the model leaves nothing to ask.
Chapter 26.
"""

from collections.abc import Callable
from typing import Any

import torch

from .exact import ONLY, dropped_unlike, off_the_mean
from .harness import MORE, ROWS, SEQ, Harness, ModelError, NotApplicable
from .tensors import MOVED, asking_for_attention, equal_pair, how_far_apart, still, tensors_of

INVARIANTS: dict[str, tuple[str, Callable[[Harness], str | None]]] = {}  # by name: claim, function


def invariant(sentence: str) -> Callable:
    """Keep a function as an invariant, under the name that it has without its first _."""

    def keep(check: Callable[[Harness], str | None]) -> Callable[[Harness], str | None]:
        INVARIANTS[check.__name__[1:]] = sentence, check
        return check

    return keep


@invariant("Evaluation twice gives the same numbers")
def _evaluation_repeats(harness: Harness) -> str:
    model, batch = harness.copied(torch.float32, dropout=True), harness.batch()
    return how_far_apart(harness.call(batch, model, True), harness.call(batch, model, True))


@invariant("Training differs from evaluation by dropout only")
def _training_adds_dropout_only(harness: Harness) -> str:
    batch, learning = harness.batch(), harness.copied(torch.float32, dropout=True).train()
    calm = harness.at_tokens(batch)
    if seen := how_far_apart(harness.at_tokens(batch, harness.copied().train()), calm):
        return seen
    one, other = (harness.call(batch, learning, True) for _ in range(2))
    if harness.drops and all(still(a - b) for a, b in zip(one, other)):
        return "with dropout switched on nothing is dropped"
    learning = harness.copied().train()
    for name in harness.drops:
        if harness.is_idle_by_design(name):
            continue
        part: Any = learning.get_submodule(name)
        part.p = ONLY
        if all(still(a - b) for a, b in zip(harness.at_tokens(batch, learning), calm)):
            return f"{name} drops nothing"
        part.p = 0.0
    return dropped_unlike(harness.given)


@invariant("Dropout keeps the mean, and drops other numbers in each text")
def _dropout_keeps_the_mean(harness: Harness) -> str | None:
    for name in harness.drops:
        part: Any = harness.given.get_submodule(name)
        if seen := off_the_mean(part):
            return f"{name} {seen}"
    return "" if harness.drops else None


@invariant("A call changes nothing of the calls around it")
def _calls_stay_apart(harness: Harness) -> str:
    first = tensors_of(harness.run(harness.batch()))
    kept = [table.detach().clone() for table in first]
    harness.call(harness.inputs(harness.replaced(harness.ids)))
    return how_far_apart(first, kept) or how_far_apart(harness.call(harness.batch()), kept)


@invariant("A text has the same numbers whoever shares its batch")
def _batch_mates_do_not_matter(harness: Harness) -> str:
    together = harness.call(harness.batch())
    for row in range(ROWS):
        alone = harness.call(harness.batch(slice(row, row + 1)))
        if seen := how_far_apart([table[row : row + 1] for table in together], alone):
            return f"text {row + 1} of {ROWS} against the same text alone: {seen}"
    return ""


@invariant("Padding changes nothing at the tokens")
def _padding_changes_nothing(harness: Harness) -> str:
    for ids, length in zip(harness.ids[[0, 1, 2, 3, 0]], [*harness.mask.sum(dim=1).tolist(), 1]):
        filler = harness.words[torch.arange(MORE) % len(harness.words)]
        padded = torch.cat([ids[:length], filler])[None]  # (1, length + MORE)
        mask = (torch.arange(padded.shape[1]) < length).long()[None]
        short = harness.at_tokens(harness.inputs(ids[None, :length]))
        if seen := how_far_apart(harness.at_tokens(harness.inputs(padded, mask)), short):
            return f"{length} tokens with {MORE} columns of padding and without: {seen}"
    ids = harness.words[torch.arange(MORE + SEQ) % len(harness.words)][None]
    for where, start in (("on the left", 0), ("in the middle", SEQ // 2)):
        columns = torch.arange(MORE + SEQ) - start
        mask = ((columns < 0) | (columns >= MORE)).long()[None]
        both = [torch.where(mask == 0, word, ids) for word in harness.words[-2:]]
        tables = [harness.at_tokens(harness.inputs(each, mask)) for each in both]
        # a text's vector may be that of its first column, and on the left this is padding
        kept = ([t for t, by in zip(each, harness.by_token) if by or start] for each in tables)
        if seen := how_far_apart(*kept):
            unasked = NotApplicable("it may look for what these texts do not have")
            message = f"another word at {MORE} columns of padding {where}: {seen}"
            return unasked if harness.unasked else message
    return ""


@invariant("A text of nothing but padding gives finite numbers in 32 and 16 bits")
def _padding_alone_gives_numbers(harness: Harness) -> str:
    mask = harness.mask.clone()
    mask[0] = 0
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        model = harness.copied(dtype)
        try:
            harness.call(harness.inputs(harness.ids), model, True)
        except ModelError:
            continue  # there is no such model in so few bits
        tables = harness.call(harness.inputs(harness.ids, mask), model, True)
        if not all(table.isfinite().all() for table in tables):
            return f"NaN or infinity in {dtype}"
    return ""


@invariant("No mask means a mask of ones, and no segments the first one")
def _no_mask_means_all_ones(harness: Harness) -> str:
    batch = harness.inputs(harness.ids)
    masked = harness.call(batch)
    del batch["attention_mask"]
    if (seen := how_far_apart(harness.call(batch), masked)) or not harness.segments:
        return seen
    first = harness.call(batch | {"token_type_ids": torch.zeros_like(harness.ids)})
    del batch["token_type_ids"]
    seen = how_far_apart(harness.call(batch), first)
    return NotApplicable("it may make segments of its own") if seen and harness.unasked else seen


@invariant("A word that stands twice in a text has two vectors")
def _places_matter(harness: Harness) -> str:
    length = harness.longest()
    ids = harness.words[torch.randint(len(harness.words), (1, length), generator=harness.generator)]
    places = torch.randperm(length - 2, generator=harness.generator)[: length // 2]
    places = torch.cat([places, torch.arange(length - 2, length)])
    ids[0, places] = harness.words[0]  # one word at every second place, by chance, and at the end
    batch = {name: table for name, table in harness.inputs(ids).items() if name != "token_type_ids"}
    for table, by_token in zip(harness.call(batch), harness.by_token):
        if by_token and table.shape[1] == length and (pair := equal_pair(table[0, places])):
            one, other = places[pair].sort().values.tolist()
            return f"at places {one} and {other} a word has the same numbers"
    return ""


@invariant("The other segment gives other numbers")
def _segments_matter(harness: Harness) -> str | None:
    if not harness.segments:
        return None
    batch = harness.inputs(harness.ids)
    one, two = (
        harness.call(batch | {"token_type_ids": torch.full_like(harness.ids, segment)})
        for segment in (0, 1)
    )
    silent = all(still(a - b) for a, b in zip(one, two))
    return "segments 0 and 1 give the same numbers" if silent else ""


@invariant("Every token changes the vector of every token")
def _every_token_changes_every_token(harness: Harness) -> str:
    words = harness.many_words()
    ids = harness.words[:3].repeat(len(words), 1)
    ids[:, 1] = words
    for parts in zip(*(harness.call(harness.inputs(part)) for part in ids.split(SEQ))):
        if pair := equal_pair(torch.cat(parts)):
            one, other = words[pair].tolist()
            return f"words {one} and {other} give the same numbers"
    if (reach := harness.reach()) < SEQ - 1:
        return NotApplicable(f"its windows reach {reach} tokens far")
    ids = harness.ids[:1].repeat(SEQ, 1)  # row j is to have another token j
    other = torch.where(torch.eye(SEQ).bool(), harness.replaced(ids), ids)
    before, after = harness.call(harness.inputs(ids)), harness.call(harness.inputs(other))
    for a, b, by_token in zip(after, before, harness.by_token):
        # How much token j moves token i, or the text's vector: (seq, seq) or (seq, 1)
        moved = (a - b).abs().reshape(SEQ, SEQ if by_token else 1, -1).amax(-1)
        if not bool((moved > MOVED).all()):
            changed, unmoved = (moved <= MOVED).nonzero()[0].tolist()
            output = f"token {unmoved + 1}" if moved.shape[1] > 1 else "the text's vector"
            return f"{output} does not change with token {changed + 1}"
    return ""


@invariant("The longest text is read to its last token")
def _long_texts_are_read_to_the_end(harness: Harness) -> str:
    length = harness.longest()
    ids = harness.words[torch.arange(2 * length) % len(harness.words)].view(2, length)
    ids[1, :-1] = ids[0, :-1]
    ids[1, -1] = harness.replaced(ids[0, -1])
    tables = harness.call(harness.inputs(ids))
    for table, by_token in zip(tables, harness.by_token):
        if by_token and table.shape[1] != length:
            return f"{length} tokens went in, {table.shape[1]} came out"
    silent = all(still(one - other) for one, other in tables)
    return f"of {length} tokens the last one does not matter" if silent else ""


@invariant("Attention weights sum to 1, none for padding")
def _attention_is_shared_among_tokens(harness: Harness) -> str | None:
    if not (asked := asking_for_attention(harness.encoder)):
        return None
    with torch.no_grad():
        attentions = harness.encode(harness.batch(), **asked).attentions
    if not attentions or attentions[0].shape[-2:] != (SEQ, SEQ):
        return NotApplicable("it gives no table of tokens by tokens")
    for number, probs in enumerate(attentions, 1):  # (rows, heads, seq, seq)
        sums = (probs * harness.mask[:, None, None]).sum(-1)  # (rows, heads, seq)
        sums = sums.mT[harness.mask.bool()]  # (tokens, heads); what padding looks at is free
        if seen := how_far_apart([sums], [torch.ones_like(sums)]):
            return f"sums of a row over the tokens in layer {number}: {seen}"
    return ""
