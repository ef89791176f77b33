"""The figure of the blank: what the oracle knows is in it, and the first state without a script."""

import json
import re
from pathlib import Path

import pytest

from bertbook.corpus import Oracle, small_world
from bertbook.show import fill_in, next_sentence

SMALL = Path(__file__).parents[2] / "book" / "data" / "small-world"
FIRST = "anna kicks the blue ball over the wall"
SECOND = "a small dog finds the *blue* ball behind the wall and her sister laughs"


def data_of(figure):
    """Read what the script is given."""
    return json.loads(re.findall('<script type="application/json">(.*?)</script>', figure)[0])


def test_the_best_answers_are_the_oracle_s():
    found = data_of(fill_in([(FIRST, SECOND)], "small-world", caption="Try.").content)
    (text,) = found["texts"]
    assert found["model"] == "small-world"
    assert found["words"].split() == [*Oracle(small_world()).words]
    assert text["hidden"] == 13 and text["sentences"][1][5] == "blue"
    oracle = Oracle(small_world())
    (chances,) = oracle.read([(FIRST, SECOND.replace("*", ""))]).words
    assert len(text["best"]) == len(chances) == 22
    for best, row in zip(text["best"], chances, strict=True):
        for word, prob in best:
            assert prob == pytest.approx(row[oracle.words.index(word)], abs=5e-5)
        assert best[0][1] == pytest.approx(row.max(), abs=5e-5)


def test_without_a_script_the_first_sentence_has_its_best_answers():
    content = fill_in([(FIRST, SECOND)], "small-world", caption="Try.").content
    assert "finds the [MASK] ball" in content
    assert '<tr><th scope="row">blue</th><td>1.00</td></tr>' in content
    at_once = fill_in([(FIRST, SECOND)], SMALL, caption="Try.", at_once=True).content
    assert data_of(at_once)["at_once"] is True


def test_the_first_pair_is_answered_if_it_shall_be():
    content = fill_in([(FIRST, SECOND)], SMALL, caption="Try.", answered=True).content
    answers = dict(data_of(content)["texts"][0]["answered"]["answers"])
    assert max(answers, key=answers.get) == "red" and answers["blue"] < 0.2
    assert '<tr><th scope="row">blue</th><td>0.16</td><td>1.00</td></tr>' in content
    others = data_of(fill_in([(FIRST, SECOND)], SMALL, caption="Try.").content)
    assert "answered" not in others["texts"][0] and "at_once" not in others


def test_in_jupyter_the_model_comes_along(monkeypatch, tmp_path):
    monkeypatch.delenv("BOOK_STORED")
    with pytest.raises(FileNotFoundError, match="vocab"):
        fill_in([(FIRST, SECOND)], tmp_path, caption="Try.")


@pytest.mark.parametrize("second", ["a dog sleeps", "*a* dog *sleeps*"])
def test_one_word_is_starred(second):
    with pytest.raises(ValueError, match=f"has {second.count('*') // 2} starred words"):
        fill_in([(FIRST, second)], "small-world", caption="Try.")


def test_the_oracle_says_whether_the_second_follows():
    other = "emma feels the bark of the young birch"
    plain = SECOND.replace("*", "")
    content = next_sentence([(FIRST, plain), (FIRST, other)], "small-world", caption="Try.").content
    right = Oracle(small_world()).read([(FIRST, plain), (FIRST, other)]).is_next
    found = data_of(content)["pairs"]
    assert [pair[2] for pair in found] == pytest.approx(list(right), abs=5e-5)
    assert '<th scope="row">at best</th><td>1.00</td>' in content
