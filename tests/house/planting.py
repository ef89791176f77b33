"""Plant small projects to try the rules on."""

import copy
import textwrap
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from normal_form import normalize, put_colab_cell_first, tagged_address

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

    def chapter(self, *cells, number: int = 2) -> Path:
        """Plant a chapter: text is prose; code cells come from `code`."""
        cells = [new_markdown_cell(textwrap.dedent(c).strip()) if isinstance(c, str) else c
                 for c in cells]  # fmt: skip
        notebook = new_notebook(cells=cells)
        put_colab_cell_first(notebook, tagged_address())
        path = self.root / "book" / "chapters" / f"{number:02}-a-chapter.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(normalize(notebook), path)
        return self.root

    def good_chapter(self, *changes: tuple[str, str]) -> Path:
        """Plant a chapter without a fault, or with some text changed where it stands first."""
        cells = [copy.deepcopy(cell) for cell in GOOD_CHAPTER]
        for old, new in changes:
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


def quiz(name: str):
    return code(f'quiz("{name}")', tags=("one-line",))


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


def mentions(found: list[str], problem: str) -> None:
    """Fail unless one of the sentences on the planted chapter says this; nothing if it is empty."""
    assert bool(found) == bool(problem), found
    assert problem == "" or any(problem in sentence for sentence in found), found
    assert all(sentence.startswith("book/chapters/02-a-chapter.ipynb: ") for sentence in found)


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
    quiz("before"),
    "## One\n\nText.\n\n### Part\n\n## Two",
    code("picture(axes, alt='A line.', caption='Figure 2.1. A line.')"),
    code(
        "def draw(x):\n    return picture(plot(x), alt=f'At {x}.')\n\n\n"
        "explore(draw, caption='Figure 2.2. Move it.', x=[1, 2])"
    ),
    "## Find the bug\n\n## Exercises",
    *(part for number in (1, 2, 3) for part in exercise(number)),
    "## Check yourself",
    quiz("after"),
    quiz("at-last"),
    code("flashcards('masks')", tags=("one-line",)),
    "## Summary\n\n## In the real BERT\n\n## References",
)
