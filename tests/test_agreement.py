"""Stored outputs are compared as what they are: numbers by their value, the rest by the letter."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from agreement import settle
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbval.plugin import get_sanitize_patterns

ROOT = Path(__file__).parents[1]
MINUS = "\N{MINUS SIGN}"


def agree(stored, new):
    return settle(stored, new) == stored


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("It is 0.24.", "It is 0.23."), ("12.5 % or .05", "12.4 % or .06"), ("0.99", "1.00"),
        ("[[0.2397 1.0986]\n [ 5.    -1.04 ]]", "[[0.2398 1.0985]\n [ 5.    -1.05 ]]"),
        ("x  9.99 kg", "x 10.00 kg"), ("1,234.5 and 999.9", "1,234.6 and 1,000.0"),
        ("9.9e-06", "1.0e-05"), (f"{MINUS}0.01", "0.00"), ("[ 0.00 -0.01]", "[-0.00 -0.00]"),
        ("+0.31", "+0.30"), ("from 0.1-0.5", "from 0.2-0.4"), ("nan 0.25 inf", "nan 0.26 inf"),
        ('<svg aria-label="near 3.5 nats">', '<svg aria-label="near 3.6 nats">'),
        ("width:12.5%;background:x", "width:12.6%;background:x"),
        ("rgba(47,126,196,0.05)", "rgba(48,123,199,0.06)"), ("#2f7ec480", "#2f7ec482"),
        ("fill: #2f7ec4; opacity: 0.35", "fill: #2f7fc1; opacity: 0.341"),
        ('<path opacity=".5"/>', '<path opacity="0.49"/>'),
    ],
)  # fmt: skip
def test_one_unit_of_the_last_digit_agrees(stored, new):
    assert agree(stored, new)
    assert agree(new, stored)


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("0.05", "0.07"), ("share 0.25 of it", "part 0.26 of it"), ("12 %", "13 %"), ("5.", "6."),
        ("0.01", "-0.01"), ("+0.31", "0.32"), ("-0.31", f"{MINUS}0.31"), ("0.50", ".50"),
        ("0.5", "0.50"), ("1.04", "1.0401"), ("0.9", "1"), ("1234.5", "1,234.5"),
        ("0.25 0.26", "0.25  0.26"), ("a 0.31\nb 0.32", "b 0.32\na 0.31"),
        ("0.31 0.32", "0.31 0.32 0.33"), ("1.2e-05", "1.2e-06"), ("1.2e-05", "1.4e-05"),
        ("1.20e-01", "0.12"), ("1e3", "2e3"), ("nan 0.25", "0.25 nan"), ("inf", "-inf"),
        ("PyTorch 2.13.0", "PyTorch 2.13.1"), ("Python 3.11", "Python 3.12"),
        ("see Section 3.1 and 3.2", "see Section 3.1 and 3.3"),
        ("v0.2 or model-0.2", "v0.3 or model-0.3"), ("0.1a4f", "0.2a4f"),
        ("margin:.6em", "margin:.7em"),
        ("```python\ndropout = 0.1\n```", "```python\ndropout = 0.2\n```"),
        ("rgba(47,126,196,0.05)", "rgba(47,126,196,0.07)"),
        ("rgba(47,126,196,0.05)", "rgba(47,126,200,0.05)"),
        ("rgb(47,126,196)", "rgba(47,126,196,1.0)"), ("#2f7ec4", "#2f7ec8"),
        ("#2f7ec4", "rgb(47,126,196)"), ("&#102030;", "&#102031;"),
        ("opacity: 0.35", "opacity: 0.37"), ("fill: #2f7ec4", "fill: none"),
    ],
)  # fmt: skip
def test_anything_else_does_not_agree(stored, new):
    assert not agree(stored, new)
    assert not agree(new, stored)


def sanitize(output):
    patterns = (ROOT / "tests/book/sanitize.cfg").read_text(encoding="utf-8")
    for regex, replace in get_sanitize_patterns(patterns):
        output = re.sub(regex, replace, output)
    return output


FIGURE = (
    '<svg role="img" aria-label="a line" viewBox="0 0 3 4" style="max-width:30px"><defs>\n'
    '<clipPath id="0a1b2c3d-p1"><rect\nx="1.5" y="2"/></clipPath></defs>\n'
    '<path d="M 0 1\nL 2 3" clip-path="url(#0a1b2c3d-p1)" style="stroke: #2f7ec4"/>'
    '<text x="0.5" y="1" style="font: 9px a">0.24</text></svg>'
)


def test_what_a_figure_says_is_compared_and_where_things_stand_in_it_is_not():
    stored = sanitize(FIGURE)
    for old, new in [
        ('x="0.5"', 'x="0.9"'), ("L 2 3", "L 2 3.1\nL 3 4"), ("0 0 3 4", "0 0 3 5"),
        ("30px", "31px"), ("0a1b2c3d-p1", "ffffffff-p2"), ("9px a", "9px b"),
    ]:  # fmt: skip
        assert agree(stored, sanitize(FIGURE.replace(old, new))), old
    for old, new in [("0.24", "0.26"), ("a line", "two lines"), ("<path", "<path/><path")]:
        assert not agree(stored, sanitize(FIGURE.replace(old, new))), old


PLANTED = {
    "a share 0.05 of 12": ("a share 0.06 of 12", "passed"),
    "a share 0.05 of 13": ("a share 0.05 of 12", "failed"),
    "<b style='color:#2f7ec4'>3.5</b>": ("<b style='color:#2f7fc4'>3.6</b>", "passed"),
    "<b style='color:#2f7ec4'>3.5 </b>": ("<b style='color:#2f9ec4'>3.5 </b>", "failed"),
}


@pytest.mark.slow  # a kernel is started
def test_nbval_compares_cells_in_this_way(tmp_path):
    cells = [new_markdown_cell("# Shares")]
    for number, (stored, (printed, _)) in enumerate(PLANTED.items(), 1):
        show = f"from IPython.display import HTML\nHTML({printed!r})"
        source = show if "<" in stored else f"print({printed!r})"
        data = {"text/html": stored, "text/plain": "<IPython.core.display.HTML object>"}
        output = (
            new_output("execute_result", data=data, execution_count=number)
            if "<" in stored
            else new_output("stream", text=stored + "\n")
        )
        cells.append(new_code_cell(source, outputs=[output], execution_count=number))
    path = tmp_path / "planted.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    # Named here, conftest.py is read for a notebook that lies outside the project as well.
    command = [sys.executable, "-m", "pytest", "-v", "--color=no", "conftest.py", str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.findall(r"::Cell \d+ (PASSED|FAILED)", ran.stdout)
    told = ran.stdout + ran.stderr
    assert [word.lower() for word in found] == [verdict for _, verdict in PLANTED.values()], told
    assert "This is cell 3 of 5 in an editor, in the section “Shares”.\n" in told
