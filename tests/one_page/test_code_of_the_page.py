"""BERT on one page: it is short, it needs torch only, and its classes pass the checkers."""

import ast
import re
import sys
from pathlib import Path

import bert
import pytest

from bertbook.reader.contracts import ROLES
from bertbook.reader.module import examine
from bertbook.reader.one_page import PAGE
from minibert.pretraining import BertForPreTraining

ROOT = Path(__file__).parents[2]
TEXT = PAGE.read_text(encoding="utf-8")
LINES = TEXT.splitlines()
CODE = ast.parse(TEXT)
# The output of BertForPreTraining lacks what nobody asks for on the page; the file beside this one
# compares all its numbers.
CLASSES = [
    role
    for role in ROLES
    if ROLES[role].built and hasattr(bert, role.__name__) and role is not BertForPreTraining
]


def test_it_is_a_page_with_one_statement_on_each_line():
    assert max(map(len, LINES)) <= 100
    statements = [n.lineno for n in ast.walk(CODE) if isinstance(n, ast.stmt)]
    assert len(statements) == len(set(statements))
    for name in ("README.md", "book/index.md", "book/bert-on-one-page.md"):
        assert f"{len(LINES)} lines" in (ROOT / name).read_text(encoding="utf-8"), name


def test_it_needs_torch_only():
    nodes = [*ast.walk(CODE)]
    names = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    found = {name.partition(".")[0] for name in names}
    assert found - set(sys.stdlib_module_names) == {"torch", "safetensors"}


def test_every_definition_has_its_note_and_its_chapter():
    for node in CODE.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            heading = LINES[node.lineno - 1 : node.body[0].lineno - 1]
            [chapter] = re.findall(r"  # (\d+)(?:: \S.*)?$", "\n".join(heading))
            assert [*(ROOT / "book" / "chapters").glob(f"{int(chapter):02}-*.ipynb")], node.name


@pytest.mark.parametrize("role", CLASSES)
def test_a_class_passes_the_checker_of_its_exercise(role):
    found = examine(getattr(bert, role.__name__), role)
    assert found.problem == "" and found.held == found.total


def test_all_classes_with_an_exercise_are_there():
    assert len(CLASSES) == 13
