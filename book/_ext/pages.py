"""The Sphinx extension of the book: what has to be right in the pages before a browser sees them.

The theme, the bibliography and the notebook renderer write a few things that a screen reader
stumbles over. They are put right here, while the page is made, so that no script has to do it.
"""

import re
from html import escape, unescape
from urllib.parse import urlencode

from assets import is_current
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from minibert import __version__

EMPTY_HEAD = re.compile(r'<th class="head[^"]*">(<p></p>)?</th>')
FORMULA = r'<span class="math notranslate nohighlight">[^<]*</span>'
FORMULA_WITH_MARK = re.compile(rf"[(\[]{FORMULA}[.,;:?)\]]*|{FORMULA}[.,;:?)\]]+")
LISTING = re.compile(  # code, or what a cell prints
    r'(<div class="(?:(?:doctest )?highlight-(?:i?python3?|pycon|text|sh|default)|'
    r'output [^"]*highlight-myst-ansi) [^"]*">'
    r'<div class="highlight"><pre>(?:<span></span>)?)'
    r"(.*?)(?=</pre>)",
    re.DOTALL,
)
TAG = re.compile(r"<[^>]*>")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
HOLDS_TOGETHER = re.compile(  # found last, after all in which it means something else
    r'<(pre|code|script|style|svg)\b.*?</\1>|<\w+ class="math[^>]*>[^<]*|<[^>]*>|(?P<held>'
    r"(?<=\d) (?=[%±])|± (?=\d)|\[(?:[-−]?[\d.]+, ){1,3}[-−]?[\d.]+\]|\b\d[\d.]*e-\d+|"
    rf"{OPTION.pattern})",
    re.DOTALL,
)
MAY_BREAK = re.compile(  # behind the bracket of a call, a keyword and its =, or before a method
    r'(?<=</span>)<span class="p">\(+</span>(?=<span class="n)|[)\]]</span>(?=<span class="o">\.)'
    r'|(?<=</span>)<span class="o">=</span>(?=<span class="n">(?:\w{16}|\w+</span>'
    r'<span class="o">\.</span><span class="n">\w{12}))'
)
STAYS_WHOLE = re.compile(  # a sign and its number or name, a # and its first word
    r'(?<![\w)\]]</span>)<span class="o">-</span><span class="\w+">\w+</span>|(?<="c1">)# [^\s\d<]+'
)
INLINE_CODE = re.compile(r'(<code class=")([^"]*literal[^"]*">)(.*?</code>)', re.DOTALL)
SHORT = 18  # letters of code in a text that stand on one line, also on a phone
BETWEEN_WORDS = re.compile(r"(?<=[A-Za-z0-9])([_.])(?=[A-Za-z])")
PHONE_ROW = 36  # letters of code in a row on a phone
DEEPEST = 20  # spaces that a phone shows: five levels (book.css, book.js)
STYLE = re.compile(r"<style[^>]*>([^<]*)</style>\s*")
CODE = {"ipython3", "python"}
CHAPTER_NUMBER = re.compile(r'(<h1>)<span class="section-number">(\d+)\. </span>')


def require_assets(app: Sphinx) -> None:
    """Stop with one sentence if the fonts and formulas have not been fetched."""
    if not is_current():
        raise ExtensionError(
            "The fonts and formulas of the book are not there yet: "
            "run `python book/_ext/assets.py` (`make book` does it for you)"
        )


def mark_chapter_card(app: Sphinx, document: nodes.document) -> None:
    """Turn the table that opens a chapter into a card with one heading over both columns."""
    for table in document.findall(nodes.table):
        row = next(table.findall(nodes.row))
        if row[0].astext() == "This chapter" and not row[-1].astext():
            row[0]["morecols"] = len(row) - 1
            del row[1:]
            table["classes"].append("chapter-card")
            return


class NameFolds(SphinxPostTransform):
    """Let a fold say on its button what it opens: code, a result, a figure, a question, or two.

    A cell whose button has a name of its own, in its metadata, keeps it.
    """

    default_priority = 200  # just after the notebook renderer has folded the cells
    formats = ("html",)

    def run(self, **kwargs) -> None:
        """Fill the gap in the names of all folds."""
        for fold in self.document.findall(HideCodeCellNode):
            contents = " and ".join(f"the {kind}" for kind in kinds_in(fold))
            for prompt in ("prompt_show", "prompt_hide"):
                fold[prompt] = fold[prompt].replace("{contents}", contents)


