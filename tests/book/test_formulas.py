"""Formulas are there when a page arrives: no script sets them, and none of them stays TeX."""

import re
import subprocess
import sys

import pytest
from bs4 import BeautifulSoup
from built_book import BOOK, DESKTOP, LOOKS, PHONE

HARDEST = "chapters/04-every-gradient-by-hand.html"
NO_PROSE = re.compile(r"<(script|style|pre|code|textarea)\b.*?</\1>|<[^>]*>", re.DOTALL)
TEX = re.compile(r"\\[(\[]|\\[a-zA-Z]{2,}|\$\$|\$\\|merror")
FONT = re.compile(r'url\("([^"]*)"\)')
CONF = f"""import sys
sys.path.insert(0, {str(BOOK / "_ext")!r})
extensions = ["myst_parser", "formulas"]
myst_enable_extensions = ["amsmath", "dollarmath"]
html_math_renderer = "formulas"
"""
SMALL = r"""# A page

In a line $a < b$, numbered:

$$
\frac{1}{2}
$$ (half)

Half is {eq}`half`.

Wrong: $\foo{b}$.
"""


def test_no_page_says_tex_or_loads_what_sets_it(html, page_name):
    text = (html / page_name).read_text(encoding="utf-8")
    assert not TEX.findall(NO_PROSE.sub("", text.partition("<body")[2])), (
        "TeX stands in the text of the page"
    )
    assert "mathjax" not in " ".join(re.findall(r"<script[^>]*>", text)).lower()
    written = text.count("math notranslate nohighlight")
    assert text.count("<mjx-container") == text.count("<math") == written
    for address in (a for a in FONT.findall(text.partition("</head>")[0]) if "MathJax" in a):
        assert ((html / page_name).parent / address).is_file(), address


@pytest.mark.parametrize("name", [HARDEST, "glossary.html"])
def test_formulas_are_drawn_without_scripts(browser, html, name):
    page = browser.new_page(viewport=DESKTOP, java_script_enabled=False)
    page.goto((html / name).as_uri())
    page.evaluate(LOOKS)
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    for screen in (DESKTOP, PHONE):
        page.set_viewport_size(screen)
        formulas = page.evaluate("look.drawnFormulas()")
        assert len(formulas) == (html / name).read_text(encoding="utf-8").count("<mjx-container")
        for tex, *letters in formulas:
            assert letters and all(letters), f"a letter has no size: {tex}"
        assert page.evaluate("document.documentElement.scrollWidth") <= screen["width"]
    assert not TEX.search(page.inner_text("article")), "TeX is seen"
    page.close()


def test_formulas_can_be_read_to_somebody_and_copied(reader):
    page = reader.open(HARDEST)
    assert page.locator("div.math").first.aria_snapshot().startswith("- math: ")
    seen, copied, formulas = page.evaluate("look.copied()")
    assert formulas and not any(tex in seen for tex in formulas)
    assert all(f"${tex}$" in copied for tex in formulas)


def test_a_formula_has_its_number_and_one_that_is_wrong_stops_the_build(tmp_path):
    (tmp_path / "conf.py").write_text(CONF, encoding="utf-8")
    (tmp_path / "index.md").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "-n", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, tmp_path, tmp_path / "html"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, "a warning is an error, as in `make book`"
    told = r"index.md: WARNING: MathJax does not understand the formula '\\foo{b}': "
    assert told + r"Undefined control sequence \foo" in done.stderr
    text = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    page = BeautifulSoup(text, "html.parser")
    in_a_line, numbered, _ = page.select("[data-tex]")
    assert (in_a_line.name, in_a_line["data-tex"]) == ("span", "a < b")
    assert (numbered.name, numbered["data-tex"]) == ("div", r"\frac{1}{2}")
    assert page.select_one(f'a[href="#{numbered["id"]}"].reference').get_text() == "(1)"
