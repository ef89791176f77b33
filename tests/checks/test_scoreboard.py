"""The scoreboard of an encoder: green for ours and for a reader's, red where something is wrong."""

import pytest
from accepted_styles import classes_of
from my_parts import load
from solutions import file_of_solutions
from torch import nn

from bertbook.reader.module import scoreboard
from bertbook.reader.module.comparison import COMPARISONS
from bertbook.reader.module.examination import IS_CALLED
from bertbook.reader.module.properties import PROPERTIES
from bertbook.reader.module.scoreboard import LINES
from minibert.layer import BertIntermediate, BertLayer
from minibert.model import BertModel
from minibert.parts import override, replaced

pytestmark = pytest.mark.usefixtures("unchecked")


def red(board):
    return [line for line, told in board.lines.items() if told]


def test_every_line_stands_for_promises_that_there_are():
    claims = {IS_CALLED, *(p.claim for p in PROPERTIES if BertModel in p.roles), *dict(COMPARISONS)}
    assert len(LINES) == 12
    assert {claim for claims in LINES.values() for claim in claims} <= claims


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """Load the file that the chapters' solutions make."""
    path = tmp_path_factory.mktemp("solved") / "solved_parts.py"
    path.write_text(file_of_solutions(), encoding="utf-8")
    return load(path)[0]


@pytest.mark.slow
def test_all_lines_are_green_for_the_solutions(solved):
    with override(solved):
        assert scoreboard().verdict.message == "12 of 12 hold."


def test_an_activation_that_is_always_the_same_turns_lines_red(solved):
    class Fixed(solved[BertIntermediate]):
        def __init__(self, config):
            super().__init__(config)
            self.activation = nn.GELU()

    with override({BertIntermediate: Fixed}):
        assert red(scoreboard()) == ["Equal to ours: all outputs"]


def test_the_readers_parts_are_examined_and_stay_where_they_were():
    players = classes_of("as it is")
    with override({BertLayer: players[BertLayer]}):
        assert red(scoreboard(players[BertModel])) == []
        assert [*replaced()] == [BertLayer]


def test_a_model_that_ignores_padding_is_told_so():
    class Blind(BertModel):
        def _additive_mask(self, attention_mask, hidden_states):
            return None

    board = scoreboard(Blind)
    assert red(board)[0] == "Padding changes nothing"
    assert str(board).splitlines()[-1].startswith("8 of 12 hold. What stands in the padding")
    assert board._repr_html_().count("✗") == 4


@pytest.mark.slow
def test_what_was_not_reached_is_not_green():
    class Empty(nn.Module):
        def __init__(self, config, add_pooling_layer=True):
            super().__init__()

        def forward(self, *given):
            return None

    assert len(red(scoreboard(Empty))) == 12
