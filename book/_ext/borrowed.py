"""A folded line on each chapter's card: what the chapter borrows from bertbook, in a clause each.

It is written while the page is built, from the imports of the chapter and the docstrings of what it
imports, so that it cannot be out of date.
"""

import inspect
import json
import re
from importlib import import_module

from api import home_of, imports
from sphinx.application import Sphinx

CARD = "| **Cost** |"
ROLE = re.compile(r":func:(?=`)")
TEXT = """
<details class="borrowed"><summary>Borrowed from <code>bertbook</code>: {count} names</summary>

What draws, asks and checks on these pages stands in the package `bertbook`, apart from BERT itself.
You may skip all of it, and need none of it to follow the chapter.

{lines}

</details>
"""


def borrowed(number: int) -> dict[str, str]:
    """Give a clause for every name that a chapter imports from bertbook."""
    return {
        name: clause(module, name)
        for chapter, module, name in sorted(imports(), key=lambda each: each[2].lower())
        if chapter == number and module.startswith("bertbook.")
    }


def clause(module: str, name: str) -> str:
    """Take the first sentence of a docstring; that of its module for what has none of its own."""
    thing = getattr(import_module(module), name)
    tells = (
        inspect.isroutine(thing)
        or inspect.isclass(thing)
        or "__doc__" in getattr(thing, "__dict__", ())
    )
    text = thing.__doc__ if tells else import_module(home_of(module, name, thing)).__doc__
    first = " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())
    return first.partition(". ")[0].rstrip(".")


def fold(number: int) -> str:
    """Write the folded line of a chapter."""
    found = borrowed(number)
    lines = "\n".join(f"- `{name}`: {told}" for name, told in found.items())
    return TEXT.format(count=len(found), lines=lines) if found else ""


def put_on_card(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the line below the table of the card."""
    if not docname.startswith("chapters/"):
        return
    notebook = json.loads(source[0])
    told = fold(int(docname.removeprefix("chapters/")[:2]))
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and CARD in text:
            before, cost, after = text.partition(CARD)
            row, _, rest = after.partition("\n")
            cell["source"] = f"{before}{cost}{row}\n{told}{rest}"
    source[0] = json.dumps(notebook)


def setup(app: Sphinx) -> dict:
    """Connect the step to Sphinx."""
    app.connect("source-read", put_on_card)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
