"""Figures on a reader's sentence: without a script they show what the package computes."""

import json
import re
from pathlib import Path

import pytest
import torch

from bertbook.show import follow_shapes, see_heads, swap_heads
from bertbook.show.watching import Watched

SMALL = Path(__file__).resolve().parents[2] / "book" / "data" / "small-world"
TEXT = "anna kicks the [MASK] ball"
STORY = "ben waits for the red bus in front of the bank | the bus leaves late and [MASK] walks home"
TWIN = STORY.replace("ben", "anna")


@pytest.fixture(scope="module")
def watched():
    return Watched(SMALL)


def data_of(figure):
    """Read what the script is given."""
    return json.loads(re.findall('<script type="application/json">(.*?)</script>', figure)[0])


def test_shares_are_means_over_the_words(watched):
    pieces, maps = watched.maps("anna sings")
    anna, sings = maps[1, 2, 1], maps[1, 2, 2]
    assert pieces == ["[CLS]", "anna", "sings", "[SEP]"]
    wanted = [anna[0] + sings[0], anna[3] + sings[3], anna[1] + sings[2]]
    wanted += [anna[0] + sings[1], anna[2] + sings[3]]
    found = list(watched.shares("anna sings", 1, 2).values())
    assert found == pytest.approx([share.item() / 2 for share in wanted])


def test_every_head_has_its_map():
    content = see_heads(TEXT, SMALL, caption="Look.").content
    assert data_of(content) == {"model": "small-world", "text": TEXT}
    assert content.count('class="mb-head"') == 8 and "head 2.4" in content
    assert content.count("<svg") == 9 and "<text" in content


def test_every_part_has_its_shape(watched):
    content = follow_shapes(TEXT, SMALL, caption="Look.").content
    content = content.replace("<wbr>", "")  # where a name may break
    rows = re.findall("<code>(.*?)</code></th><td>(.*?)</td>", content)
    assert rows[:4] == [
        ("input_ids", "(1, 7)"),
        ("embeddings", "(1, 7, 128)"),
        ("layer.0.attention.self", "(1, 7, 128)"),
        ("layer.0.attention.self", "(1, 4, 7, 7)"),
    ]
    assert len(rows) == 13 and rows[-1] == ("cls.predictions", "(1, 7, 1052)")
    with torch.no_grad():
        last = watched.model.bert(**watched.row(TEXT)).last_hidden_state[0, 4]  # of [MASK]
    told = " ".join(f"{number:.2f}" for number in last[:3].tolist())
    told = told.replace("-", "\N{MINUS SIGN}")
    assert f"<code>layer.1.output</code></th><td>(1, 7, 128)</td><td>{told} …</td>" in content
    with pytest.raises(ValueError, match=r"anna sings.* has no \[MASK\]"):
        follow_shapes("anna sings", SMALL, caption="Look.")


def test_a_patch_with_its_own_contexts_changes_nothing(watched):
    whole = watched.answers(STORY)
    assert watched.patched(STORY, STORY, [(0, 1), (1, 2)]) == pytest.approx(whole)
    assert watched.patched(STORY, TWIN, [(1, 2)])["she"] > whole["she"]


def test_the_first_swap_is_there_without_a_script(watched):
    content = swap_heads(STORY, TWIN, [(1, 2)], SMALL, caption="Look.").content
    assert data_of(content)["heads"] == [[1, 2]]
    he = re.search('<th scope="row">he</th>(.*?)</tr>', content)[1]
    answers = [*map(watched.answers, (STORY, TWIN)), watched.patched(STORY, TWIN, [(1, 2)])]
    assert re.findall(r">(\d\.\d\d)<", he) == [f"{answer['he']:.2f}" for answer in answers]
    with pytest.raises(ValueError, match="no head 9 in layer 1"):
        swap_heads(STORY, TWIN, [(1, 9)], SMALL, caption="Look.")
