"""The questions behind the promises: each asks a trial, and answers whether it holds. Chapter 8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from bertbook.reader.contracts import ROLES

from .trial import NO_DROPOUT, TOLERANCE, Leaves, Trial, same_numbers

Holds = Callable[[Trial], bool]

# --- Who notices a change -------------------------------------------------------------------------


def _changed(trial: Trial, argument: str, where: Any) -> Leaves:
    """Change the input at one place, and return what has moved in each result."""
    value = trial.inputs[argument].clone()
    if value.is_floating_point():
        value[where] = value[where].flip(-1) * 2 + 1
    else:
        rows = {
            "input_ids": trial.config.vocab_size,
            "token_type_ids": trial.config.type_vocab_size,
            "position_ids": trial.config.max_position_embeddings,
        }
        value[where] = (value[where] + 1) % rows[argument]
    before, after = trial.run(trial.mine), trial.run(trial.mine, **{argument: value})
    return {name: (before[name] - after[name]).abs() > TOLERANCE for name in before}


def notices(argument: str, where: Any, here: Any) -> Holds:
    """Hold if a change there can be seen here, in the first result."""
    return lambda trial: bool(_first(_changed(trial, argument, where))[here].any())


def ignores(argument: str, where: Any, here: Any) -> Holds:
    """Hold if a change there cannot be seen here."""
    return lambda trial: not _first(_changed(trial, argument, where))[here].any()


def _first(leaves: Leaves) -> Tensor:
    return next(iter(leaves.values()))


def padding_is_ignored(trial: Trial) -> bool:
    """Hold if what stands in the padding moves no real token."""
    argument = "hidden_states" if "hidden_states" in ROLES[trial.role].called else "input_ids"
    return not _first(_changed(trial, argument, trial.padded))[trial.shown].any()


# --- Chance, and care with what is given ----------------------------------------------------------


def twice_the_same(trial: Trial) -> bool:
    """Hold if evaluation draws nothing by chance."""
    return same_numbers(trial.run(trial.mine), trial.run(trial.mine), 0)


def leaves_the_input(trial: Trial) -> bool:
    """Hold if nothing that was given has changed."""
    given, before = trial.arguments(), trial.arguments()
    trial.mine(*given)
    pairs = zip(given, before)
    return all(torch.equal(a, b) for a, b in pairs if isinstance(a, Tensor))


def no_rate_no_dropout(trial: Trial) -> bool:
    """Hold if training without dropout is evaluation."""
    trained = trial.run(trial.build(trial.kind, **NO_DROPOUT).train())
    return same_numbers(trained, trial.run(trial.mine))


def enlarges_the_rest(trial: Trial) -> bool:
    """Hold if dropout keeps the mean: what stays is divided by the share that stays."""
    dropout, ones = trial.build(trial.kind, hidden_dropout_prob=0.25).train(), torch.ones(4000)
    dropped = dropout(ones)
    kept = dropped != 0
    share = kept.double().mean().item()
    return abs(share - 0.75) < 0.05 and torch.allclose(dropped[kept], ones[kept] / 0.75)


# --- Attention ------------------------------------------------------------------------------------


def permutes(trial: Trial) -> bool:
    """Hold if the same tokens in another order give the same vectors in that order."""
    order = torch.tensor([3, 0, 4, 1, 2])
    ordered = trial.first(trial.mine, additive_mask=None)
    states = trial.inputs["hidden_states"][:, order]
    shuffled = trial.first(trial.mine, hidden_states=states, additive_mask=None)
    return bool((shuffled - ordered[:, order]).abs().max() < TOLERANCE)


def _maps(trial: Trial) -> list[Tensor]:
    found = trial.run(trial.mine)
    return [value for name, value in found.items() if "probs" in name or "attentions" in name]


def rows_sum_to_1(trial: Trial) -> bool:
    """Hold if every row of every map sums to 1."""
    return all(bool(((probs.sum(-1) - 1).abs() < TOLERANCE).all()) for probs in _maps(trial))


def padding_has_no_share(trial: Trial) -> bool:
    """Hold if every map gives padding exactly nothing."""
    hidden = trial.padded[:, None, None, :]  # (batch, 1, 1, seq)
    return not any(probs.masked_select(hidden).any() for probs in _maps(trial))


def asking_changes_nothing(trial: Trial) -> bool:
    """Hold if the vectors are the same with the map and without it."""
    asked = trial.first(trial.mine)
    other = trial.first(trial.mine, output_attentions=False, output_hidden_states=False)
    return bool((asked - other).abs().max() < TOLERANCE)


def gives_no_more_than_asked(trial: Trial) -> bool:
    """Hold if maps and states that nobody asks for are None."""
    given = trial.arguments(output_attentions=False, output_hidden_states=False)
    answer = trial.mine(*given)
    if hasattr(answer, "attentions"):
        return answer.hidden_states is None and answer.attentions is None
    return answer[1] is None


def keeps_the_config(trial: Trial) -> bool:
    """Hold if a model can say how it was built."""
    return getattr(trial.mine, "config", None) == trial.config


def the_map_is_used(trial: Trial) -> bool:
    """Hold if the map that is returned makes the context that is returned."""
    context, probs = trial.run(trial.mine).values()
    value = trial.mine.get_submodule("value")(trial.inputs["hidden_states"])
    pieces = value.unflatten(-1, (probs.shape[1], -1)).transpose(1, 2)  # as ours splits
    return bool(((probs @ pieces).transpose(1, 2).flatten(2) - context).abs().max() < TOLERANCE)


def nothing_but_padding(trial: Trial) -> bool:
    """Hold if hiding everything leaves finite numbers."""
    hidden = torch.full_like(trial.inputs["additive_mask"], torch.finfo(torch.float64).min)
    mask = torch.zeros_like(trial.inputs["attention_mask"])
    found = trial.run(trial.mine, additive_mask=hidden, attention_mask=mask)
    return all(bool(value.isfinite().all()) for value in found.values())


# --- The two ends ---------------------------------------------------------------------------------


def default_is(argument: str, value: Callable[[Trial], object]) -> Holds:
    """Hold if leaving an argument out is the same as giving what stands for it."""

    def holds(trial: Trial) -> bool:
        given = trial.run(trial.mine, **{argument: value(trial)})
        return same_numbers(trial.run(trial.mine, **{argument: None}), given)

    return holds


def vectors_take_the_place(trial: Trial) -> bool:
    """Hold if the words' own vectors give what the words give."""
    table = dict(trial.mine.named_parameters())
    words = next(value for name, value in table.items() if "word_embeddings" in name)
    vectors = words[trial.inputs["input_ids"]]  # (batch, seq, hidden)
    given = trial.run(trial.mine, input_ids=None, inputs_embeds=vectors)
    return same_numbers(given, trial.run(trial.mine))