def kinds_in(fold: nodes.Element) -> list[str]:
    """Name what lies in a fold; a listing that a cell displays is code, too."""
    found = [
        "code"
        if piece.get("language") in CODE
        else "question"
        if "<fieldset" in str(piece)
        else "figure"
        if "<figure" in str(piece)
        else "result"
        for piece in fold.findall(lambda node: isinstance(node, nodes.literal_block | nodes.raw))
    ]
    return list(dict.fromkeys(found))


def mend_body(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Put the meaning of some elements right, and give a chapter's number a line of its own."""
    body = context.get("body", "")
    # A corner without text heads nothing: it is a cell.
    body = EMPTY_HEAD.sub("<td></td>", body)
    # The bibliography is a list, but its entries carry a role that has been withdrawn.
    body = body.replace('role="doc-biblioentry"', 'role="listitem"')
    # The visible words ("Show the solution") are the better name.
    body = body.replace('<summary aria-label="Toggle hidden content">', "<summary>")
    # A line may break on either side of a formula, but not before the comma that follows it.
    body = FORMULA_WITH_MARK.sub(r'<span class="whole">\g<0></span>', body)
    # Nor between a number and its percent sign, in a short vector, or behind a hyphen.
    body = HOLDS_TOGETHER.sub(hold_together, body)
    body = INLINE_CODE.sub(mark_inline_code, body)
    body = LISTING.sub(lambda code: code[1] + mark_lines(code[2]), body)
    body = CHAPTER_NUMBER.sub(r'\1<span class="section-number">Chapter \2 </span>', body)
    repository = context["theme_repository_url"]
    context["body"] = styles_first(body) + way_to_answer(repository, pagename)


def way_to_answer(repository: str, pagename: str) -> str:
    """Write the last line of a page: its version, and a link to an issue that is begun already.

    Nothing is asked of the address before somebody follows the link.
    """
    issue = {
        "title": f"{pagename}: ",
        "body": f"Page {pagename}, version {__version__}\n\nWhat it says:\n\nWhat is right, or "
        "what you expected:\n",
    }
    address = escape(f"{repository}/issues/new?{urlencode(issue)}")
    return (
        f'<p class="way-to-answer">Version {__version__} · '
        f'<a class="reference external" href="{address}">Something wrong here?</a></p>\n'
    )


def styles_first(body: str) -> str:
    """Put the styles that figures bring along at the beginning, each once.

    A style in the middle makes the browser look at the whole page again. Of equal ones the last
    decides, so their order is that of the last ones.
    """
    found = STYLE.findall(body)
    last = dict.fromkeys(reversed(found))
    styles = "".join(f"<style>{style}</style>\n" for style in reversed(last))
    return styles + STYLE.sub("", body)


def hold_together(found: re.Match[str]) -> str:
    """Let what was found stand on one line, unless it is a tag, a formula or code."""
    if found["held"] is None:
        return found[0]
    held = found[0].replace(" ", "\xa0")
    return f'<span class="whole">{held}</span>' if "-" in held else held


def mark_inline_code(found: re.Match[str]) -> str:
    """Keep short code on one line; let a phone break a long name between its words."""
    opened, names, rest = found.groups()
    text = unescape(TAG.sub("", rest))
    if len(text) <= SHORT:
        return f"{opened}whole {names}{rest}"
    return opened + names + BETWEEN_WORDS.sub(r"\1<wbr>", rest)


def mark_lines(code: str) -> str:
    """Make each line an element that knows its indentation, so that a phone can wrap it."""
    return "\n".join(line and mark_line(line) for line in code.split("\n"))


def mark_line(line: str) -> str:
    """Mark one line; a first word too long for a row is broken in it, not put below its spaces."""
    text = unescape(TAG.sub("", line))
    if len(text) > PHONE_ROW:
        line = STAYS_WHOLE.sub(r'<span class="whole">\g<0></span>', line)
        line = MAY_BREAK.sub(r"\g<0><wbr>", line)
    indent = len(text) - len(text.lstrip(" "))
    word = unescape(TAG.sub("", line.split("<wbr>")[0])).lstrip(" ").split(" ")[0]
    is_long = min(indent, DEEPEST) + len(word) > PHONE_ROW
    names = "code-line long-word" if is_long and indent else "code-line"
    line = OPTION.sub(r'<span class="whole">\g<0></span>', line)
    return f'<span class="{names}" style="--indent:{indent}ch">{line}</span>'


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx."""
    app.add_post_transform(NameFolds)
    app.connect("builder-inited", require_assets)
    app.connect("doctree-read", mark_chapter_card)
    app.connect("html-page-context", mend_body)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
