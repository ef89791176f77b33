"""What runs a reader's cell in the page, after what stands above it in the chapter."""

import ast
import contextlib
import copy
import io
import json
import linecache
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent
MUCH = 20_000  # letters that a cell may print
CELL = "<your code>"


class Missing(ModuleType):
    """A library that the page does not have: it can be named, but nothing of it can be called."""

    __path__ = ()

    def __init__(self, name, *_):
        """Be missing; what is derived from a missing class is missing, too."""
        super().__init__(name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"{self.__name__}.{name}")

    def __getitem__(self, shape):
        return self

    def __or__(self, other):
        return self

    __ror__ = __or__

    def __call__(self, *given, **named):
        """Refuse, and say where it works."""
        raise ImportError(f"{self.__name__} is not in this page; open the chapter in Jupyter")


for _name in ("jaxtyping", "torch", "torch.nn", "torch.nn.functional", "torch.overrides"):
    sys.modules[_name] = Missing(_name)
if find_spec("numpy") is None:  # where Python in the page has a numpy, it plays
    sys.modules["numpy"] = import_module("numpy_stand_in")
notebook = import_module("notebook_in_the_page")
sys.modules |= dict.fromkeys(("bertbook.core", "bertbook.reader"), notebook)

page = sys.modules["__main__"] = ModuleType("__main__")
shown = []  # pairs of "text" or "html" and content


def show(value) -> None:
    """Put a value below the cell, as a notebook does."""
    if hasattr(value, "_repr_html_"):
        shown.append(("html", value._repr_html_()))
    elif value is not None:
        shown.append(("text", repr(value)))


def begin(name: str) -> None:
    """Run silently what stands above an exercise; names that the page lacks stay unknown."""
    for node in ast.parse((HERE / "above" / f"{name}.py").read_text(encoding="utf-8")).body:
        for one in _apart(node):
            with contextlib.suppress(ImportError), contextlib.redirect_stdout(io.StringIO()):
                _execute([one], f"<above {name}>")


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """Take an import of several names apart, since some of them may be missing."""
    if not isinstance(node, ast.ImportFrom):
        return [node]
    parts = [ast.ImportFrom(node.module, [name], node.level) for name in node.names]
    return [ast.copy_location(part, node) for part in parts]


def _execute(body: list[ast.stmt], file: str) -> None:
    module = ast.fix_missing_locations(ast.Module(body, []))
    exec(compile(module, file, "exec"), vars(page))


def run(code: str) -> str:
    """Run a cell; return what it shows, and whether an exercise is solved, as JSON."""
    shown.clear()
    notebook.verdicts.clear()
    linecache.cache[CELL] = (len(code), None, code.splitlines(keepends=True), CELL)
    printed, passed = io.StringIO(), False
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            passed = _run(ast.parse(code, CELL))
        except BaseException as error:
            shown.append(("text", _told(error)))
    if text := printed.getvalue():
        cut = f"{text[:MUCH]}\n… {len(text) - MUCH} more letters" if len(text) > MUCH else text
        shown.insert(0, ("text", cut))
    return json.dumps({"shown": shown, "passed": passed})


def _run(tree: ast.Module) -> bool:
    """Run a cell, show its last value, and what a checked function returns."""
    last = tree.body[-1] if tree.body else None
    is_value = isinstance(last, ast.Expr)
    _execute(tree.body[:-1] if is_value else tree.body, CELL)
    if not is_value:
        return False
    value = eval(compile(ast.Expression(last.value), CELL, "eval"), vars(page))
    show(value)
    for check, function in _checked(last):
        _show_first_case(check, function)
    verdicts = [value, *notebook.verdicts]
    return any(getattr(verdict, "passed", False) for verdict in verdicts)


def _told(error: BaseException) -> str:
    """Write an error with the lines of the reader's own code, not with those of ours."""
    lines = traceback.extract_tb(error.__traceback__)
    own = "".join(traceback.format_list([line for line in lines if line.filename == CELL]))
    return (own + "".join(traceback.format_exception_only(error))).rstrip()


def _checked(node: ast.AST):
    """Yield each checker that is called in a cell, with the function it is given."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.args:
            names = (call.func.id, getattr(call.args[0], "id", ""))
            if names[0].startswith("check_") and names[1]:
                yield vars(page)[names[0]], vars(page)[names[1]]


def _show_first_case(check, function) -> None:
    """Draw what a function returns for the first case of its exercise, if it is numbers."""
    numpy = import_module("numpy")
    case = getattr(check, "cases", [()])[0]
    try:
        answer = numpy.asarray(function(*map(check.given, copy.deepcopy(case))))
        table = answer.reshape(-1, answer.shape[-1])
        if answer.dtype.kind not in "bif" or not 0 < table.size <= 64:
            return
    except Exception:
        return
    rows, columns = (list(map(str, range(size))) for size in table.shape)
    told = f"What {function.__name__} returns for the first case."
    show(notebook.html(notebook.matrix(table, rows, columns), told))
