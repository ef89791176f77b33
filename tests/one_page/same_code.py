"""The canonical form of a class or function: equal for codes that compute the same the same way.

Names of intermediate results vanish, since each is replaced by what it was assigned; so do
docstrings, annotations, checks of arguments, and the question of who plays a part.
"""

import ast
import copy
import re
from collections.abc import Callable, Iterable

from bertbook.reader.contracts.names import original_of

# The two losses of pre-training are this one, apart from the words of their errors.
SAME_FUNCTIONS = dict.fromkeys(("masked_lm_loss", "next_sentence_loss"), "cross_entropy")


def our_name(name: str) -> str:
    """Name what of ours a reader's stands for: BertLayer for MyLayer, many_heads for my_…."""
    try:
        return ours(original_of(name)) if name.startswith(("My", "my_")) else name
    except ValueError:
        return name.removeprefix("my_")


def ours(role: Callable) -> str:
    """Name one of ours as the page does, nn.Dropout among them."""
    return f"nn.{role.__name__}" if role.__module__.startswith("torch") else role.__name__


def canonical(node: ast.FunctionDef | ast.ClassDef) -> str:
    """Write a class or function in its canonical form."""
    node = _Plain().visit(copy.deepcopy(node))
    if isinstance(node, ast.FunctionDef):
        return _function(node)
    bases = ", ".join(map(ast.unparse, node.bases))
    methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
    return "\n".join([f"class {node.name}({bases})", *map(_function, methods)])


class _Plain(ast.NodeTransformer):
    """Take away who wrote it and who plays a part, annotations, and the name of -100."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "IGNORED_LABEL":
            return ast.parse("-100", mode="eval").body
        name = our_name(node.id)
        return ast.copy_location(ast.Name(SAME_FUNCTIONS.get(name, name), node.ctx), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if ast.unparse(node) == "torch.nn":
            return ast.Name("nn", ast.Load())
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "part":
            return self.visit(node.args[0])
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.name = our_name(node.name)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name, node.returns = our_name(node.name), None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node


class _Substitute(ast.NodeTransformer):
    """Replace names by what they stand for."""

    def __init__(self, known: dict[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.known:
            return node
        new = copy.deepcopy(self.known[node.id])
        if isinstance(new, ast.Name):
            new.ctx = node.ctx
        return new


class _Body:
    """The statements of a function, one after the other, without its intermediate names."""

    def __init__(self) -> None:
        self.known: dict[str, ast.expr] = {}
        self.written: list[str] = []
        self.variables = 0

    def read(self, statements: Iterable[ast.stmt]) -> str:
        for statement in statements:
            if not _is_check(statement):
                self._read_one(statement)
        return "\n".join(self.written)

    def _read_one(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            self._assign(node.targets[0], node.value)
        elif _is_default(node):
            name, [inner] = node.test.left.id, node.body
            self._assign(inner.targets[0], ast.IfExp(node.test, inner.value, ast.Name(name)))
        else:
            self._write(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.known[target.id] = self._known(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            values = [self._known(each) for each in value.elts]
            for one, other in zip(target.elts, values, strict=True):
                self._place(one, other)
        else:
            self._write(ast.Assign([target], value, lineno=0))

    def _place(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.known[target.id] = value
        else:
            self.written.append(f"{ast.unparse(self._known(target))} = {ast.unparse(value)}")

    def _write(self, node: ast.stmt) -> None:
        """Write what is no plain assignment; names that it sets become variables v1, v2, …."""
        for name in dict.fromkeys(_set_by(node)):
            self.variables += 1
            variable = f"v{self.variables}"
            if name in self.known:
                self.written.append(f"{variable} = {ast.unparse(self.known[name])}")
            self.known[name] = ast.Name(variable, ast.Load())
        self.written.append(ast.unparse(ast.fix_missing_locations(self._known(node))))

    def _known(self, node: ast.AST) -> ast.AST:
        return _Substitute(self.known).visit(copy.deepcopy(node))


def _function(node: ast.FunctionDef) -> str:
    if ast.get_docstring(node) is not None:
        del node.body[0]
    return f"def {node.name}({ast.unparse(node.args)})\n{_Body().read(node.body)}"


def _is_check(node: ast.stmt) -> bool:
    """Recognize a check of arguments: a call whose name says so, or an `if` that ends in one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return re.search(r"(^|[._])(require|check)", ast.unparse(node.value.func)) is not None
    if isinstance(node, ast.If) and not node.orelse:
        return _is_check(node.body[-1])
    return isinstance(node, ast.Raise)


def _is_default(node: ast.stmt) -> bool:
    """Recognize `if x is None: x = …`."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Compare)
        and isinstance(node.test.left, ast.Name)
        and ast.unparse(node.test) == f"{node.test.left.id} is None"
        and not node.orelse
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Assign)
        and ast.unparse(node.body[0].targets[0]) == node.test.left.id
    )


def _set_by(node: ast.stmt) -> list[str]:
    """Name what a statement sets or changes, with what it changes in place by a subscript."""
    changed = [
        each.value.id
        for each in ast.walk(node)
        if isinstance(each, ast.Subscript)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
    ]
    comprehended = {
        name.id
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for name in ast.walk(each.target)
        if isinstance(name, ast.Name)
    }
    stored = [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    return [name for name in [*changed, *stored] if name not in comprehended]
