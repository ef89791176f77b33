"""A line of code that is too long for a phone breaks where a reader would break it."""

import re

import pytest
from pages import mark_line
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("keep(my_softmax, check_softmax(my_softmax))", "keep(|my_softmax, check_softmax(|my_"),
        ("values = table_of_softmax_slopes(probs).round(2)", "(|probs)|.round(2)"),
        ("        mask_token_id=tokenizer.mask_token_id,", "mask_token_id=|tokenizer.mask_"),
        ("short = f(x)", "f(x)"),
    ],
)
def test_a_long_line_breaks_where_a_reader_would(code, broken):
    line = mark_line(highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n"))
    assert broken in re.sub(r"<[^>]*>", "", line.replace("<wbr>", "|"))
