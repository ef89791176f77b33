"""BERT on one page: it is short, it needs torch only, and it is the code of the chapters."""

import ast
import copy
import functools
import inspect
import re
import sys
from pathlib import Path

import nbformat
import pytest
from same_code import canonical, our_name
from solutions import file_of_solutions

from bertbook.reader.one_page import PAGE
from minibert import attention, losses

# Parts without an exercise, and the modules of the package that define them.
OURS = {"additive_mask": attention, "cross_entropy": losses}
SOLVED = (
    *("BertEmbeddings", "many_heads", "BertSelfAttention", "BertSelfOutput", "BertAttention"),
    *("BertIntermediate", "BertOutput", "BertLayer", "BertEncoder", "BertPooler", "BertModel"),
    *("BertPredictionHeadTransform", "BertLMPredictionHead", "BertPreTrainingHeads"),
    *("BertForPreTraining", "corrupt_tokens"),
)
ROOT = Path(__file__).parents[2]
CHAPTERS = ROOT / "book" / "chapters"


def definitions(text):
    kinds = ast.ClassDef | ast.FunctionDef
    return {our_name(n.name): n for n in ast.parse(text).body if isinstance(n, kinds)}


@functools.cache
def solved():
    return definitions(file_of_solutions())


@functools.cache
def on_the_page():
    return definitions(PAGE.read_text(encoding="utf-8"))


def test_it_is_a_page_with_one_statement_on_each_line():
    text = PAGE.read_text(encoding="utf-8")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 100
    statements = [n.lineno for n in ast.walk(ast.parse(text)) if isinstance(n, ast.stmt)]
    assert len(statements) == len(set(statements))
    for name in ("README.md", "book/index.md", "book/bert-on-one-page.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f"{len(lines)} lines" in text, name


def test_it_needs_torch_only():
    nodes = [*ast.walk(ast.parse(PAGE.read_text(encoding="utf-8")))]
    names = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    found = {name.partition(".")[0] for name in names}
    assert found - set(sys.stdlib_module_names) == {"torch", "safetensors"}


def test_every_definition_has_its_note_and_its_chapter():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for name, node in on_the_page().items():
        heading = lines[node.lineno - 1 : node.body[0].lineno - 1]
        [chapter] = re.findall(r"  # (\d+)(?:: \S.*)?$", "\n".join(heading))
        assert [*CHAPTERS.glob(f"{int(chapter):02}-*.ipynb")], name


def test_the_solutions_are_all_there():
    assert set(solved()) == set(SOLVED)


def without(argument, node):
    """Return a function without an argument that nobody passes on the page, and its branch."""
    node = copy.deepcopy(node)
    [place] = [n for n, each in enumerate(node.args.kwonlyargs) if each.arg == argument]
    del node.args.kwonlyargs[place], node.args.kw_defaults[place]
    node.body = [each for each in node.body if not is_branch(each, f"{argument} is not None")]
    assert argument not in ast.unparse(node)
    return node


def without_branch(condition, node):
    """Return a function without the branch of a condition, which it has."""
    node = copy.deepcopy(node)
    [branch] = [each for each in node.body if is_branch(each, condition)]
    node.body.remove(branch)
    return node


def is_branch(node, condition):
    return isinstance(node, ast.If) and ast.unparse(node.test) == condition


@pytest.mark.parametrize("name", SOLVED)
def test_a_part_is_the_solution_of_its_exercise(name):
    solution = solved()[name]
    if name == "corrupt_tokens":  # the page hides pieces, not whole words
        solution = without("continues_word", solution)
    assert canonical(on_the_page()[name]) == canonical(solution)


def test_cutting_a_word_is_the_solution_of_its_exercise():
    path = next(CHAPTERS.glob("06-*.ipynb"))
    cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
    [code] = [cell for cell in cells if cell.startswith("def longest_match_solution")]
    solution = definitions(code)["longest_match_solution"]
    solution.name = "longest_match"
    assert canonical(on_the_page()["longest_match"]) == canonical(solution)


@pytest.mark.parametrize("name", OURS)
def test_a_part_without_exercise_is_ours(name):
    ours = definitions(inspect.getsource(OURS[name]))[name]
    if name == "cross_entropy":  # the page reads its labels, also on a GPU
        ours = without_branch("not entries_can_be_read(labels)", ours)
    assert canonical(on_the_page()[name]) == canonical(ours)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("self.dense(hidden_states[:, 0])", "self.dense(hidden_states[:, 1])"),
        ("scores = scores + mask", "scores = scores - mask"),
        ("            maps.append(probs)\n", ""),
        ("mlm = None if labels is None else", "mlm = None if words is None else"),
    ],
)
def test_a_slip_on_the_page_would_show(right, wrong):
    text = PAGE.read_text(encoding="utf-8")
    assert text.count(right) == 1
    changed = definitions(text.replace(right, wrong))
    different = [n for n, d in changed.items() if canonical(d) != canonical(on_the_page()[n])]
    assert len(different) == 1
    assert {*different} <= {*SOLVED, *OURS}
