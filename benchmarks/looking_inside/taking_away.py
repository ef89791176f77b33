"""What changes when something is taken away: a word, or a head."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bertbook.core.attention_maps import ablate_heads, bootstrap_interval, rank_correlation
from bertbook.corpus import (
    MASK_TOKEN,
    Oracle,
    Pair,
    sample_documents,
    service_requests,
    small_world,
)
from minibert.model import BertModel
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .encoders import Encoder, rounded
from .heads import carried_shares

hide_each_word = chapter_definitions("14-pre-train-a-small-world").hide_each_word

RIDDLES, NEW = 300, 1_000_018
TOLD = 100
NEEDED = 0.05  # of the oracle's belief moves if the word is hidden


def hiding_of(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Hide each word beside a riddle, and compare what changes with what attention says."""
    rng, oracle = np.random.default_rng(NEW), Oracle(small_world())
    found: dict[str, list] = {}
    words, needed, numbers = 0, [], []
    for number, document in enumerate(sample_documents(small_world(), RIDDLES, rng=rng)):
        told = [sentence.split() for sentence in document]
        place = int(rng.integers(sum(map(len, told))))
        change, said = ask(model, tokenizer, told, place)
        words += len(change)
        for name, values in said.items():
            found.setdefault(name, []).append(rank_correlation(values, change))
        attention = said["attention, all heads"]
        in_truth = oracle_changes(oracle, told, place) > NEEDED
        if in_truth.any() and not in_truth.all():
            share = attention[in_truth].sum() / attention.sum()
            numbers.append(number)
            needed.append([in_truth.sum(), share, in_truth.mean(), change[in_truth].mean(),
                           change[~in_truth].mean()])  # fmt: skip
    report = summary(found, RIDDLES, words)
    low, high = bootstrap_interval(np.array(needed), rng=np.random.default_rng(18))
    names = ("words", "attention", "attention_if_even", "change", "change_of_others")
    report["needed"] = {"riddles": len(needed), "numbers": numbers} | {
        name: {"mean": rounded(mean), "low": rounded(a), "high": rounded(b)}
        for name, mean, a, b in zip(names, np.mean(needed, axis=0), low, high)
    }
    return report


@torch.no_grad()
def hiding_in(encoder: Encoder) -> dict:
    """Hide each piece of a request, and see how far the vector of another one turns.

    This encoder has no head that guesses words, so its answer is the vector itself.
    """
    tokenizer, rng = encoder.tokenizer, np.random.default_rng(NEW)
    found: dict[str, list] = {}
    count, texts = 0, [r.text for r in service_requests("validation")]
    for text in texts:
        row = tokenizer.encode(text)
        asked = int(rng.integers(1, len(row) - 1))
        others = [seat for seat in range(1, len(row) - 1) if seat != asked]
        ids = torch.tensor([row] * (1 + len(others)))
        ids[torch.arange(1, len(ids)), others] = tokenizer.mask_token_id
        vectors = functional.normalize(encoder.model(ids).last_hidden_state[:, asked], dim=-1)
        change = 1 - (vectors[1:] @ vectors[0]).double().numpy()
        output = encoder.model(ids[:1], output_attentions=True, output_hidden_states=True)
        layers = torch.stack(output.attentions, dim=1)[0].mean(1)
        said = {
            "attention, all heads": layers.mean(0)[asked].numpy()[others],
            "attention × length": carried_to(encoder.model, output, asked)[others],
            "attention, last layer": layers[-1, asked].numpy()[others],
            "rollout": rollout(layers)[asked].numpy()[others],
            "nearness": -np.abs(np.array(others) - asked),
        }
        for name, values in said.items():
            found.setdefault(name, []).append(rank_correlation(values, change))
        count += len(others)
    return summary(found, len(texts), count)


def summary(found: dict[str, list], riddles: int, words: int) -> dict:
    """Average over riddles, and the lead over attention riddle by riddle, with intervals."""
    report = {"riddles": riddles, "words": words, "correlation": {}}
    for name, values in found.items():
        ahead = np.subtract(values, found["attention, all heads"])
        report["correlation"][name] = _mean_and_interval(values) | {
            "minus attention": _mean_and_interval(ahead)
        }
    return report


def _mean_and_interval(values: Sequence[float]) -> dict:
    kept = np.array(values)[~np.isnan(values)]
    low, high = bootstrap_interval(kept, rng=np.random.default_rng(18))
    return {
        "mean": rounded(kept.mean()),
        "low": rounded(low),
        "high": rounded(high),
        "riddles": len(kept),
    }


def rollout(layers: Tensor) -> Tensor:
    """Follow attention through the layers; half of each token comes from itself."""
    flow = torch.eye(layers.shape[-1])
    for layer in layers:
        flow = (flow + layer @ flow) / 2
    return flow


