"""BERT on one page: it is short, it needs torch only, and it is the code of the chapters.

Codes are compared in a canonical form, equal if they compute the same the same way: names of
intermediate results vanish, since each is replaced by what it was assigned, and so do docstrings,
annotations, checks of arguments, and the question of who plays a part.
"""

import ast
import copy
import functools
import inspect
import re
import sys
from pathlib import Path

import nbformat
import pytest
from solutions import CHAPTERS, file_of_solutions

from bertbook.reader.contracts.names import original_of
from bertbook.reader.one_page import PAGE
from minibert import attention, losses

# Parts without an exercise, and the modules of the package that define them.
OURS = {"additive_mask": attention, "cross_entropy": losses}
SOLVED = (
    *("BertEmbeddings", "many_heads", "BertSelfAttention", "BertSelfOutput", "BertAttention"),
    *("BertIntermediate", "BertOutput", "BertLayer", "BertEncoder", "BertPooler", "BertModel"),
    *("BertPredictionHeadTransform", "BertLMPredictionHead", "BertPreTrainingHeads"),
    *("BertForPreTraining", "corrupt_tokens", "longest_match"),
)
# The two losses of pre-training are this one, apart from the words of their errors.
SAME_FUNCTIONS = dict.fromkeys(("masked_lm_loss", "next_sentence_loss"), "cross_entropy")
ROOT = Path(__file__).parents[2]
TEXT = PAGE.read_text(encoding="utf-8")


def our_name(name):
    """Name what of ours a reader's stands for: BertLayer for MyLayer, many_heads for my_…."""
    try:
        role = original_of(name) if name.startswith(("My", "my_")) else None
    except ValueError:
        return name.removeprefix("my_")
    if role is None:
        return name
    return f"nn.{role.__name__}" if role.__module__.startswith("torch") else role.__name__


class Plain(ast.NodeTransformer):
    """Take away who wrote it and who plays a part, annotations, and the name of -100."""

    def visit_Name(self, node):
        if node.id == "IGNORED_LABEL":
            return ast.parse("-100", mode="eval").body
        name = our_name(node.id)
        return ast.copy_location(ast.Name(SAME_FUNCTIONS.get(name, name), node.ctx), node)

    def visit_Attribute(self, node):
        is_nn = ast.unparse(node) == "torch.nn"
        return ast.Name("nn", ast.Load()) if is_nn else self.generic_visit(node)

    def visit_Call(self, node):
        is_part = isinstance(node.func, ast.Name) and node.func.id == "part"
        return self.visit(node.args[0]) if is_part else self.generic_visit(node)

    def visit_ClassDef(self, node):
        node.name = our_name(node.name)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.visit_ClassDef(node)

    def visit_arg(self, node):
        node.annotation = None
        return node


class Substitute(ast.NodeTransformer):
    """Replace names by what they stand for."""

    def __init__(self, known):
        self.known = known

    def visit_Name(self, node):
        new = copy.deepcopy(self.known.get(node.id, node))
        if isinstance(new, ast.Name):
            new.ctx = node.ctx
        return new


