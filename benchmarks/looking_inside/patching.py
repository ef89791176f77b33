"""What a head brings to a hidden pronoun: swap the person there, or take the head away.

A story about ben and its twin about anna differ in the hero and the pronouns only. All pronouns are
hidden. What one head brings home in the twin is put into the story: does the answer follow?
"""

from itertools import chain

import numpy as np
import torch
from torch import Tensor

from bertbook.core.attention_maps import bootstrap_interval, patch_heads
from minibert.model import BertModel
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

from .encoders import rounded
from .people import HEROES, WAYS, Told, by_story, encode, tell_stories

TELLINGS = 4
SURE = 0.75  # of the two forms of a pronoun, this one has more than that


def twin_of(told: Told, rng: np.random.Generator) -> Told:
    """Tell the story of a man about a woman: the name and every pronoun change."""
    woman = HEROES[rng.integers(4)]
    man = next(row for row in HEROES if row[0] in chain.from_iterable(told.words))
    words = tuple(
        tuple(woman[man.index(word)] if role in ("hero", "pronoun") else word
              for word, role in zip(sentence, roles, strict=True))
        for sentence, roles in zip(told.words, told.roles, strict=True)
    )  # fmt: skip
    return told._replace(words=words)


def men_of(rows: list[Told]) -> list[Told]:
    """Keep the stories of the four men."""
    return [row for row in rows if row.words[0][0] in {hero[0] for hero in HEROES[4:]}]


class Hidden:
    """A story with its pronouns hidden, and where they stand."""

    def __init__(self, tokenizer: WordPieceTokenizer, told: Told) -> None:
        ids, self.types, seats = encode(tokenizer, told)
        roles = list(chain.from_iterable(told.roles))
        self.seats = [s[0] for s, role in zip(seats, roles, strict=True) if role == "pronoun"]
        self.truth, self.ids = ids[0, self.seats], ids.clone()
        self.ids[0, self.seats] = tokenizer.mask_token_id


@torch.no_grad()
def lead(model: BertForPreTraining, hidden: Hidden, other: Hidden) -> Tensor:
    """Say by how many nats each pronoun's own form leads that of the other story."""
    states = model.bert(hidden.ids, token_type_ids=hidden.types).last_hidden_state[0]
    logits = model.cls.predictions(states[hidden.seats]).double()
    rows = torch.arange(len(logits))
    return logits[rows, hidden.truth] - logits[rows, other.truth]


@torch.no_grad()
def contexts_of(model: BertModel, hidden: Hidden) -> list[Tensor]:
    """Return what all heads bring home, (seq, heads, head_size) for each layer."""
    kept: list[Tensor] = []
    hooks = [
        layer.attention.output.register_forward_pre_hook(
            lambda module, inputs: kept.append(inputs[0][0])
        )
        for layer in model.encoder.layer
    ]
    model(hidden.ids, token_type_ids=hidden.types)
    for hook in hooks:
        hook.remove()
    return [context.unflatten(-1, (-1, model.config.head_size)) for context in kept]