def ask(
    model: BertForPreTraining, tokenizer: WordPieceTokenizer, told: list[list[str]], place: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """For every other word: how much of the answer moves without it, and what witnesses say."""
    rows, seats = [tokenizer.cls_token_id], []
    for sentence in told:
        seats += range(len(rows), len(rows) + len(sentence))
        rows += [tokenizer.vocab[word] for word in sentence] + [tokenizer.sep_token_id]
    types = [0] * (len(told[0]) + 2) + [1] * (len(told[1]) + 1)
    asked, others = seats[place], [seat for seat in seats if seat != seats[place]]
    ids = torch.tensor([rows] * (1 + len(others)))
    truth = ids[0, asked].item()
    ids[:, asked] = tokenizer.mask_token_id
    ids[torch.arange(1, len(ids)), others] = tokenizer.mask_token_id
    batch = {"input_ids": ids, "token_type_ids": torch.tensor([types] * len(ids))}
    with torch.no_grad():
        states = model.bert(**batch).last_hidden_state[:, asked]
        beliefs = model.cls.predictions(states).double().softmax(-1)
    change = (beliefs[1:] - beliefs[0]).abs().sum(-1).numpy() / 2
    said = witnesses(model, {name: x[:1] for name, x in batch.items()}, asked, truth)
    said = {name: values[others] for name, values in said.items()}
    said["nearness"] = -np.abs(np.array(others) - asked)
    return change, said


def witnesses(model, batch: dict[str, Tensor], asked: int, truth: int) -> dict[str, np.ndarray]:
    """Say of each token how much attention it gets, and gradient × input."""
    kept = []

    def keep(module, inputs, output: Tensor) -> Tensor:
        kept.append(output.detach().requires_grad_())
        return kept[0]

    hook = model.bert.embeddings.word_embeddings.register_forward_hook(keep)
    output = model.bert(**batch, output_attentions=True, output_hidden_states=True)
    hook.remove()
    scores = model.cls.predictions(output.last_hidden_state[:, asked])
    scores.log_softmax(-1)[0, truth].backward()
    model.zero_grad()
    layers = torch.stack(output.attentions, dim=1)[0].detach().mean(1)  # layers, seq, seq
    return {
        "attention, all heads": layers.mean(0)[asked].numpy(),
        "attention × length": carried_to(model.bert, output, asked),
        "attention, layer 1": layers[0, asked].numpy(),
        "attention, layer 2": layers[1, asked].numpy(),
        "rollout": rollout(layers)[asked].numpy(),
        "gradient × input": (kept[0].grad * kept[0]).sum(-1)[0].abs().detach().numpy(),
    }


@torch.no_grad()
def carried_to(model: BertModel, output, asked: int) -> np.ndarray:
    """Weigh attention with the length of what it brings home, mean of all heads and layers."""
    shares = [
        carried_shares(layer, states, probs)[0, :, asked].mean(0)
        for layer, states, probs in zip(
            model.encoder.layer, output.hidden_states, output.attentions
        )
    ]
    return torch.stack(shares).mean(0).numpy()


def oracle_changes(oracle: Oracle, told: list[list[str]], place: int) -> np.ndarray:
    """Say of every other word how much of the best possible belief moves without it."""
    words, cut = [*told[0], *told[1]], len(told[0])
    words[place] = MASK_TOKEN
    asked = [words]
    for other in range(len(words)):
        if other != place:
            asked.append([*words[:other], MASK_TOKEN, *words[other + 1 :]])
    beliefs = oracle.read([(row[:cut], row[cut:]) for row in asked]).words
    chances = np.stack([rows[place] for rows in beliefs])
    return np.abs(chances[1:] - chances[0]).sum(-1) / 2


@torch.no_grad()
def silent_heads_of(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Measure the loss of hidden words without each head, and without each layer's heads."""
    documents = sample_documents(small_world(), TOLD, rng=np.random.default_rng(NEW + 1))
    pairs = [Pair(*document, is_next=True) for document in documents]
    batches, config = list(hide_each_word(tokenizer, pairs)), model.config

    def loss() -> np.ndarray:
        """One number for each story, so that stories can be drawn again."""
        found = []
        for batch in batches:
            places = batch["labels"] != -100
            states = model.bert(batch["input_ids"], None, batch["token_type_ids"])
            scores = model.cls.predictions(states.last_hidden_state[places]).double()
            found.append(functional.cross_entropy(scores, batch["labels"][places]).item())
        return np.array(found)

    def without(heads: list[tuple[int, int]]) -> dict[str, float]:
        with ablate_heads(model.bert, heads):
            more = loss() - whole
        low, high = bootstrap_interval(more, rng=np.random.default_rng(18))
        return {"more": rounded(more.mean()), "low": rounded(low), "high": rounded(high)}

    whole, numbers = loss(), range(config.num_attention_heads)
    layers = range(config.num_hidden_layers)
    return {
        "stories": TOLD,
        "loss": rounded(whole.mean()),
        "heads": [[without([(layer, head)]) for head in numbers] for layer in layers],
        "layers": [without([(layer, head) for head in numbers]) for layer in layers],
    }
