"""The record of encoders that were asked for every invariant, and a piece of it again."""

import json

import pytest
from effort import mostly_thorough

from benchmarks import museum_matrix
from bertbook.museum.invariants.lessons import INVARIANTS
from bertbook.topics.bugs.tables import SHORT

RECORD = json.loads(museum_matrix.RECORD.read_text(encoding="utf-8"))
ROWS = {row["encoder"]: row for row in RECORD["encoders"]}


def test_every_encoder_has_an_answer_to_every_invariant():
    assert [*ROWS] == [*museum_matrix.ENCODERS]
    assert [*SHORT] == [*INVARIANTS]
    assert all([*row["answers"]] == [*INVARIANTS] for row in ROWS.values())


@pytest.mark.parametrize("encoder", mostly_thorough(["BERT", "FNet", "Nyströmformer", "GPT-2"], 2))
@pytest.mark.usefixtures("unchecked")
def test_an_encoder_answers_again_as_it_did(encoder):
    assert museum_matrix.ask(encoder)["answers"] == ROWS[encoder]["answers"]