def table_is_shared(trial: Trial) -> bool:
    """Change the table that the head was built with, and keeps: the scores must follow."""
    config = trial.config
    table = torch.nn.Embedding(config.vocab_size, config.hidden_size).double()
    head = trial.kind(config, table).double().eval()
    before = trial.first(head)
    with torch.no_grad():
        table.weight.mul_(2)
    kept = any(parameter is table.weight for parameter in head.parameters())
    return kept and bool((trial.first(head) != before).any())


def without_pooler(trial: Trial) -> bool:
    """Hold if a BERT can be built without a pooler."""
    bare = trial.kind(trial.config, add_pooling_layer=False)
    return not any(name.startswith("pooler") for name, _ in bare.named_parameters())


def without_summary(trial: Trial) -> bool:
    """Hold if a BERT without pooler returns no summary."""
    bare = trial.kind(trial.config, add_pooling_layer=False).double().eval()
    return bare(*trial.arguments()).pooler_output is None


def bias_starts_at_0(trial: Trial) -> bool:
    """Hold if no word is preferred before anything is learned."""
    return not dict(trial.start(trial.kind).named_parameters())["bias"].any()


def no_labels_no_loss(trial: Trial) -> bool:
    """Hold if a model that is told no answers returns no loss."""
    return trial.mine(*trial.arguments(labels=None, next_sentence_label=None)).loss is None


def is_called_by_names(trial: Trial) -> bool:
    """Hold if a call with Hugging Face's names for the arguments gives the same."""
    names = ROLES[trial.role].called
    try:
        by_name = trial.mine(**dict(zip(names, trial.arguments())))
    except TypeError:  # an argument of another name
        return False
    ours = trial.ours(*trial.arguments())
    return same_numbers(trial.take_apart(by_name, ours), trial.run(trial.mine))


def starts_as_ours(trial: Trial) -> bool:
    """Hold if the first weights are drawn as wide as ours, and what starts at 0 or 1 does so."""
    mine, ours = (
        dict(trial.start(kind, hidden_size=60, initializer_range=0.1).named_parameters())
        for kind in (trial.kind, type(trial.ours))
    )
    return all(_as_wide(mine[name], value) for name, value in ours.items())


def _as_wide(mine: Tensor, ours: Tensor) -> bool:
    if (ours == ours.flatten()[0]).all():  # all 0, or all 1
        return torch.equal(mine, ours)
    if mine[ours == 0].any():  # the row of the padding token
        return False
    return 2 / 3 < (mine.std() / ours.std()).item() < 3 / 2


def sum_of_losses(trial: Trial) -> bool:
    """Hold if the loss is the sum of its two parts."""
    both = trial.run(trial.mine)
    return bool((both["loss"] - both["masked_lm_loss"] - both["next_sentence_loss"]).abs() < 1e-9)
