"""What Chapter 15 draws without the weights is what the weights say."""

import json

import numpy as np
import pytest

from benchmarks.similarities import RECORD, SENTENCES, similarities


@pytest.fixture(scope="module")
def record():
    return json.loads(RECORD.read_text(encoding="utf-8"))


def test_the_record_is_what_the_weights_say(record, minilm):
    found = similarities(minilm)
    assert list(found) == list(record["similarities"])
    for way, matrix in found.items():
        np.testing.assert_allclose(matrix, record["similarities"][way], rtol=0, atol=1e-4)


def test_the_record_is_of_these_sentences(record):
    assert record["sentences"] == list(SENTENCES)
    for matrix in record["similarities"].values():
        matrix = np.array(matrix)
        assert matrix.shape == (12, 12)
        np.testing.assert_allclose(matrix, matrix.T, atol=1e-5)
        np.testing.assert_allclose(np.diag(matrix), 1, atol=1e-5)
