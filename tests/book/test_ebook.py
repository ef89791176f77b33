"""The e-book: whole, closed, readable without scripts, and what is folded is one link away."""

import re
import shutil
import subprocess
import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from built_book import PHONE
from ebook import chosen, ebook, parts_of_the_book
from ebook_figures import in_words

CHAPTER = "chapters/02-self-attention-by-hand"
LARGEST = 300_000  # bytes; small readers stumble over larger pages
CALLS_OUT = re.compile(r"""(?:src|data|poster)="https?:|url\(["']?https?:|@import""")


@pytest.fixture(scope="module")
def content(browser, html) -> bytes:
    """Make an e-book of one chapter and the page that it refers to most."""
    return ebook(browser, html, chosen(parts_of_the_book(), {CHAPTER, "glossary"}))


@pytest.fixture(scope="module")
def files(content) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(content)) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


@pytest.fixture(scope="module")
def pages(files) -> dict[str, BeautifulSoup]:
    return {
        name: BeautifulSoup(text, "html.parser")
        for name, text in files.items()
        if name.endswith(".xhtml")
    }


def test_every_page_is_closed_and_asks_for_nothing(files, pages):
    for name, page in pages.items():
        ElementTree.fromstring(files[name])
        found = page.select("script, input, button, form, details, iframe, style, [onclick]")
        assert not found, (name, found[:3])
        assert len(files[name]) < LARGEST, name
        ids = [each["id"] for each in page.select("[id]")]
        assert len(ids) == len({*ids}), name
    texts = {name for name in files if name.endswith((".xhtml", ".svg", ".css"))}
    assert [name for name in texts if CALLS_OUT.search(files[name].decode())] == []


def test_every_picture_is_there_with_its_caption_and_is_told_in_words(files, pages):
    pictures = [image for page in pages.values() for image in page.select("img")]
    assert len(pictures) > 1
    for picture in pictures:
        drawing = files[f"EPUB/{picture['src']}"]
        assert len(picture["alt"]) > 10, picture
        if figure := picture.find_parent("figure"):
            assert picture["alt"] == in_words(drawing.decode())
            assert "Figure" in figure.figcaption.get_text()


def test_formulas_are_mathml_and_answers_are_links_there_and_back(pages):
    page = pages[f"EPUB/{CHAPTER[9:]}.xhtml"]
    formulas, notes = page.select("math"), page.select(".answer-note")
    assert len(formulas) > 20 and all(formula["alttext"] for formula in formulas)
    assert not re.search(r"\\[(\[]", page.get_text())
    assert len(notes) > 10
    for note in notes:
        answer = page.find(id=note.a["href"][1:])
        assert answer.select_one(".back")["href"] == f"#{note['id']}"
        assert len(answer.get_text(strip=True)) > len("Answer 10 ↩"), answer


@pytest.mark.thorough
def test_the_checker_of_the_format_finds_nothing(content, tmp_path):
    checker = shutil.which("epubcheck")
    if checker is None or shutil.which("java") is None:
        pytest.skip("epubcheck is not installed; the weekly job has it")
    path = tmp_path / "book.epub"
    path.write_bytes(content)
    jar = Path(checker).resolve()
    command = ["java", "-jar", str(jar)] if jar.suffix == ".jar" else [checker]
    command += ["--failonwarnings", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_no_page_is_wider_than_a_phone(browser, content, tmp_path):
    with zipfile.ZipFile(BytesIO(content)) as zipped:
        zipped.extractall(tmp_path)
    page = browser.new_page(viewport=PHONE)
    for path in sorted(tmp_path.rglob("*.xhtml")):
        page.goto(path.as_uri())
        page.add_style_tag(content="html{font-size:18px}")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], path.name
    page.close()
