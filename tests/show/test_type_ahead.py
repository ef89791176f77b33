"""Figures that compute in the page: without a script they show the first state."""

import json
import re

import pytest

from bertbook.show import type_ahead
from bertbook.show.live_scripts import HERE, ORDER, page_script, real_vocabulary, vocabulary_script
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

TOKENIZER = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing", "</script>"])


def test_the_first_text_is_cut_already():
    content = type_ahead(TOKENIZER, ["Playing [MASK] <b>"], caption="Type.").content
    assert re.findall("<small>(.*?)</small>", content) == ["5", "6", "4", "1", "1", "1"]
    assert "5 words, 6 pieces" in content
    assert "&lt;" in content and "<b>" not in content


def test_the_page_gets_the_vocabulary_and_nothing_ends_its_script_early():
    content = type_ahead(TOKENIZER, ["play"], caption="Type.").content
    data = re.findall('<script type="application/json">(.*?)</script>', content)
    pieces = list(TOKENIZER.pieces)
    assert json.loads(data[0]) == {"pieces": pieces, "do_lower_case": True, "real": False}
    assert "1 word, 1 piece<" in content
    with pytest.raises(ValueError, match="for example stored="):
        type_ahead(TOKENIZER, [], caption="Type.")


def test_only_a_reader_s_kernel_sends_the_script_along(monkeypatch):
    stored = type_ahead(TOKENIZER, ["play"], caption="Type.").content
    monkeypatch.delenv("BOOK_STORED")
    live = type_ahead(TOKENIZER, ["play"], caption="Type.").content
    assert live == f"{stored}\n<script>{page_script()}</script>"


def test_with_a_kernel_the_real_vocabulary_comes_along_if_the_extra_has_brought_it(monkeypatch):
    stored = type_ahead(TOKENIZER, ["play"], caption="Type.", real=True).content
    assert "bert-uncased" not in stored
    monkeypatch.delenv("BOOK_STORED")
    if real_vocabulary() is not None:
        live = type_ahead(TOKENIZER, ["play"], caption="Type.", real=True).content
        assert vocabulary_script() in live and live.count('receive("bert-uncased"') == 1
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert vocabulary_script() == "" and real_vocabulary() is None
    without = type_ahead(TOKENIZER, ["play"], caption="Type.", real=True).content
    assert 'receive("bert-uncased"' not in without


def test_every_file_of_the_script_is_in_it_once():
    script = page_script()
    assert len(set(ORDER)) == len(ORDER)
    assert "function bertLayer(" in script and "class WordPieceTokenizer" in script
    assert "</" not in script and not re.findall(r"^\s*(?://|/\*)", script, re.MULTILINE)


@pytest.mark.parametrize("name", ORDER)
def test_the_scripts_are_short_and_quiet(name):
    text = (HERE / f"{name}.js").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0].startswith("// ") and len(lines) <= 250
    assert max(map(len, lines)) <= 100
    assert not re.findall(r"\bvar\b|console\.|debugger|[^=!]==[^=]|innerHTML", text)
