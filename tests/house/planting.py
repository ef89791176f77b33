"""Plant small projects to try the rules on."""

import copy
import textwrap
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from normal_form import folded

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}
COLAB = new_code_cell(
    'if "google.colab" in str(get_ipython()):\n    print("install")',
    id="install-in-colab",
    metadata={"tags": ["remove-cell"], **folded(["remove-cell"])},
)
SHOW_SOLUTION = {
    "tags": ["solution", "hide-input"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}

DOUBLE = '''
FACTOR = 2


def double(x):
    """Double."""
    return FACTOR * x  # twice
'''


class Plot:
    """A folder in which a test plants a project, file by file and chapter by chapter."""

    def __init__(self, root: Path):
        self.root = root

    def file(self, name: str, text: str) -> Path:
        """Plant a text file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return self.root

    def chapter(self, *cells, number: int = 2, colab: bool = True, name: str = "") -> Path:
        """Plant a chapter: text is prose; code cells come from `code`."""
        cells = [new_markdown_cell(textwrap.dedent(c).strip()) if isinstance(c, str) else c
                 for c in cells]  # fmt: skip
        first = next((i for i, c in enumerate(cells) if c.cell_type == "code"), len(cells))
        cells[first:first] = [nbformat.from_dict(COLAB)] if colab else []
        for count, cell in enumerate((c for c in cells if c.cell_type == "code"), start=1):
            cell.execution_count = count
        notebook = new_notebook(
            cells=cells, metadata={"kernelspec": dict(KERNEL), "language_info": dict(LANGUAGE)}
        )
        path = self.root / "book" / "chapters" / (name or f"{number:02}-a-chapter.ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, path)
        return self.root

    def good_chapter(self, old: str = "", new: str = "", instead: tuple = ()) -> Path:
        """Plant a chapter without a fault, or with one: some text changed, or other cells."""
        cells = [copy.deepcopy(cell) for cell in instead or GOOD_CHAPTER]
        if old:
            texts = [cell if isinstance(cell, str) else cell.source for cell in cells]
            index = next(i for i, text in enumerate(texts) if old in text)
            text = texts[index].replace(old, new, 1)
            if isinstance(cells[index], str):
                cells[index] = text
            else:
                cells[index].source = text
        return self.chapter(*cells)


def code(source: str, printed: str = "", tags: tuple[str, ...] = (), **metadata):
    """Write a code cell and what it printed."""
    outputs = [new_output("stream", name="stdout", text=printed)] if printed else []
    metadata |= {"tags": list(tags)} if tags else {}
    return new_code_cell(textwrap.dedent(source).strip(), outputs=outputs, metadata=metadata)


QUIZ = """
quiz(
    "Why?",
    {0}("First", "A reply."),
    {1}("Second", "A reply."),
    {2}("Third", "A reply."),
)
"""


def quiz(*kinds: str):
    return code(QUIZ.format(*kinds), tags=("remove-input",))


def exercise(number: int) -> list:
    return [
        f"### Exercise 2.{number} · Name\n\nDifficulty ●○○ · 5 minutes\n\nDo it.",
        code("def my_sum(x):\n    ...\n\n\ncheck_sum(my_sum)"),
        code(
            "def sum_solution(x):\n    return x\n\n\nassert check_sum(sum_solution).passed",
            **SHOW_SOLUTION,
        ),
    ]


def says(found: list[str], sentence: str) -> None:
    """Fail unless a rule has said this one sentence; nothing at all if it is empty."""
    assert len(found) == bool(sentence), found
    assert sentence in "".join(found)


OPENING = """
# A chapter

A question.

| This chapter | |
| --- | --- |
| **You will be able to** | add |
| **Completes** | a sum |
| **You need** | nothing |
| **Cost** | 1 second |

## Predict first
"""
GOOD_CHAPTER = (
    OPENING,
    quiz("wrong", "right", "wrong"),
    "## One\n\nText.\n\n### Part\n\n## Two",
    code("picture(axes, alt='A line.', caption='Figure 2.1. A line.')"),
    code(
        "def draw(x):\n    return picture(plot(x), alt=f'At {x}.')\n\n\n"
        "explore(draw, caption='Figure 2.2. Move it.', x=[1, 2])"
    ),
    "## Find the bug\n\n## Exercises",
    *(part for number in (1, 2, 3) for part in exercise(number)),
    "## Check yourself",
    quiz("right", "wrong", "wrong"),
    quiz("wrong", "wrong", "right"),
    code("flashcards(('Front', 'Back'))", tags=("remove-input",)),
    "## Summary\n\n## In the real BERT\n\n## References",
)
