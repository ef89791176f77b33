"""The API reference: pages out of the docstrings, and links between an object and its chapter.

A page `api-….md` names modules in a comment, `<!-- api: config embeddings -->`. While it is read,
the comment becomes a table of Sphinx's autosummary and a section for each module, which autodoc
and napoleon fill; linkcode links the source. `<!-- checkers: … -->` does so for the modules that
hold nothing but checkers. What is public is decided in the package and in the chapters: `__all__`,
whatever a chapter imports, and the classes of what is returned and of public values.
"""

import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import get_args, get_type_hints

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.nodes import make_refnode

BOOK = Path(__file__).resolve().parents[1]
COMMENT = re.compile(r"<!-- (api|checkers): ([\w. ]+) -->")
NAMES = re.compile(r"\bChapters? (\d+(?:(?:, | and )\d+)*)")
NAMED = re.compile(rf"\s*{NAMES.pattern}\.")
WITH_EXPORTS = (
    *("bertbook.reader.contracts", "bertbook.corpus", "bertbook.reader", "bertbook.core"),
    *("bertbook.reader.module", "bertbook.museum", "bertbook.museum.invariants"),
    "bertbook.museum.invariants.learning",
    *("minibert.data", "bertfamily", "minibert.fast", "minibert.loading"),
    *("minibert.reference", "minibert.tasks", "minibert.training", "minibert.wordpiece"),
)
OURS = ("minibert.", "bertfamily.", "berttools.", "bertbook.")
FIELD = ("Alias for field number", "attrgetter(")  # what Python says of fields and of other names
CLASS = re.compile(r"(?<![`:~])`([A-Z]\w+)`(?!`)")
ARGUMENTS = re.compile(r"<dl>\s*(<dd>.*?</dd>)\s*</dl>", re.DOTALL)
RESULT = re.compile(r"(\w+): (.+)")
STYLE = Config(napoleon_use_rtype=False)
STAR = re.compile(r'(?<=\[Tensor, ")\*|(?<=\[ndarray, ")\*')


@cache
def chapters() -> dict[int, tuple[str, str]]:
    """Give the page and the title of each chapter."""
    found = {}
    for path in sorted((BOOK / "chapters").glob("[0-9][0-9]-*.ipynb")):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        title = "".join(first).splitlines()[0].removeprefix("# ")
        found[int(path.name[:2])] = f"chapters/{path.stem}", title
    return found


@cache
def imports() -> list[tuple[int, str, str]]:
    """List what chapters import from the package: chapter, module and name."""
    return [
        (number, str(node.module), alias.name)
        for number, (page, _) in chapters().items()
        for node in _imports(page)
        for alias in node.names
    ]


@cache
def imported() -> dict[str, set[int]]:
    """Give the chapters that import a name."""
    found: dict[str, set[int]] = {}
    for number, _, name in imports():
        found.setdefault(name, set()).add(number)
    return found