def patches_of(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Swap the person at each head in turn; units are stories."""
    report = {}
    for way in ("as ever", "words in front"):
        rng, rows = np.random.default_rng(18), men_of(tell_stories(TELLINGS, 18))
        found = []
        for row in rows:
            told = WAYS[way](row, rng)
            found.append(patched(model, tokenizer, told, twin_of(told, rng)))
        stories = by_story(np.array([row.story for row in rows]), np.stack(found))
        low, high = bootstrap_interval(stories, rng=np.random.default_rng(18))
        report[way] = {
            "stories": len(stories),
            "tellings": len(rows),
            "columns": ["lead", "moved", "whole_way", "follows"],
            "mean": rounded(stories.mean(axis=0)),
            "low": rounded(low),
            "high": rounded(high),
        }
    return report


def certainty_of(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Say how often the model is sure of one form of a pronoun, and how often that one is wrong.

    A mean lead of 0 may be a model that wavers everywhere, or one that is sure and right as often
    as it is wrong.
    """
    report = {}
    for way in ("as ever", "words in front"):
        rng, rows = np.random.default_rng(18), men_of(tell_stories(TELLINGS, 18))
        found = []
        for row in rows:
            told = WAYS[way](row, rng)
            both = [Hidden(tokenizer, one) for one in (told, twin_of(told, rng))]
            leads = [lead(model, own, other) for own, other in (both, both[::-1])]
            chance = torch.cat(leads).sigmoid().numpy()
            kinds = chance > SURE, chance < 1 - SURE, chance < 0.5
            found.append([kind.mean() for kind in kinds])
        stories = by_story(np.array([row.story for row in rows]), np.array(found))
        low, high = bootstrap_interval(stories, rng=np.random.default_rng(18))
        report[way] = {
            name: rounded([stories[:, k].mean(), low[k], high[k]])
            for k, name in enumerate(("sure and right", "sure and wrong", "wrong"))
        }
    return report


def patched(
    model: BertForPreTraining, tokenizer: WordPieceTokenizer, told: Told, twin: Told
) -> np.ndarray:
    """Return (layers, heads, 4), over both directions.

    The lead of the right pronoun before, by how many nats the swap moves it, how far the twin is,
    and how many pronouns change their sex.
    """
    both = Hidden(tokenizer, told), Hidden(tokenizer, twin)
    config, found = model.config, []
    for own, other in (both, both[::-1]):
        before, goal = lead(model, own, other), -lead(model, other, own)
        donor = contexts_of(model.bert, other)
        for layer, head in np.ndindex(config.num_hidden_layers, config.num_attention_heads):
            with patch_heads(model.bert, {(layer, head): donor[layer][:, head]}):
                after = lead(model, own, other)
            follows = ((before > 0) & (after < 0)).double()
            told = before, before - after, before - goal, follows
            found.append([values.mean().item() for values in told])
    shape = (2, config.num_hidden_layers, config.num_attention_heads, 4)
    return np.array(found).reshape(shape).mean(axis=0)


@torch.no_grad()
def losses(model: BertForPreTraining, tokenizer: WordPieceTokenizer, told: Told) -> list[float]:
    """Hide each word once; return the mean loss of the pronouns and that of the other words."""
    ids, types, seats = encode(tokenizer, told)
    places = [s[0] for s in seats]
    rows = torch.arange(len(places))
    hidden = ids.repeat(len(places), 1)
    hidden[rows, places] = tokenizer.mask_token_id
    states = model.bert(hidden, token_type_ids=types.repeat(len(places), 1)).last_hidden_state
    logs = model.cls.predictions(states[rows, places]).double().log_softmax(-1)
    costs = -logs[rows, ids[0, places]].numpy()
    asked = np.array([role == "pronoun" for role in chain.from_iterable(told.roles)])
    return [costs[asked].mean(), costs[~asked].mean()]


def ablations_of(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Take each head of the last layer away in two ways: by nothing, and by what it mostly says."""
    rows, last = tell_stories(TELLINGS, 18), model.config.num_hidden_layers - 1
    numbers, report = np.array([row.story for row in rows]), {}
    others = [Hidden(tokenizer, told) for told in tell_stories(2, 19)]
    usual = torch.cat([contexts_of(model.bert, told)[last] for told in others]).mean(dim=0)
    whole = np.array([losses(model, tokenizer, told) for told in rows])
    for head in range(model.config.num_attention_heads):
        for name, context in (("zero", 0.0), ("mean", usual[head])):
            with patch_heads(model.bert, {(last, head): context}):
                more = np.array([losses(model, tokenizer, told) for told in rows]) - whole
            stories = by_story(numbers, more)
            low, high = bootstrap_interval(stories, rng=np.random.default_rng(18))
            report.setdefault(name, []).append(rounded([stories.mean(axis=0), low, high]))
    return {"stories": len(stories), "tellings": len(rows), "columns": ["pronouns", "others"],
            "whole": rounded(by_story(numbers, whole).mean(axis=0)), **report}  # fmt: skip
