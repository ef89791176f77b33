"""The printed book: nothing is cut off, every link says its page, and answers stand behind."""

import re
from contextlib import closing
from io import BytesIO

import pytest
from ebook import parts_of_the_book
from formulas import Typesetter, with_formulas_set
from joining import elements, pairs, resolved
from print_documents import printed_pages
from printing import print_book
from pypdf import PdfReader

CHAPTER = "chapters/02-self-attention-by-hand"
QUIZ = (
    '<fieldset class="mb-quiz"><legend>Why?</legend><div class="mb-option"><label>'
    '<input type="radio"/><span>So</span></label><div><p class="mb-right"><strong>Right.'
    "</strong> Yes, so.</p></div></div></fieldset>"
)
ONE = f"""<section id="one"><h1>Chapter 1 Of a title that is so long that no line of a page of paper
could ever hold it</h1><p>See <a href="02-two.html">Chapter 2</a>, and what comes
<a href="02-two.html#deep">later</a>. A <a href="../glossary.html#term-x">term</a>.</p>{QUIZ}
<p>A root: <span class="math notranslate nohighlight">\\(\\sqrt{{d_k}}\\)</span>.</p>
<table><thead><tr><th>word</th><th>times</th></tr></thead>
<tbody><tr><td>pie</td><td>3</td></tr></tbody></table>
<figure><svg role="img" aria-label="A wide line" width="2000" height="9"><path d="M0 5H2000"
stroke="#111"/></svg><figcaption>Figure 1.1. A line.</figcaption></figure>
<pre>{"very_long_name = " * 40}</pre></section>"""
TWO = f"""<section id="two"><h1>Chapter 2 Two</h1>{"<p>A line of text.</p>" * 120}
<section id="deep"><h2>Deep down</h2><p>Back to <a href="01-one.html">Chapter 1</a>.</p>
</section></section>"""
TERMS = '<section id="glossary"><h1>Glossary</h1><p id="term-x">A term.</p></section>'
BOOK = {"Part I": ["chapters/01-one", "chapters/02-two"], "Back": ["glossary"]}


@pytest.fixture(scope="module")
def pdf(browser, html, tmp_path_factory) -> PdfReader:
    """Print a book of three short pages, with the head of a real one."""
    head = (html / f"{CHAPTER}.html").read_text(encoding="utf-8").partition("<body")[0]
    folder = tmp_path_factory.mktemp("html")
    (folder / "chapters").mkdir()
    (folder / "_static").symlink_to(html / "_static")
    for name, inside in zip([*BOOK["Part I"], *BOOK["Back"]], (ONE, TWO, TERMS)):
        with closing(Typesetter()) as typesetter:
            inside, style, _ = with_formulas_set(inside, typesetter)
        article = f'<article class="bd-article">{inside}</article>'
        text = f"{head}<body><style>{style}</style>{article}</body></html>"
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    content, faults = print_book(browser, folder, BOOK)
    assert faults == []
    return PdfReader(BytesIO(content))


def page_of(pdf, name) -> int:
    return pdf.get_destination_page_number(pdf.named_destinations[f"/{name}"]) + 1


def test_links_arrive_and_say_the_page_on_which_their_target_stands(pdf):
    texts = [" ".join(page.extract_text().split()) for page in pdf.pages]
    assert [text.split()[0] for text in texts] == [str(n + 1) for n in range(len(texts))]
    notes = [note.get_object() for page in pdf.pages for note in page.get("/Annots", [])]
    assert len(notes) >= 8
    assert {str(note["/Dest"]) for note in notes} <= {*pdf.named_destinations}
    two, deep, answer = (
        page_of(pdf, f"0{name}") for name in ("2-two", "2-two--deep", "1-one--answer-1")
    )
    assert two < deep
    assert f"See Chapter 2, page {two}, and what comes later, page {deep}. A term." in texts[2]
    assert f"Answer 1, page {answer}" in texts[2]
    assert "".join(texts).count("Yes, so.") == 1, "a reply stands behind, and nowhere else"
    assert f"Back to Chapter 1, page {page_of(pdf, '01-one')}." in texts[deep - 1]
    assert re.search(rf"Chapter 2 Two {two}\b.*Glossary {page_of(pdf, 'glossary')}\b", texts[1])
    assert "Answer 1 So: Yes, so." in texts[answer - 1]


def test_the_outline_and_the_tags_of_figures_formulas_and_links(pdf):
    front, _, part, (_, _, two, (deep,)), back, (glossary,) = pdf.outline
    titles = [each["/Title"] for each in (front, part, two, deep, back, glossary)]
    assert titles == ["BERT by Hand", "Part I", "Chapter 2 Two", "Deep down", "Back", "Glossary"]
    assert pdf.root_object["/MarkInfo"]["/Marked"] and pdf.root_object["/Lang"] == "en"
    tree = resolved(pdf.root_object["/StructTreeRoot"])
    tags = [*elements(resolved(tree["/K"]))]
    texts = [each.get("/Alt") for each in tags if each["/S"] == "/Figure"]
    assert {"A wide line", "Figure 1.1. A line.", r"\sqrt{d_k}"} <= {*texts} and all(texts)
    found = dict(pairs(resolved(tree["/ParentTree"])))
    for page in pdf.pages:
        own = [each.get_object() for each in found[page["/StructParents"]].get_object()]
        assert {each.raw_get("/Pg") for each in own if "/Pg" in each} == {page.indirect_reference}
        links = [found[note["/StructParent"]].get_object() for note in page.get("/Annots", [])]
        assert {link["/S"] for link in links} <= {"/Link"}


@pytest.mark.parametrize("parts", [printed_pages, parts_of_the_book])
def test_the_whole_book_is_in_it_but_for_the_reference(parts):
    names = [name for pages in parts().values() for name in pages]
    assert sum(name.startswith("chapters/") for name in names) == 26
    assert "glossary" in names and not any(name.startswith("api") for name in names)
