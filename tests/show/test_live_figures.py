"""Figures that compute in the page: without a script they show what the package computes."""

import json
import re

import pytest

from bertbook.core import fill_in, next_sentence, see_heads, swap_heads, type_ahead
from bertbook.core.live_scripts import page_script, real_vocabulary, vocabulary_script
from bertbook.core.opening import opening
from bertbook.core.watching import Watched
from bertbook.corpus import Oracle, small_world
from bertbook.records import trained_folder
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

SMALL = trained_folder("small-world")
FIRST = "anna kicks the blue ball over the wall"
SECOND = "a small dog finds the *blue* ball behind the wall and her sister laughs"
STORY = "ben waits for the red bus in front of the bank | the bus leaves late and [MASK] walks home"
TWIN = STORY.replace("ben", "anna")
TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing", "</script>"])
TRY = {"caption": "It loads {size}."}


@pytest.fixture(scope="module")
def watched():
    return Watched(SMALL)


def data_of(content):
    """Read what the script is given."""
    return json.loads(re.findall('<script type="application/json">(.*?)</script>', content)[0])


def test_the_best_answers_are_the_oracle_s_and_so_is_whether_the_second_follows():
    oracle = Oracle(small_world())
    pairs = [(FIRST, SECOND.replace("*", "")), (FIRST, "emma feels the bark of the young birch")]
    (chances, _), is_next = oracle.read(pairs)
    found = data_of(fill_in([(FIRST, SECOND)], SMALL, **TRY).content)
    (text,) = found["texts"]
    assert found["words"].split() == [*oracle.words]
    assert text["hidden"] == 13 and text["sentences"][1][5] == "blue"
    for best, row in zip(text["best"], chances, strict=True):
        for word, prob in best:
            assert prob == pytest.approx(row[oracle.words.index(word)], abs=5e-5)
        assert best[0][1] == pytest.approx(row.max(), abs=5e-5)
    content = next_sentence({"ball": pairs[0], "birch": pairs[1]}, SMALL, **TRY).content
    found, told = zip(*(pair[2:] for pair in data_of(content)["pairs"]))
    assert found == pytest.approx(list(is_next), abs=5e-5)
    assert told[0] > 0.9 > 0.1 > told[1]  # the model's
    assert f'<th scope="row">the model</th><td>{told[0]:.2f}</td>' in content


def test_the_opening_knows_the_model_s_answers_and_where_it_looks():
    content = opening([("Which color?", FIRST, SECOND)], SMALL, **TRY).content
    (text,) = data_of(content)["texts"]
    answers, weights = dict(text["answered"]["answers"]), text["answered"]["weights"]
    assert max(answers, key=answers.get) == "red"
    assert len(weights) == 22 and sum(weights) < 1
    assert max(zip(weights, f"{FIRST} {SECOND}".split()))[1] == "ball"
    assert "It loads 1.5 MB." in content


def test_shares_are_means_over_the_words(watched):
    pieces, maps = watched.maps("anna sings")
    anna, sings = maps[1, 2, 1], maps[1, 2, 2]
    assert pieces == ["[CLS]", "anna", "sings", "[SEP]"]
    wanted = [anna[0] + sings[0], anna[3] + sings[3], anna[1] + sings[2]]
    wanted += [anna[0] + sings[1], anna[2] + sings[3]]
    found = list(watched.shares("anna sings", 1, 2).values())
    assert found == pytest.approx([share.item() / 2 for share in wanted])
    content = see_heads("anna kicks the [MASK] ball", SMALL, **TRY).content
    assert content.count('class="mb-head"') == 8 and "head 2.4" in content


def test_a_patch_with_its_own_contexts_changes_nothing_and_the_first_swap_is_there(watched):
    whole, patched = watched.answers(STORY), watched.patched(STORY, TWIN, [(1, 2)])
    assert watched.patched(STORY, STORY, [(0, 1), (1, 2)]) == pytest.approx(whole)
    assert patched["she"] > whole["she"]
    content = swap_heads(STORY, TWIN, [(1, 2)], SMALL, **TRY).content
    he = re.search('<th scope="row">he</th>(.*?)</tr>', content)[1]
    answers = [whole, watched.answers(TWIN), patched]
    assert re.findall(r">(\d\.\d\d)<", he) == [f"{answer['he']:.2f}" for answer in answers]


def test_the_first_text_is_cut_already_and_nothing_ends_the_script_early(monkeypatch):
    def shown(real):
        return type_ahead(TOKENIZER, ["Playing [MASK] <b>"], real=real, **TRY).content

    stored = shown(False)
    assert re.findall("<small>(.*?)</small>", stored) == ["5", "6", "4", "1", "1", "1"]
    assert "5 words, 6 pieces" in stored and "<b>" not in stored
    pieces = list(TOKENIZER.pieces)
    assert data_of(stored) == {"pieces": pieces, "do_lower_case": True, "real": False}
    received = 'receive("bert-uncased"'
    assert received not in shown(True)
    monkeypatch.delenv("BOOK_STORED")  # only a reader's kernel sends the scripts along
    assert shown(False) == f"{stored}\n<script>{page_script()}</script>"
    assert (received in shown(True)) == (real_vocabulary() is not None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert received not in shown(True) and vocabulary_script() == ""


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (fill_in, ([(FIRST, "a dog sleeps")], "small-world"), "has 0 starred words"),
        (fill_in, ([(FIRST, "*a* dog *sleeps*")], "small-world"), "has 2 starred words"),
        (swap_heads, (STORY, TWIN, [(1, 9)], SMALL), "no head 9 in layer 1"),
        (type_ahead, (TOKENIZER, []), "for example stored="),
    ],
)
def test_what_cannot_be_computed_is_refused(make, given, words):
    with pytest.raises(ValueError, match=words):
        make(*given, **TRY)
