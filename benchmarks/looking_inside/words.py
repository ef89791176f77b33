"""What the vectors of an encoder tell about words: their senses and their classes."""

from collections.abc import Sequence

import numpy as np
import torch

from bertbook.core.attention_maps import bootstrap_interval
from bertbook.corpus import WORD_CLASSES, sense_sentences, word_classes
from bertbook.topics.vectors.probes import control_labels, cosine_gap, fit_probe, nearest_mean

from .encoders import Encoder, Telling, batches, rounded, tell


@torch.no_grad()
def sense_vectors(encoder: Encoder) -> dict[str, dict]:
    """For each word with two senses: labels, vectors in every layer, and its neighbors' vectors."""
    tokenizer, found = encoder.tokenizer, {}
    table = encoder.model.embeddings.word_embeddings.weight
    for sentence in sense_sentences():
        batch = tokenizer([sentence.text])
        ids = batch["input_ids"][0]
        place = ids.tolist().index(tokenizer.vocab[sentence.word])
        states = encoder.model(**batch, output_hidden_states=True).hidden_states
        others = [i for i in range(1, len(ids) - 1) if i != place]
        entry = found.setdefault(sentence.word, {"labels": [], "vectors": [], "neighbors": []})
        entry["labels"].append(sentence.sense)
        entry["vectors"].append(torch.stack([state[0, place] for state in states]).numpy())
        entry["neighbors"].append(table[ids[others]].mean(0).numpy())
    return found


def senses_of(encoder: Encoder) -> dict:
    """Measure layer by layer how two senses of a word lie apart, with controls."""
    vectors, rng = sense_vectors(encoder), np.random.default_rng(18)
    layers = encoder.model.config.num_hidden_layers + 1
    gap, right, shuffled, neighbors = [], [], [], []
    for entry in vectors.values():
        labels, groups = entry["labels"], [*range(8), *range(8)]
        x = np.array(entry["vectors"], dtype=np.float64)
        gap.append([cosine_gap(x[:, k], labels) for k in range(layers)])
        right.append([nearest_mean(x[:, k], labels, groups).mean() for k in range(layers)])
        dealt = [np.where(rng.random(8) < 0.5, 0, 1) for _ in range(20)]
        shuffled.append([
            np.mean([nearest_mean(x[:, k], [*d, *(1 - d)], groups).mean() for d in dealt])
            for k in range(layers)
        ])  # fmt: skip
        bag = np.array(entry["neighbors"], dtype=np.float64)
        neighbors.append(nearest_mean(bag, labels, groups).mean())
    low, high = bootstrap_interval(np.array(right), rng=rng)
    gap_low, gap_high = bootstrap_interval(np.array(gap), rng=rng)
    return {
        "words": list(vectors),
        "right_by_word": rounded(np.array(right)),
        "right": rounded(np.mean(right, axis=0)),
        "right_low": rounded(low),
        "right_high": rounded(high),
        "shuffled": rounded(np.mean(shuffled, axis=0)),
        "neighbors": rounded(np.mean(neighbors)),
        "neighbors_by_word": rounded(np.array(neighbors)),
        "gap": rounded(np.mean(gap, axis=0)),
        "gap_low": rounded(gap_low),
        "gap_high": rounded(gap_high),
    }


@torch.no_grad()
def word_vectors(encoder: Encoder, rows: Sequence[Telling]) -> list[np.ndarray]:
    """For each telling an array (layers, words, hidden); a word is the mean of its pieces."""
    found = []
    for part, batch in batches(encoder, rows):
        states = encoder.model(**batch, output_hidden_states=True).hidden_states
        stacked = torch.stack(states, dim=1)
        for number, row in enumerate(part):
            own = stacked[number]
            words = [own[:, list(pieces)].mean(1) for pieces in row.pieces]
            found.append(torch.stack(words, dim=1).double().numpy())
    return found


def probe_rows(rows: Sequence[Telling], classes: dict[str, str], most: int = 6) -> list[tuple]:
    """Pick (telling, place, word) with a class, at most so many of each word."""
    counts: dict[str, int] = {}
    picked = []
    for number in np.random.default_rng(18).permutation(len(rows)):
        for place, word in enumerate(rows[number].words):
            if word in classes and counts.get(word, 0) < most:
                counts[word] = counts.get(word, 0) + 1
                picked.append((int(number), place, word))
    return picked


def scaled(vectors: np.ndarray) -> np.ndarray:
    """Move the mean to 0 and scale all numbers alike, so that one penalty fits every layer."""
    centered = vectors - vectors.mean(axis=0)
    return centered / centered.std()


def probes_of(encoder: Encoder) -> dict:
    """Probe each layer for the class of a word, and for classes dealt by chance."""
    rows = tell(encoder, 12, seed=8)
    classes = {w: c for w, c in word_classes().items() if any(w in row.words for row in rows)}
    picked, vectors = probe_rows(rows, classes), word_vectors(encoder, rows)
    rng = np.random.default_rng(18)
    number_of = {name: number for number, name in enumerate(WORD_CLASSES)}
    tasks = {"classes": classes, "control": control_labels(classes, rng=rng)}
    words = np.array([word for _, _, word in picked])
    folds = {  # which rows are asked: tellings, or words, that the probe has not seen
        "new tellings": np.array([number % 4 == 0 for number, _, _ in picked]),
        "new words": np.isin(words, rng.permutation(sorted(classes))[: len(classes) // 4]),
    }
    report = {"words": len(classes), "places": len(picked), "right": {}, "over_words": {}}
    report["most_frequent"] = {
        split: rounded(max(np.mean([classes[w] == c for w in words[test]]) for c in WORD_CLASSES))
        for split, test in folds.items()
    }
    report["asked"] = {
        split: [int(test.sum()), len({*words[test]})] for split, test in folds.items()
    }
    for layer in range(encoder.model.config.num_hidden_layers + 1):
        x = scaled(np.stack([vectors[number][layer, place] for number, place, _ in picked]))
        for split, test in folds.items():
            hits = {}
            for task, labels in tasks.items():
                y = np.array([number_of[labels[word]] for word in words])
                probe = fit_probe(x[~test], y[~test], len(WORD_CLASSES))
                hits[task] = (probe.answers(x[test]) == y[test]).astype(float)
            hits["selectivity"] = hits["classes"] - hits["control"]
            for task, own in hits.items():
                report["right"].setdefault(task, {}).setdefault(split, []).append(
                    rounded(own.mean())
                )
                report["over_words"].setdefault(task, {}).setdefault(split, []).append(
                    over_words(own, words[test])
                )
    return report


def over_words(hits: np.ndarray, words: np.ndarray) -> float | list:
    """Draw the words again, each with all its places; return the ends of the interval."""
    _, number = np.unique(words, return_inverse=True)
    of_word, places = np.bincount(number, hits), np.bincount(number)
    even = np.full(len(places), 1 / len(places))
    drawn = np.random.default_rng(18).multinomial(len(places), even, size=2000)
    return rounded(np.quantile(drawn @ of_word / (drawn @ places), [0.025, 0.975]))
