"""What vectors are like on their way through a real encoder: a word's, and those of [CLS]."""

import copy

import numpy as np
import torch

from bertbook.core.attention_maps import bootstrap_interval
from bertbook.corpus import REQUEST_LABELS, service_requests
from bertbook.topics.vectors.probes import cosine_gap, nearest_mean
from minibert.model import BertModel

from .encoders import Encoder, rounded
from .words import sense_vectors

SHOWN = (
    "the bank of the river was steep .",
    "the bank lent him the money for a house .",
    "anna lost her key , but ben found the key .",
)
SHUFFLES = range(3)
STREAM = (
    *("length", "before", "before_other", "first", "first_other"),
    *("last", "last_other", "own_row", "by_chance"),
)


@torch.no_grad()
def states_of(encoder: Encoder, text: str) -> tuple[np.ndarray, list[int]]:
    """Return the vectors of every layer, (layers + 1, seq, hidden), and the ids."""
    batch = encoder.tokenizer([text])
    states = encoder.model(**batch, output_hidden_states=True).hidden_states
    return torch.cat(states).double().numpy(), batch["input_ids"][0].tolist()


def unit(vectors: np.ndarray) -> np.ndarray:
    """Scale each vector to length 1."""
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def way_of(states: np.ndarray) -> np.ndarray:
    """Follow the words of one sentence: (layers + 1, columns of STREAM, words).

    A word's vector is compared with its own one in the layer before, in the first and in the last,
    and, as a control, with those of the other words there. `own_row` asks whether its own vector
    of layer 0 is the most similar one among those of the sentence.
    """
    words = unit(states[:, 1:-1])
    count = words.shape[1]
    found = []
    for layer, own in enumerate(words):
        before = words[max(layer - 1, 0)]
        row = [np.linalg.norm(states[layer, 1:-1], axis=-1)]
        for goal in (before, words[0], words[-1]):
            cosines = own @ goal.T
            row += [np.diag(cosines), (cosines.sum(1) - np.diag(cosines)) / (count - 1)]
        nearest = (own @ words[0].T).argmax(axis=1)
        found.append([*row, nearest == np.arange(count), np.full(count, 1 / count)])
    return np.array(found, dtype=float)


def shuffled(encoder: Encoder, seed: int) -> Encoder:
    """Copy an encoder and shuffle the numbers of each matrix of its layers among themselves.

    The sizes of the weights stay, and what they have learned goes. Table, biases and LayerNorms
    stay as they are.
    """
    copied = copy.deepcopy(encoder.model)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for matrix in (p for p in copied.encoder.parameters() if p.dim() == 2):
            order = torch.randperm(matrix.numel(), generator=generator)
            matrix.copy_(matrix.flatten()[order].view_as(matrix))
    return Encoder(copied, encoder.tokenizer)


def shrunk(encoder: Encoder, seed: int, texts: list[str]) -> Encoder:
    """Shuffle an encoder, and scale what each layer adds until it changes a word as much as before.

    As much means: the same mean cosine with the layer before, layer by layer from below.
    """
    own, column = shuffled(encoder, seed), STREAM.index("before")
    goals = mean_ways([encoder], texts).mean(axis=0)[:, column]
    for place, layer in enumerate(own.model.encoder.layer, start=1):
        added = [dense.weight.data for dense in (layer.attention.output.dense, layer.output.dense)]
        whole, low, high = [matrix.clone() for matrix in added], 0.0, 1.0
        for _ in range(8):
            middle = (low + high) / 2
            for matrix, before in zip(added, whole):
                matrix.copy_(middle * before)
            too_little = mean_ways([own], texts).mean(axis=0)[place, column] > goals[place]
            low, high = (middle, high) if too_little else (low, middle)
    return own


def mean_ways(encoders: list[Encoder], texts: list[str]) -> np.ndarray:
    """Follow the words of each text, and average over them, and over encoders."""
    return np.mean(
        [[way_of(states_of(own, text)[0]).mean(axis=-1) for text in texts] for own in encoders],
        axis=0,
    )


def stream_of(encoder: Encoder) -> dict:
    """Follow the words of 120 requests through an encoder, and through its controls.

    One never trained, so that its weights are small and its layers do little; others have the
    trained weights in another order, as they are and shrunk to steps as short as the trained ones.
    """
    texts = [request.text for request in service_requests("validation")]
    torch.manual_seed(18)
    encoders = {
        "trained": [encoder],
        "untrained": [Encoder(BertModel(encoder.model.config).eval(), encoder.tokenizer)],
        "shuffled": [shuffled(encoder, seed) for seed in SHUFFLES],
        "shrunk": [shrunk(encoder, seed, texts[:20]) for seed in SHUFFLES],
    }
    report: dict = {"sentences": len(texts), "columns": STREAM, "shuffles": len(SHUFFLES)}
    for name, own in encoders.items():
        ways = mean_ways(own, texts)
        low, high = bootstrap_interval(ways, rng=np.random.default_rng(18))
        report[name] = {
            "mean": rounded(ways.mean(axis=0)), "low": rounded(low), "high": rounded(high),
        }  # fmt: skip
    report["shown"] = []
    for text in SHOWN:
        states, ids = states_of(encoder, text)
        pieces = [encoder.tokenizer.pieces[i] for i in ids[1:-1]]
        report["shown"].append({"words": pieces, "way": rounded(way_of(states)[:, :7])})
    return report


