"""The Sphinx extension that shows book/bert.py: whole, with a link from each part to its chapter.

The chapters are read off the notes in its margin, `class BertLayer(nn.Module):  # 9: …`.
"""

import ast
import re
from pathlib import Path

from api import chapters
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CODE = Path(__file__).resolve().parents[1] / "bert.py"
PAGE = "bert-on-one-page"
NOTE = re.compile(r"  # (\d+)(?::|$)", re.MULTILINE)
# What the highlighter makes of the first line of a definition, and of a note.
FIRST_LINE = re.compile(
    r'(?<=<span class="code-line")(?= style="--indent:0ch"><span class="k">(?:class|def)</span>'
    r'<span class="w"> </span><span class="n[cf]">(\w+)<)'
)
MARKED = re.compile(r'(<span class="c1"># )(\d+)(?=:|</span>)')


def parts(code: str) -> dict[int, list[str]]:
    """Name the definitions of the page by the number of their chapter."""
    lines = code.splitlines()
    found: dict[int, list[str]] = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            heading = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1])
            found.setdefault(int(NOTE.findall(heading)[0]), []).append(node.name)
    return dict(sorted(found.items()))


class OnePage(SphinxDirective):
    """A table of the chapters and what each has on the page, and the page."""

    def run(self) -> list[nodes.Node]:
        """Write the table and the code."""
        self.env.note_dependency(str(CODE))
        code = CODE.read_text(encoding="utf-8")
        table = nodes.container()
        rows = ["| Chapter | On the page |", "| --- | --- |"]
        rows += [_row(number, names) for number, names in parts(code).items()]
        self.state.nested_parse(StringList(rows, str(CODE)), self.content_offset, table)
        listing = nodes.container("", nodes.literal_block(code, code, language="python"))
        listing["classes"] = ["one-page"]
        return [*table.children, listing]


def _row(number: int, names: list[str]) -> str:
    """Write the row of a chapter."""
    page, title = chapters()[number]
    links = (f'<a class="reference internal" href="#the-{n}"><code>{n}</code></a>' for n in names)
    return f"| [{number} · {title}]({page}.ipynb) | {', '.join(links)} |"


def link_notes(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Let the table find each definition, and each note its chapter."""
    if pagename == PAGE:
        body = FIRST_LINE.sub(r' id="the-\1"', context["body"])
        context["body"] = MARKED.sub(_link, body)


def _link(mark: re.Match) -> str:
    page, title = chapters()[int(mark[2])]
    return f'{mark[1]}<a href="{page}.html" title="Chapter {mark[2]}, {title}">{mark[2]}</a>'


def setup(app: Sphinx) -> dict:
    """Connect the directive, and the links once lines are elements (see pages.py)."""
    app.add_directive("one-page", OnePage)
    app.connect("html-page-context", link_notes, priority=600)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
