"""Figures that compute in the page: without a script they show what the package computes."""

import json
import re

import pytest

from bertbook.core import fill_in, next_sentence, see_heads, swap_heads, type_ahead
from bertbook.core.live_scripts import LIVE, ORDER, page_script, real_vocabulary, vocabulary_script
from bertbook.core.opening import opening
from bertbook.core.watching import Watched
from bertbook.corpus import Oracle, small_world
from bertbook.records import trained_folder
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

SMALL = trained_folder("small-world")
FIRST = "anna kicks the blue ball over the wall"
SECOND = "a small dog finds the *blue* ball behind the wall and her sister laughs"
TEXT = "anna kicks the [MASK] ball"
STORY = "ben waits for the red bus in front of the bank | the bus leaves late and [MASK] walks home"
TWIN = STORY.replace("ben", "anna")
TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing", "</script>"])


@pytest.fixture(scope="module")
def watched():
    return Watched(SMALL)


def data_of(content):
    """Read what the script is given."""
    return json.loads(re.findall('<script type="application/json">(.*?)</script>', content)[0])


# The figure of the blank


def test_the_best_answers_are_the_oracle_s():
    content = fill_in([(FIRST, SECOND)], SMALL, caption="Try.").content
    found = data_of(content)
    (text,) = found["texts"]
    assert found["words"].split() == [*Oracle(small_world()).words]
    assert text["hidden"] == 13 and text["sentences"][1][5] == "blue"
    oracle = Oracle(small_world())
    (chances,) = oracle.read([(FIRST, SECOND.replace("*", ""))]).words
    assert len(text["best"]) == len(chances) == 22
    for best, row in zip(text["best"], chances, strict=True):
        for word, prob in best:
            assert prob == pytest.approx(row[oracle.words.index(word)], abs=5e-5)
        assert best[0][1] == pytest.approx(row.max(), abs=5e-5)
    assert '<tr><th scope="row">blue</th><td>1.00</td></tr>' in content


def test_the_opening_knows_the_model_s_answers_and_where_it_looks(watched):
    content = opening([("Which color?", FIRST, SECOND)], SMALL, caption="It loads {size}.").content
    (text,) = data_of(content)["texts"]
    answers, weights = dict(text["answered"]["answers"]), text["answered"]["weights"]
    assert max(answers, key=answers.get) == "red"
    assert len(weights) == 22 and sum(weights) < 1
    assert max(zip(weights, f"{FIRST} {SECOND}".split()))[1] == "ball"
    assert content.count("mb-hide") == 22 and content.count('<tr style="--turn') == 5
    assert "It loads 1.5 MB." in content


def test_the_oracle_says_whether_the_second_follows():
    pairs = [(FIRST, SECOND.replace("*", "")), (FIRST, "emma feels the bark of the young birch")]
    content = next_sentence({"ball": pairs[0], "birch": pairs[1]}, SMALL, caption="Try.").content
    right = Oracle(small_world()).read(pairs).is_next
    found, told = zip(*(pair[2:] for pair in data_of(content)["pairs"]))
    assert found == pytest.approx(list(right), abs=5e-5)
    assert told[0] > 0.9 > 0.1 > told[1]  # the model's
    assert f'<th scope="row">the model</th><td>{told[0]:.2f}</td>' in content


# Inside the model


def test_shares_are_means_over_the_words(watched):
    pieces, maps = watched.maps("anna sings")
    anna, sings = maps[1, 2, 1], maps[1, 2, 2]
    assert pieces == ["[CLS]", "anna", "sings", "[SEP]"]
    wanted = [anna[0] + sings[0], anna[3] + sings[3], anna[1] + sings[2]]
    wanted += [anna[0] + sings[1], anna[2] + sings[3]]
    found = list(watched.shares("anna sings", 1, 2).values())
    assert found == pytest.approx([share.item() / 2 for share in wanted])
    content = see_heads(TEXT, SMALL, caption="Look.").content
    assert content.count('class="mb-head"') == 8 and "head 2.4" in content


def test_a_patch_with_its_own_contexts_changes_nothing_and_the_first_swap_is_there(watched):
    whole, patched = watched.answers(STORY), watched.patched(STORY, TWIN, [(1, 2)])
    assert watched.patched(STORY, STORY, [(0, 1), (1, 2)]) == pytest.approx(whole)
    assert patched["she"] > whole["she"]
    content = swap_heads(STORY, TWIN, [(1, 2)], SMALL, caption="Look.").content
    he = re.search('<th scope="row">he</th>(.*?)</tr>', content)[1]
    answers = [whole, watched.answers(TWIN), patched]
    assert re.findall(r">(\d\.\d\d)<", he) == [f"{answer['he']:.2f}" for answer in answers]


# Words and their pieces


def test_the_first_text_is_cut_already_and_nothing_ends_the_script_early(monkeypatch):
    stored = type_ahead(TOKENIZER, ["Playing [MASK] <b>"], caption="Type.").content
    assert re.findall("<small>(.*?)</small>", stored) == ["5", "6", "4", "1", "1", "1"]
    assert "5 words, 6 pieces" in stored
    assert "&lt;" in stored and "<b>" not in stored
    pieces = list(TOKENIZER.pieces)
    assert data_of(stored) == {"pieces": pieces, "do_lower_case": True, "real": False}
    monkeypatch.delenv("BOOK_STORED")  # only a reader's kernel sends the script along
    live = type_ahead(TOKENIZER, ["Playing [MASK] <b>"], caption="Type.").content
    assert live == f"{stored}\n<script>{page_script()}</script>"


def test_with_a_kernel_the_real_vocabulary_comes_along_if_the_extra_has_brought_it(monkeypatch):
    def shown():
        content = type_ahead(TOKENIZER, ["play"], caption="Type.", real=True).content
        return content.count('receive("bert-uncased"')

    assert shown() == 0
    monkeypatch.delenv("BOOK_STORED")
    assert shown() == (real_vocabulary() is not None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert shown() == 0 and vocabulary_script() == ""


def test_every_file_of_the_script_is_in_it_once():
    script = page_script()
    assert len(set(ORDER)) == len(ORDER)
    assert "function bertLayer(" in script and "class WordPieceTokenizer" in script
    assert "</" not in script and not re.findall(r"^\s*(?://|/\*)", script, re.MULTILINE)
    for name in ORDER:
        text = (LIVE / f"{name}.js").read_text(encoding="utf-8")
        assert text.startswith("// ") and text.count("\n") <= 250, name


# What cannot be computed


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
        make(*given, caption="Try.")