class Body:
    """The statements of a function, one after the other, without its intermediate names."""

    def __init__(self, statements):
        self.known, self.written, self.variables = {}, [], 0
        for statement in statements:
            if not is_check(statement):
                self.read(statement)

    def read(self, node):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self.assign(node.targets[0], node.value)
        elif name := name_of_default(node):
            before = ast.Name(name, ast.Load())
            self.assign(before, ast.IfExp(node.test, node.body[0].value, before))
        else:
            self.write(node)

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.known[target.id] = self.now(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for one, other in zip(target.elts, map(self.now, value.elts), strict=True):
                if isinstance(one, ast.Name):
                    self.known[one.id] = other
                else:
                    self.written.append(f"{ast.unparse(self.now(one))} = {ast.unparse(other)}")
        else:
            self.write(ast.Assign([target], value, lineno=0))

    def write(self, node):
        """Write what is no plain assignment; names that it sets become variables v1, v2, …."""
        for name in dict.fromkeys(set_by(node)):
            self.variables += 1
            variable = f"v{self.variables}"
            if name in self.known:
                self.written.append(f"{variable} = {ast.unparse(self.known[name])}")
            self.known[name] = ast.Name(variable, ast.Load())
        self.written.append(ast.unparse(ast.fix_missing_locations(self.now(node))))

    def now(self, node):
        return Substitute(self.known).visit(copy.deepcopy(node))


def is_check(node):
    """Recognize a check of arguments: a call whose name says so, or an `if` that ends in one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return re.search(r"(^|[._])(require|check)", ast.unparse(node.value.func)) is not None
    if isinstance(node, ast.If) and not node.orelse:
        return is_check(node.body[-1])
    return isinstance(node, ast.Raise)


def name_of_default(node):
    """Return the name in `if x is None: x = …`, or nothing."""
    found = re.fullmatch(r"if (\w+) is None:\n    \1 = .*", ast.unparse(node))
    return found[1] if found else ""


def set_by(node):
    """Name what a statement sets or changes, with what it changes in place by a subscript."""
    inside = [*ast.walk(node)]
    stores = [each for each in inside if isinstance(getattr(each, "ctx", None), ast.Store)]
    changed = [each.value for each in stores if isinstance(each, ast.Subscript)]
    targets = [each.target for each in inside if isinstance(each, ast.comprehension)]
    own = {name for target in targets for name in ast.walk(target)}
    names = [each for each in [*changed, *stores] if isinstance(each, ast.Name)]
    return [each.id for each in names if each not in own]


def canonical(node):
    """Write a class or function in its canonical form."""
    node = Plain().visit(copy.deepcopy(node))
    if isinstance(node, ast.ClassDef):
        methods = [canonical(each) for each in node.body if isinstance(each, ast.FunctionDef)]
        return "\n".join(
            [f"class {node.name}({', '.join(map(ast.unparse, node.bases))})", *methods]
        )
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return "\n".join([f"def {node.name}({ast.unparse(node.args)})", *Body(body).written])


def definitions(text):
    kinds = ast.ClassDef | ast.FunctionDef
    return {our_name(n.name): n for n in ast.parse(text).body if isinstance(n, kinds)}


@functools.cache
def solved():
    cells = nbformat.read(next(CHAPTERS.glob("06-*.ipynb")), as_version=4).cells
    [code] = [c.source for c in cells if c.source.startswith("def longest_match_solution")]
    return definitions(f"{file_of_solutions()}\n{code.replace('_solution', '')}")


def test_it_is_a_page_with_one_statement_on_each_line_that_needs_torch_only():
    lines, nodes = TEXT.splitlines(), [*ast.walk(ast.parse(TEXT))]
    assert max(map(len, lines)) <= 100
    statements = [node.lineno for node in nodes if isinstance(node, ast.stmt)]
    assert len(statements) == len(set(statements))
    for name in ("README.md", "book/index.md", "book/bert-on-one-page.md"):
        assert f"{len(lines)} lines" in (ROOT / name).read_text(encoding="utf-8"), name
    names = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom)]
    found = {name.partition(".")[0] for name in names}
    assert found - set(sys.stdlib_module_names) == {"torch", "safetensors"}


def test_every_definition_has_its_note_and_its_chapter():
    for name, node in definitions(TEXT).items():
        heading = TEXT.splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
        [chapter] = re.findall(r"  # (\d+)(?:: \S.*)?$", "\n".join(heading))
        assert [*CHAPTERS.glob(f"{int(chapter):02}-*.ipynb")], name


def test_the_solutions_are_all_there():
    assert set(solved()) == set(SOLVED)


def without_branch(node, condition, argument=""):
    """Return a function without the branch of a condition, and without its argument."""
    node = copy.deepcopy(node)
    [branch] = [n for n in node.body if ast.unparse(n).startswith(f"if {condition}:")]
    node.body.remove(branch)
    for place in [n for n, each in enumerate(node.args.kwonlyargs) if each.arg == argument]:
        del node.args.kwonlyargs[place], node.args.kw_defaults[place]
    return node


@pytest.mark.parametrize("name", [*SOLVED, *OURS])
def test_a_part_is_the_solution_of_its_exercise_or_ours(name):
    known = definitions(inspect.getsource(OURS[name])) if name in OURS else solved()
    expected = known[name]
    if name == "corrupt_tokens":  # the page hides pieces, not whole words
        expected = without_branch(expected, "continues_word is not None", "continues_word")
    if name == "cross_entropy":  # the page reads its labels, also on a GPU
        expected = without_branch(expected, "not entries_can_be_read(labels)")
    assert canonical(definitions(TEXT)[name]) == canonical(expected)


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
    assert TEXT.count(right) == 1
    changed, page = definitions(TEXT.replace(right, wrong)), definitions(TEXT)
    different = [name for name in page if canonical(page[name]) != canonical(changed[name])]
    assert len(different) == 1 and {*different} <= {*SOLVED, *OURS}
