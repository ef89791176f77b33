"""sentence-transformers gives the sentence vectors of Chapters 16 and 22, as a page shows."""

import re
from pathlib import Path

import numpy as np
import pytest

from berttools.classify.baselines import frozen_encoder
from minibert.loading import load_tokenizer
from minibert.tasks.inference import sentence_vectors

PAGE = Path(__file__).parents[2] / "book" / "questions.md"
TEXTS = ["The bank of the river was steep.", "Her modem blinks red again.", "Café!"]
QUESTIONS = ["Whose internet is down?", "Where can I have a coffee?"]


@pytest.mark.thorough
def test_the_lines_on_the_page_give_our_vectors(minilm):
    pytest.importorskip("sentence_transformers")
    (lines,) = re.findall(
        r"```python\n(from sentence_transformers.*?)```",
        PAGE.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    named = '"sentence-transformers/all-MiniLM-L6-v2"'
    assert named in lines
    space = {"texts": TEXTS, "questions": QUESTIONS}
    exec(lines.replace(named, f'{str(minilm)!r}, device="cpu"'), space)
    encoder, tokenizer = frozen_encoder(minilm), load_tokenizer(minilm)
    ours = sentence_vectors(encoder, tokenizer, TEXTS).numpy()
    assert np.abs(space["vectors"] - ours).max() < 1e-6
    assert np.abs(space["vectors"] - ours[::-1]).max() > 0.1
    assert space["nearest"].tolist() == [1, 2]
