"""sentence-transformers gives the frozen vectors of Chapter 16."""

import numpy as np
import pytest

from berttools.classify.baselines import frozen_encoder
from minibert.loading import load_tokenizer
from minibert.tasks.inference import sentence_vectors


@pytest.mark.thorough
def test_their_vectors_are_ours(minilm):
    theirs = pytest.importorskip("sentence_transformers").SentenceTransformer
    texts = ["The bank of the river was steep.", "Her modem blinks red again.", "Café!"]
    encoder, tokenizer = frozen_encoder(minilm), load_tokenizer(minilm)
    ours = sentence_vectors(encoder, tokenizer, texts).numpy()
    vectors = theirs(str(minilm), device="cpu").encode(texts)
    assert np.abs(vectors - ours).max() < 1e-6
    assert np.abs(vectors - ours[::-1]).max() > 0.1