def even_classes(requests: list) -> tuple[list[str], list[int]]:
    """Label requests, and number those of each class, so that one of each is kept out together."""
    labels = [request.label for request in requests]
    groups = [labels[:k].count(label) for k, label in enumerate(labels)]
    assert all(labels.count(label) == len(labels) // 3 for label in REQUEST_LABELS)
    return labels, groups


def mean_cosine(vectors: np.ndarray) -> float:
    """Average the cosine over all pairs."""
    first, second = np.triu_indices(len(vectors), k=1)
    return float((unit(vectors) @ unit(vectors).T)[first, second].mean())


def centered_gap(vectors: np.ndarray, labels: list[str]) -> float:
    """Compare cosines after the mean of all vectors is gone; 0 if nothing is left then."""
    moved = vectors - vectors.mean(axis=0)
    return cosine_gap(moved, labels) if np.abs(moved).max() > 1e-4 else 0.0


def whole_texts_of(encoder: Encoder) -> dict:
    """Ask one vector for a whole request: [CLS], [SEP], the first word, and the mean of the words.

    How alike are those of different requests, and how often is a request nearest to the mean of
    its own department? The rival is the mean of the table's rows, which no layer has changed.
    """
    requests = [r for part in ("train", "validation") for r in service_requests(part)
                if r.origin == "hand"]  # fmt: skip
    labels, groups = even_classes(requests)
    table = encoder.model.embeddings.word_embeddings.weight.detach().double().numpy()
    told = [states_of(encoder, request.text) for request in requests]
    vectors = {
        "[CLS]": np.stack([states[:, 0] for states, _ in told], axis=1),
        "[SEP]": np.stack([states[:, -1] for states, _ in told], axis=1),
        "first word": np.stack([states[:, 1] for states, _ in told], axis=1),
        "mean of words": np.stack([states[:, 1:-1].mean(axis=1) for states, _ in told], axis=1),
        "table rows": np.stack([table[ids[1:-1]].mean(axis=0) for _, ids in told])[None],
    }
    hits = {name: np.stack([nearest_mean(own, labels, groups) for own in layers])
            for name, layers in vectors.items()}  # fmt: skip
    # At layer 0 all [CLS] are one vector: a tie of three, and which of them wins is chance.
    hits["[CLS]"][0] = 1 / len(REQUEST_LABELS)
    report: dict = {"requests": len(requests), "classes": len(REQUEST_LABELS)}
    for name, layers in vectors.items():
        low, high = bootstrap_interval(hits[name].T, rng=np.random.default_rng(18))
        report[name] = {
            "length": rounded(np.linalg.norm(layers, axis=-1).mean(axis=-1)),
            "cosine": rounded([mean_cosine(own) for own in layers]),
            "gap": rounded([cosine_gap(own, labels) for own in layers]),
            "centered_gap": rounded([centered_gap(own, labels) for own in layers]),
            "right": rounded(hits[name].mean(axis=-1)),
            "low": rounded(low),
            "high": rounded(high),
        }
    report["paired"] = {
        f"[CLS] minus {name}": _paired(hits["[CLS]"][-1] - hits[name][-1])
        for name in ("[SEP]", "first word", "mean of words", "table rows")
    } | {
        "mean of words minus table rows": _paired(
            hits["mean of words"][-1] - hits["table rows"][-1]
        )
    }
    return report


def _paired(ahead: np.ndarray) -> list[float]:
    low, high = bootstrap_interval(ahead, rng=np.random.default_rng(18))
    return rounded([ahead.mean(), low, high])


def margins_of(encoder: Encoder) -> dict:
    """Say for each sentence with a word of two senses how clearly its vector goes to one.

    Both means are made of the seven other pairs; what is stored is the distance to the wrong mean
    minus that to the right one, over their sum: above 0 it is right.
    """
    report = {}
    for word, entry in sense_vectors(encoder).items():
        x = np.array(entry["vectors"], dtype=np.float64).reshape(
            2, 8, -1, encoder.model.config.hidden_size
        )
        means = (x.sum(axis=1, keepdims=True) - x) / 7  # of its own sense, without it
        right = np.linalg.norm(x - means, axis=-1)
        wrong = np.linalg.norm(x - means[::-1], axis=-1)
        margins = (wrong - right) / (wrong + right)  # senses, sentences, layers
        report[word] = np.round(np.moveaxis(margins, -1, 0), 3).tolist()
    return report