def _imports(page: str) -> Iterator[ast.ImportFrom]:
    """Yield the statements of a chapter that import from the package."""
    notebook = json.loads((BOOK / f"{page}.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        code = "".join(cell["source"])
        if (
            cell["cell_type"] == "code"
            and ("minibert" in code or "bertbook" in code)
            and "get_ipython" not in code
        ):
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(OURS):
                    yield node


@cache
def public() -> dict[str, dict[str, object]]:
    """Give the public objects of each module; one that two modules offer stands in the first."""
    exported = [(name, each) for name in WITH_EXPORTS for each in import_module(name).__all__]
    names = [*exported, *sorted({(m, name) for _, m, name in imports()})]
    found: dict[str, dict[str, object]] = {}
    seen: set[int] = set()
    for module, name in names:  # it grows: the classes of results and values come at the end
        thing = getattr(import_module(module), name)
        can_be_told = inspect.isroutine(thing) or inspect.isclass(thing)
        if not inspect.ismodule(thing) and not (can_be_told and id(thing) in seen):
            found.setdefault(module, {})[name] = thing
            seen.add(id(thing))
            names += [(each.__module__, each.__name__) for each in classes_behind(thing)]
    return found


def classes_behind(thing: object) -> Iterator[type]:
    """Yield those of our public classes that a function, or a class's method, returns.

    Of a value it is the class of the value.
    """
    if inspect.isclass(thing):
        told = [_returned(each) for name, each in vars(thing).items() if name[0] != "_"]
    else:
        told = [_returned(thing) if inspect.isroutine(thing) else type(thing)]
    for each in (part for whole in told for part in (whole, *get_args(whole))):
        if inspect.isclass(each) and each.__module__.startswith(OURS) and each.__name__[0] != "_":
            yield each


def _returned(thing: object) -> object:
    """Return what a function says that it returns; None for what is no function."""
    try:
        return get_type_hints(inspect.unwrap(thing)).get("return")  # pyright: ignore[reportArgumentType]
    except (AttributeError, NameError, TypeError):  # no function, or a name for the type checker
        return None


def home_of(module: str, name: str, thing: object) -> str:
    """Find the module that defines something; a value does not know its own."""
    if inspect.isroutine(thing) or inspect.isclass(thing):
        return thing.__module__
    ours = [other for key, other in sys.modules.items() if f"{key}.".startswith(OURS)]
    same = [other for other in ours if vars(other).get(name) is thing]
    assigned = re.compile(rf"^(\w+, )*{name}\b.*=", re.MULTILINE)
    found = [other.__name__ for other in same if assigned.search(inspect.getsource(other))]
    return min(found, key=lambda home: not f"{home}.".startswith(f"{module}."), default=module)


def words_on(module: str, name: str, thing: object) -> str:
    """Give the comment on a value, as Sphinx knows it: `#:` in the lines before."""
    found = ModuleAnalyzer.for_module(home_of(module, name, thing)).find_attr_docs()
    return " ".join(found.get(("", name), ())).strip()


def chapters_of(module: str, name: str = "", thing: object = None) -> list[int]:
    """Name the chapters that build something, as its module says, or else those that import it."""
    text = import_module(home_of(module, name, thing) if name else module).__doc__ or ""
    named = NAMED.findall(text) or NAMES.findall(text)
    numbers = [int(n) for numbers in named for n in re.findall(r"\d+", numbers)]
    return numbers or sorted(imported().get(name, ()))


def links(numbers: list[int]) -> str:
    """Write the chapters that are there as links of reStructuredText."""
    told = [(n, *chapters()[n]) for n in numbers if n in chapters()]
    return " · ".join(f":doc:`Chapter {n}, {title} </{page}>`" for n, page, title in told)


@cache
def release() -> str:
    """Give the address of the files of this version."""
    text = (BOOK.parent / "pyproject.toml").read_text(encoding="utf-8")
    (repository,) = re.findall(r'^Repository = "(.+)"$', text, re.MULTILINE)
    return f"{repository}/blob/v{import_module('minibert').__version__}"


def source_of(domain: str, info: dict[str, str]) -> str | None:
    """Give the address of the lines that define a function, class or method, for linkcode."""
    thing = import_module(info["module"])
    for name in info["fullname"].split("."):
        thing = getattr(thing, name)
    plain = inspect.unwrap(getattr(thing, "fget", thing))  # pyright: ignore[reportArgumentType]
    try:
        lines, first = inspect.getsourcelines(plain)
        path = Path(inspect.getsourcefile(plain) or "").relative_to(BOOK.parent)
    except (OSError, TypeError, ValueError):
        return None  # a value, built by a call, or no file of ours
    return f"{release()}/{path.as_posix()}#L{first}-L{first + len(lines) - 1}"


def section(module: str) -> str:
    """Write the section of one module: what it says, and each of its objects."""
    text = NAMED.sub("", inspect.cleandoc(import_module(module).__doc__ or ""))
    told = [f".. py:currentmodule:: {module}", text, links(chapters_of(module))]
    told += [entry(module, name, thing) for name, thing in public().get(module, {}).items()]
    inside = "\n\n".join(filter(None, told))
    return f"## `{module}`\n\n````{{eval-rst}}\n{inside}\n````\n"


def entry(module: str, name: str, thing: object) -> str:
    """Let autodoc describe a function or a class; of a value, say what it is."""
    if inspect.isclass(thing):
        return f".. autoclass:: {module}.{name}\n   :members:"
    if inspect.isroutine(thing):
        return f".. autofunction:: {module}.{name}"
    is_plain = isinstance(thing, str | int | tuple) and len(repr(thing)) <= 60
    value = f"\n   :value: {thing!r}" if is_plain else ""
    kind = type(thing).__name__
    told = [repr(thing) if kind == "Exercise" else words_on(module, name, thing)]
    body = "\n\n".join([*told, links(chapters_of(module, name, thing))])
    return f".. py:data:: {name}\n   :type: {kind}{value}\n\n{textwrap.indent(body, '   ')}"


def modules_of(what: str, names: str) -> list[str]:
    """Name the modules with something public below each of some names, in their order."""
    return [
        module
        for name in names.split()
        for module in sorted(public(), key=_place)
        if f"{module}.".startswith(f"{name}.") and holds_checkers(module) == (what == "checkers")
    ]


def _place(module: str) -> tuple[list[int], str]:
    """Sort by name, and what belongs to single chapters by these."""
    return chapters_of(module) if module.startswith("bertbook.topics.") else [], module


def holds_checkers(module: str) -> bool:
    """Return whether a module of a chapter offers nothing but checkers of exercises."""
    is_of_a_chapter = module.startswith("bertbook.topics.")
    return is_of_a_chapter and all(name.startswith("check_") for name in public()[module])


def overview(modules: list[str]) -> str:
    """Write the table of the functions and classes of some modules, each with its sentence."""
    rows = [
        f"   ~{module}.{name}"
        for module in modules
        for name, thing in public()[module].items()
        if inspect.isclass(thing) or inspect.isroutine(thing)
    ]
    table = "\n".join([".. autosummary::", "   :nosignatures:", "", *rows])
    return f"````{{eval-rst}}\n{table}\n````\n"


def page_of(what: str, names: str) -> str:
    """Write what stands in the place of a comment."""
    modules = modules_of(what, names)
    return "\n".join([*([] if what == "checkers" else [overview(modules)]), *map(section, modules)])


def api_of(number: int) -> str:
    """List for the end of a chapter what of the packages it builds or imports, page by page."""
    lines = []
    for page, modules in pages().items():
        found = sorted(
            (name.lower(), f"{{py:obj}}`~{module}.{name}`")
            for module in modules
            for name, thing in public()[module].items()
            if number in chapters_of(module, name, thing) and not name.startswith("check_")
        )
        lines += [f"- [](../{page}.md): {', '.join(link for _, link in found)}"] if found else []
    fold = ["## In the API", "", ":::{dropdown} What this chapter uses, by page", *lines, ":::", ""]
    return "\n".join(fold) if lines else ""


@cache
def pages() -> dict[str, list[str]]:
    """Give the modules of each page of the reference, in the order of the contents."""
    contents = (BOOK / "_toc.yml").read_text(encoding="utf-8")
    texts = {
        page: (BOOK / f"{page}.md").read_text(encoding="utf-8")
        for page in re.findall(r"- file: (api-\w+)", contents)
    }
    return {
        page: [module for comment in COMMENT.findall(text) for module in modules_of(*comment)]
        for page, text in texts.items()
    }


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write the sections of an API page, or the list at the end of a chapter."""
    if docname.startswith("api"):
        source[0] = COMMENT.sub(lambda comment: page_of(*comment.groups()), source[0])
    elif docname.startswith("chapters/"):
        told = api_of(int(docname.removeprefix("chapters/")[:2]))
        notebook = json.loads(source[0])
        cell = {"cell_type": "markdown", "id": "in-the-api", "metadata": {}, "source": told}
        notebook["cells"] += [cell] if told else []
        source[0] = json.dumps(notebook)


class Docstring(GoogleDocstring):
    """Google's style where types stand in the signature: a word and a colon name a result."""

    def _consume_returns_section(
        self, preprocess_types: bool = False
    ) -> list[tuple[str, str, list[str]]]:
        """Divide the lines on what is returned into one part for each result, if there are more."""
        fields: list[tuple[str, str, list[str]]] = []
        for line in self._dedent(self._consume_to_next_section()):
            is_new = not fields or fields[-1][2][-1].endswith(".")  # no line goes on in this one
            named = RESULT.match(line) if is_new else None
            if named or not fields:
                fields.append((named[1], "", [named[2]]) if named else ("", "", [line]))
            else:
                fields[-1][2].append(line.strip())
        return fields


def read_docstring(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Turn the sections of a docstring into lists; a property's colon is no type before a text."""
    kind = "method" if what == "property" else what
    text = Docstring(lines, STYLE, app, kind, name, thing, options)  # pyright: ignore[reportArgumentType]
    lines[:] = text.lines()


def name_chapters(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Put the chapters of a function or class behind its docstring's first sentence."""
    module, _, own_name = name.rpartition(".")
    if own_name in public().get(module, {}):
        begun = next((i for i, line in enumerate(lines) if line), 0)
        end = next((i for i in range(begun, len(lines)) if not lines[i]), len(lines))
        lines[end:end] = ["", links(chapters_of(module, own_name, thing)), ""]


def link_classes(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """Link the classes of ours that a docstring names; the star of a shape stays a star."""

    def linked(found: re.Match) -> str:
        place = place_of(found[1])
        return f":py:class:`~{place}`" if place and place != name else found[0]

    lines[:] = [CLASS.sub(linked, STAR.sub(r"\*", line)) for line in lines]


def place_of(name: str) -> str:
    """Give the full name of a public class; empty if there is none of that name."""
    modules = (module for module, things in public().items() if inspect.isclass(things.get(name)))
    module = next(modules, "")
    return module and f"{module}.{name}"


def skip_fields(
    app: Sphinx, what: str, name: str, thing: object, skip: bool, options: object
) -> bool | None:
    """Leave out what Python says of fields, what models repeat, and functions that are values."""
    is_field = (getattr(thing, "__doc__", None) or "").startswith(FIELD)
    is_value = inspect.isfunction(thing) and thing.__name__ != name
    return True if is_field or is_value or name in ("config_class", "encoder_class") else None


def link_type(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, words: nodes.TextElement
) -> nodes.Element | None:
    """Link a type of a signature to where it is described; another library's stays as it is."""
    if node.get("reftype") != "class":
        return None
    place = place_of(str(node["reftarget"]).rpartition(".")[2])
    found = env.domains["py"].objects.get(place)  # pyright: ignore[reportAttributeAccessIssue]
    return (
        make_refnode(app.builder, node["refdoc"], found.docname, place, words) if found else words
    )


def write_arguments(
    app: Sphinx, page: str, template: str, context: dict[str, object], document: object
) -> None:
    """Write the lines of a long signature as lines: Sphinx makes each a list without terms."""

    def lines(found: re.Match) -> str:
        return found[1].replace("<dd>", '<span class="argument">').replace("</dd>", "</span>")

    if page.startswith("api"):
        context["body"] = ARGUMENTS.sub(lines, str(context["body"]))


def read_defaults(app: Sphinx, thing: object, _bound: bool) -> None:
    """Print the defaults as the source has them, but those of `called_as` as Python has them.

    What it decorates is called with arguments that do not stand in the source of the function.
    """
    app.config.autodoc_preserve_defaults = not hasattr(thing, "__wrapped__")


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx; a docstring is read before the chapters go in."""
    app.setup_extension("sphinx.ext.autosummary")
    app.setup_extension("sphinx.ext.linkcode")
    app.config.linkcode_resolve = source_of
    app.config.autosummary_generate = False
    app.connect("missing-reference", link_type)
    app.connect("html-page-context", write_arguments)
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", link_classes, priority=100)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("autodoc-process-docstring", name_chapters, priority=900)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("autodoc-before-process-signature", read_defaults, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
