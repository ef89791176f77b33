"""Checks of properties: each runs a pair and returns whether one holds. Chapter 8."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bertbook.reader.contracts import ROLES

from .pair import NO_DROPOUT, TOLERANCE, Leaves, ModulePair, same_numbers

Holds = Callable[[ModulePair], bool]

# --- What a change reaches ------------------------------------------------------------------------


def _changed(pair: ModulePair, argument: str, where: Any) -> Leaves:
    """Change the input at one place, and return where each output has changed."""
    value = pair.inputs[argument].clone()
    if value.is_floating_point():
        value[where] = value[where].flip(-1) * 2 + 1
    else:
        rows = {
            "input_ids": pair.config.vocab_size,
            "token_type_ids": pair.config.type_vocab_size,
            "position_ids": pair.config.max_position_embeddings,
        }
        value[where] = (value[where] + 1) % rows[argument]
    before, after = (pair.run(pair.submission), pair.run(pair.submission, **{argument: value}))
    return {name: (before[name] - after[name]).abs() > TOLERANCE for name in before}


def notices(argument: str, where: Any, here: Any) -> Holds:
    """Hold if a change there changes the first output here."""
    return lambda pair: bool(_first(_changed(pair, argument, where))[here].any())


def ignores(argument: str, where: Any, here: Any) -> Holds:
    """Hold if a change there does not change the first output here."""
    return lambda pair: not _first(_changed(pair, argument, where))[here].any()


def _first(leaves: Leaves) -> Tensor:
    return next(iter(leaves.values()))


def padding_is_ignored(pair: ModulePair) -> bool:
    """Hold if the contents of padding change no real token."""
    argument = "hidden_states" if "hidden_states" in ROLES[pair.role].called else "input_ids"
    return not _first(_changed(pair, argument, pair.padded))[pair.shown].any()


# --- Randomness, and inputs that stay as they are -------------------------------------------------


def twice_the_same(pair: ModulePair) -> bool:
    """Hold if evaluation is deterministic."""
    return same_numbers(pair.run(pair.submission), pair.run(pair.submission), 0)


def leaves_the_input(pair: ModulePair) -> bool:
    """Hold if no argument is changed in place."""
    given, before = pair.arguments(), pair.arguments()
    pair.submission(*given)
    pairs = zip(given, before)
    return all(torch.equal(a, b) for a, b in pairs if isinstance(a, Tensor))


def no_rate_no_dropout(pair: ModulePair) -> bool:
    """Hold if training without dropout is evaluation."""
    trained = pair.run(pair.build(pair.kind, **NO_DROPOUT).train())
    return same_numbers(trained, pair.run(pair.submission))


def enlarges_the_rest(pair: ModulePair) -> bool:
    """Hold if dropout keeps the mean: what stays is divided by the share that stays."""
    dropout, ones = (pair.build(pair.kind, hidden_dropout_prob=0.25).train(), torch.ones(4000))
    dropped = dropout(ones)
    kept = dropped != 0
    share = kept.double().mean().item()
    return abs(share - 0.75) < 0.05 and torch.allclose(dropped[kept], ones[kept] / 0.75)


# --- Attention ------------------------------------------------------------------------------------


def permutes(pair: ModulePair) -> bool:
    """Hold if the same tokens in another order give the same vectors in that order."""
    order = torch.tensor([3, 0, 4, 1, 2])
    ordered = pair.first(pair.submission, additive_mask=None)
    states = pair.inputs["hidden_states"][:, order]
    shuffled = pair.first(pair.submission, hidden_states=states, additive_mask=None)
    return bool((shuffled - ordered[:, order]).abs().max() < TOLERANCE)


def _maps(pair: ModulePair) -> list[Tensor]:
    found = pair.run(pair.submission)
    return [value for name, value in found.items() if "probs" in name or "attentions" in name]


def rows_sum_to_1(pair: ModulePair) -> bool:
    """Hold if every row of every map sums to 1."""
    return all(bool(((probs.sum(-1) - 1).abs() < TOLERANCE).all()) for probs in _maps(pair))


def padding_has_no_share(pair: ModulePair) -> bool:
    """Hold if padding has weight 0 in every map."""
    hidden = pair.padded[:, None, None, :]  # (batch, 1, 1, seq)
    return not any(probs.masked_select(hidden).any() for probs in _maps(pair))


def asking_changes_nothing(pair: ModulePair) -> bool:
    """Hold if the vectors are the same with the map and without it."""
    asked = pair.first(pair.submission)
    other = pair.first(pair.submission, output_attentions=False, output_hidden_states=False)
    return bool((asked - other).abs().max() < TOLERANCE)


def gives_no_more_than_asked(pair: ModulePair) -> bool:
    """Hold if maps and states that nobody asks for are None."""
    given = pair.arguments(output_attentions=False, output_hidden_states=False)
    answer = pair.submission(*given)
    if hasattr(answer, "attentions"):
        return answer.hidden_states is None and answer.attentions is None
    return answer[1] is None


def keeps_the_config(pair: ModulePair) -> bool:
    """Hold if a model keeps its configuration."""
    return getattr(pair.submission, "config", None) == pair.config


def the_map_is_used(pair: ModulePair) -> bool:
    """Hold if the map that is returned makes the context that is returned."""
    context, probs = pair.run(pair.submission).values()
    value = pair.submission.get_submodule("value")(pair.inputs["hidden_states"])
    pieces = value.unflatten(-1, (probs.shape[1], -1)).transpose(1, 2)  # as ours splits
    return bool(((probs @ pieces).transpose(1, 2).flatten(2) - context).abs().max() < TOLERANCE)


def nothing_but_padding(pair: ModulePair) -> bool:
    """Hold if hiding everything leaves finite numbers."""
    hidden = torch.full_like(pair.inputs["additive_mask"], torch.finfo(torch.float64).min)
    mask = torch.zeros_like(pair.inputs["attention_mask"])
    found = pair.run(pair.submission, additive_mask=hidden, attention_mask=mask)
    return all(bool(value.isfinite().all()) for value in found.values())


# --- The two ends ---------------------------------------------------------------------------------


def default_is(argument: str, value: Callable[[ModulePair], object]) -> Holds:
    """Hold if leaving an argument out is the same as giving what stands for it."""

    def holds(pair: ModulePair) -> bool:
        given = pair.run(pair.submission, **{argument: value(pair)})
        return same_numbers(pair.run(pair.submission, **{argument: None}), given)

    return holds


def vectors_take_the_place(pair: ModulePair) -> bool:
    """Hold if the words' own vectors give what the words give."""
    table = dict(pair.submission.named_parameters())
    words = next(value for name, value in table.items() if "word_embeddings" in name)
    vectors = words[pair.inputs["input_ids"]]  # (batch, seq, hidden)
    given = pair.run(pair.submission, input_ids=None, inputs_embeds=vectors)
    return same_numbers(given, pair.run(pair.submission))


