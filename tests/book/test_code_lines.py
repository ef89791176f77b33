"""Where a page may break a line on a phone, and where not."""

import pytest
from pages import HOLDS_TOGETHER, hold_together, mark_line
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer


def marked(code):
    """Mark a line of code, with a bar where it may break and brackets around what stays whole."""
    line = mark_line(highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n"))
    return line.replace("<wbr>", "|").replace('class="whole">', ">[")


@pytest.mark.parametrize(
    ("code", "broken"),
    [
        ("keep(my_softmax, check_softmax(my_softmax))", "keep(|my_softmax, check_softmax(|my_"),
        ("values = table_of_softmax_slopes(probs).round(2)", "(|probs)|.round(2)"),
        ("my = running_on(layer_norm_backward=layer_norm_backward)", "backward=|layer_norm_"),
        ("        mask_token_id=tokenizer.mask_token_id,", "mask_token_id=|tokenizer.mask_"),
        ("infinite = np.where(seen == 1, 0.0, -np.inf)", "0.0, [-np.inf)"),
        ("for i in range(seq):       # the token that looks", "[# the token that looks"),
        ("short = f(x)", "f(x)"),
    ],
)
def test_a_long_line_breaks_where_a_reader_would(code, broken):
    text = "".join(part.split(">")[-1] for part in marked(code).split("<"))
    assert broken in text, text


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("<b>digital [1, 5] and</b>", "<b>digital [1,\xa05] and</b>"),
        ("0.3 ± 0.1 of 5 %", "0.3\xa0±\xa00.1 of 5\xa0%"),
        ("<code>[1, 5]</code>", "<code>[1, 5]</code>"),
        ('<span class="math">\\([1, 5]\\)</span>', '<span class="math">\\([1, 5]\\)</span>'),
        ("see [1957], or [1, 2, 3, 4, 5]", "see [1957], or [1, 2, 3, 4, 5]"),
    ],
)
def test_a_short_vector_stays_on_one_line(text, held):
    assert HOLDS_TOGETHER.sub(hold_together, text) == held
