"""Right answers to the exercises of Chapters 7 to 26, written in other ways, and in any dress.

Where a checker writes the solution otherwise, its chapter asserts that the solution passes.
"""

import json
import math
import statistics
import struct
from itertools import product
from math import comb

import numpy as np
import pytest
import torch

from bertbook.topics.answer.checks import check_best_span, check_honest_f1
from bertbook.topics.classify.checks import check_mcnemar, check_stopping, check_threshold
from bertbook.topics.embeddings.checks import (
    check_distance_bias,
    check_position_code,
)
from bertbook.topics.faster.checks import (
    check_block_mask,
    check_online_attention,
    check_quantize,
)
from bertbook.topics.heads.checks import check_mean_ablation
from bertbook.topics.layer.checks import check_layer_norm
from bertbook.topics.masked_words.checks import check_trust as check_trust_in_words
from bertbook.topics.next_sentence.checks import check_better, check_negatives
from bertbook.topics.own_data.checks import check_leaks, check_thresholds
from bertbook.topics.real_weights.checks import check_tensor, check_trust
from bertbook.topics.small_world.checks import check_never_told, check_posteriors
from bertbook.topics.tag.checks import check_best_tags, check_piece_labels
from bertbook.topics.tag.tagging import tag_pieces
from bertbook.topics.training_loop.checks import check_going_on
from bertbook.topics.vectors.checks import check_code_length, check_control_task
from berttools.classify.duplicates import normalize_text
from berttools.classify.thresholds import choose_thresholds
from minibert.data import NOT_NEXT, draw_pairs
from minibert.training.evaluation import BestWeights
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

LETTERS = WordPieceTokenizer([*SPECIAL_TOKENS, "a", "##a"])