def table_is_shared(pair: ModulePair) -> bool:
    """Change the table that the head was built with, and keeps: the scores must follow."""
    config = pair.config
    table = torch.nn.Embedding(config.vocab_size, config.hidden_size).double()
    head = pair.kind(config, table).double().eval()
    before = pair.first(head)
    with torch.no_grad():
        table.weight.mul_(2)
    kept = any(parameter is table.weight for parameter in head.parameters())
    return kept and bool((pair.first(head) != before).any())


def without_pooler(pair: ModulePair) -> bool:
    """Hold if a BERT can be built without a pooler."""
    bare = pair.kind(pair.config, add_pooling_layer=False)
    return not any(name.startswith("pooler") for name, _ in bare.named_parameters())


def without_summary(pair: ModulePair) -> bool:
    """Hold if a BERT without pooler returns no summary."""
    bare = pair.kind(pair.config, add_pooling_layer=False).double().eval()
    return bare(*pair.arguments()).pooler_output is None


def bias_starts_at_0(pair: ModulePair) -> bool:
    """Hold if no word is preferred before anything is learned."""
    return not dict(pair.start(pair.kind).named_parameters())["bias"].any()


def no_labels_no_loss(pair: ModulePair) -> bool:
    """Hold if a model without labels returns no loss."""
    return pair.submission(*pair.arguments(labels=None, next_sentence_label=None)).loss is None


def is_called_by_names(pair: ModulePair) -> bool:
    """Hold if a call with Hugging Face's names for the arguments gives the same."""
    names = ROLES[pair.role].called
    try:
        by_name = pair.submission(**dict(zip(names, pair.arguments())))
    except TypeError:  # an argument of another name
        return False
    reference = pair.reference(*pair.arguments())
    return same_numbers(pair.take_apart(by_name, reference), pair.run(pair.submission))


def starts_as_ours(pair: ModulePair) -> bool:
    """Hold if initial weights have the reference's spread, and 0s and 1s where it has them."""
    submission, reference = (
        dict(pair.start(kind, hidden_size=60, initializer_range=0.1).named_parameters())
        for kind in (pair.kind, type(pair.reference))
    )
    return all(_as_wide(submission[name], value) for name, value in reference.items())


def _as_wide(submission: Tensor, reference: Tensor) -> bool:
    if (reference == reference.flatten()[0]).all():  # all 0, or all 1
        return torch.equal(submission, reference)
    if submission[reference == 0].any():  # the row of the padding token
        return False
    return 2 / 3 < (submission.std() / reference.std()).item() < 3 / 2


def sum_of_losses(pair: ModulePair) -> bool:
    """Hold if the loss is the sum of its two parts."""
    both = pair.run(pair.submission)
    return bool((both["loss"] - both["masked_lm_loss"] - both["next_sentence_loss"]).abs() < 1e-9)