def position_code(position, size):
    def angle(entry):
        return position / 10000 ** (2 * (entry // 2) / size)

    return np.array([(math.sin, math.cos)[n % 2](angle(n)) for n in range(size)])


def distance_bias(table, seq):
    """Take the ends apart."""
    reach = len(table) // 2
    step = torch.arange(seq).repeat(seq, 1) - torch.arange(seq).unsqueeze(1) + reach
    inside = torch.take(table, step % len(table))
    return torch.where(step < 0, table[0], torch.where(step >= len(table), table[-1], inside))


def layer_norm(x, w, b, eps):
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * w + b


def trust_in_words(seen, labels, mask_id):
    pairs = zip(seen.ravel(), labels.ravel())
    hits = [bool(shown == label) for shown, label in pairs if label != -100 and shown != mask_id]
    rate = sum(hits) / len(hits)
    return [rate, (rate * (1 - rate) / len(hits)) ** 0.5]


def better(first, second):
    gaps = [int(a) - int(b) for a, b in zip(first, second)]
    return statistics.mean(gaps), statistics.stdev(gaps) / len(gaps) ** 0.5


def going_on(saved, gradients, lr):
    t, weight, m, v = (saved[name] for name in ("step", "weight", "m", "v"))
    for g in gradients[t:]:
        t += 1
        m += (g - m) / 10
        v += (g * g - v) / 1000
        weight -= lr * m / (1 - 0.9**t) / np.sqrt(v / (1 - 0.999**t))
    return weight


def tensor(data, name):
    (length,) = struct.unpack("<Q", data[:8])
    entry = json.loads(data[8 : 8 + length])[name]
    begin, end = entry["data_offsets"]
    numbers = struct.unpack_from(f"<{(end - begin) // 4}f", data, begin + length + 8)
    return np.array(numbers).reshape(entry["shape"])


def trust(load, shapes):
    rng = np.random.default_rng(0)
    tensors = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    target = {name: np.full(shape, np.inf) for name, shape in shapes.items()}
    load(target, tensors)
    return np.all([(target[name] == tensors[name]).all() for name in shapes])


def stopping(losses, patience):
    best, model = BestWeights(patience), torch.nn.Linear(1, 1)
    for number, loss in enumerate(losses, start=1):
        best.record(loss, number, model)
        if best.is_over:
            break
    return [best.step, number]


def mcnemar(truth, first, second):
    """Go row by row."""
    only = [0, 0]
    for true, one, other in zip(truth, first, second, strict=True):
        if (one == true) != (other == true):
            only[int(other == true)] += 1
    coins, lead = sum(only), abs(only[0] - only[1])
    ways = [comb(coins, heads) for heads in range(coins + 1)]
    return sum(w for heads, w in enumerate(ways) if abs(2 * heads - coins) >= lead) / sum(ways)


def threshold(chances, truth, wanted):
    """Begin with the lowest."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == truth
    return next((t for t in np.unique(sure) if right[sure >= t].mean() >= wanted), np.inf)


def piece_labels(counts, labels):
    return tuple(tag_pieces(LETTERS, ["a" * n or "\u200b" for n in counts], labels).labels)


def legal(scores, may_follow):
    words, tags = scores.shape
    for row in product(range(tags), repeat=words):
        if all(may_follow[pair] for pair in zip((0, *row), row, strict=False)):
            yield sum(scores[range(words), row]), row


def best_span(starts, ends, inside, longest):
    """Take a table and no loop."""
    starts, ends, inside = map(torch.tensor, (starts, ends, inside))
    sums = starts[:, None] + ends[None, :]
    between = (~inside).cumsum(0)
    whole = inside[:, None] & (between[None, :] == between[:, None])
    sums = sums.masked_fill(~(whole.triu() & ~torch.ones_like(whole).triu(longest)), -torch.inf)
    return divmod(sums.argmax().item(), len(starts))


def honest_f1(leads, answered, silent, passages):
    rows = list(zip(leads.tolist(), answered.tolist(), silent.tolist(), passages.tolist()))

    def score(threshold, some):
        return [quiet if lead > threshold else loud for lead, loud, quiet, _ in some]

    total = 0.0
    for passage in dict.fromkeys(passages.tolist()):
        others = [row for row in rows if row[3] != passage]
        best = max(sorted({row[0] for row in others}), key=lambda t: sum(score(t, others)))
        total += sum(score(best, [row for row in rows if row[3] == passage]))
    return total / len(rows)


def leaks(texts, writers, train, test):
    seen = {normalize_text(texts[row]) for row in train}, {writers[row] for row in train}
    return [r for r in test if normalize_text(texts[r]) in seen[0] or writers[r] in seen[1]]


def mean_ablation(contexts, head, size):
    """Give the heads an axis of their own."""
    heads = torch.tensor(contexts).unflatten(-1, (-1, size))
    heads[:, :, head] = heads[:, :, head].mean(dim=(0, 1))
    return heads.flatten(-2).tolist()


def control_task(words, classes, order):
    distinct = [*dict.fromkeys(words)]
    givers = (distinct[order[distinct.index(word)]] for word in words)
    return [classes[words.index(giver)] for giver in givers]


def code_length(vectors, labels, ends, classes, fit):
    """Go label by label."""
    bits = [np.log2(classes)] * ends[0]
    for start, end in zip(ends, ends[1:]):
        chances = fit(vectors[:start], labels[:start])(vectors[start:end])
        bits += [-np.log(row[label]) / np.log(2) for row, label in zip(chances, labels[start:end])]
    return sum(bits)


def quantize(x):
    """Give a row of zeros a scale of its own."""
    scale = x.abs().amax(dim=1, keepdim=True) / 127
    scale[scale == 0] = 1e-9
    return (x / scale).round(), scale


def by_blocks(query, key, value, block):
    scale, total, weighted = query.shape[-1] ** -0.5, 0, 0
    largest = torch.full_like(query[..., :1], -torch.inf)
    for start in range(0, key.shape[-2], block):
        here = slice(start, start + block)
        scores = scale * query @ key[..., here, :].transpose(-1, -2)
        before, largest = largest, torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights = (scores - largest).exp()
        total = total * (before - largest).exp() + weights.sum(-1, keepdim=True)
        weighted = weighted * (before - largest).exp() + weights @ value[..., here, :]
    return weighted / total


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_position_code, position_code),
        (check_distance_bias, distance_bias),
        (check_layer_norm, layer_norm),
        (check_trust_in_words, trust_in_words),
        (check_better, better),
        (check_going_on, going_on),
        (check_never_told, lambda known, test: tuple(d for d in dict.fromkeys(test)
                                                     if d not in known)),
        (check_tensor, tensor),
        (check_trust, trust),
        (check_stopping, stopping),
        (check_mcnemar, mcnemar),
        (check_threshold, threshold),
        (check_piece_labels, piece_labels),
        (check_best_tags, lambda *given: np.array(max(legal(*given))[1])),
        (check_best_span, best_span),
        (check_honest_f1, honest_f1),
        (check_leaks, leaks),
        (check_thresholds, choose_thresholds),
        (check_mean_ablation, mean_ablation),
        (check_control_task, control_task),
        (check_code_length, code_length),
        (check_block_mask, lambda lengths: check_block_mask.right(lengths).tolist()),
        (check_online_attention, by_blocks),
        (check_quantize, quantize),
    ],
)  # fmt: skip
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


def test_the_whole_table_is_no_block():
    verdict = check_online_attention(lambda q, k, v, block: by_blocks(q, k, v, k.shape[-2]))
    assert not verdict.passed and "read 4 keys at a time" in verdict.message


def test_only_one_row_of_tags_is_the_best():
    """Otherwise a right answer could be refused."""
    for case in check_best_tags.cases:
        second, first = sorted(total for total, _ in legal(*case))[-2:]
        assert first > second


def test_the_negatives_are_those_that_the_package_draws():
    stories = check_negatives.cases[0][0]
    drawn = {
        pair.second
        for seed in range(300)
        for pair in draw_pairs(stories, 0, rng=np.random.default_rng(seed), start=0, stop=1)
        if pair.next_sentence_label == NOT_NEXT
    }
    assert drawn == {*check_negatives.right(stories, 0, 0)}


def test_a_gradient_that_is_left_in_the_table_is_told():
    """A second call would add to it."""

    def backward(probability, fits):
        seen = probability(fits.requires_grad_())
        seen.backward()
        return (fits * fits.grad / seen).detach()

    assert "changes its input" in check_posteriors(backward).message
