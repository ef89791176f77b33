"""The API reference: every public object has its place, its chapter, and a way back."""

import doctest
import inspect
import re
from importlib import import_module

import api
import pytest
from built_book import BOOK

from bertbook.core.exercises.exercise import Exercise

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BOOK.glob("api-*.md"))}
OBJECTS = [(module, name) for module, things in api.public().items() for name in things]
ARRAY, SHAPE = (
    re.compile(r"^(?!.*Callable).*\b(Tensor|ndarray)\b"),
    re.compile(r"\[.*[\"']", re.DOTALL),
)
# Types that say by themselves what comes back.
SPEAKING = {"Html", "Html | LiveFigure", "Verdict", "Slider", "Typed", "Axes", "Figure"}
SPEAKING |= {"Answer", "Source"}
ARGUMENT = re.compile(r"^ {4}(\S[^:]*): (\S.*(?:\n {5,}.*)*)", re.MULTILINE)


@pytest.fixture(scope="module")
def built(html):
    """Read the pages of the reference and the chapters as they were built."""
    pages = [*html.glob("api-*.html"), *(html / "chapters").glob("*.html")]
    return {page.stem: page.read_text(encoding="utf-8") for page in pages}


def place_of(module, name, built):
    """Find the page that describes an object, and what it says there."""
    start = f'id="{module}.{name}"'
    pages = [page for page, text in built.items() if start in text]
    assert len(pages) == 1, f"{module}.{name} is described on {pages or 'no page'}"
    text = built[pages[0]].split(start)[1]
    return pages[0], re.split(r'<dt class="sig sig-object py" id="', text)[0]


def test_every_module_is_on_one_page_and_every_object_names_a_chapter():
    comments = [comment for text in PAGES.values() for comment in api.COMMENT.findall(text)]
    found = [module for comment in comments for module in api.modules_of(*comment)]
    assert sorted(found) == sorted(api.public())
    assert len(OBJECTS) > 300
    named = [api.chapters_of(module, name, api.public()[module][name]) for module, name in OBJECTS]
    assert [names for names, chapters in zip(OBJECTS, named) if not chapters] == []


def with_docstrings():
    """Yield what the pages describe, with its name: functions, classes and their methods."""
    for module, name in OBJECTS:
        thing = api.public()[module][name]
        if inspect.isclass(thing) or inspect.isroutine(thing):
            yield f"{module}.{name}", thing
        for own, member in vars(thing).items() if inspect.isclass(thing) else ():
            member = getattr(member, "__func__", member)  # a method of the class as well
            is_new = not any(own in vars(base) for base in bases_of(thing))  # else said there
            is_public = inspect.isroutine(member) and own == member.__name__ and own[0] != "_"
            if is_public and is_new:
                yield f"{module}.{name}.{own}", member


def bases_of(thing):
    """List the classes of ours from which a class is derived."""
    return [base for base in thing.__mro__[1:] if f"{base.__module__}.".startswith(api.OURS)]


def lacks(thing):
    """Say what a docstring lacks of the parameters, of their shapes, and of what comes back."""
    told = inspect.getdoc(thing)
    section = told.partition("Args:\n")[2].partition("\n\n")[0]
    explained = {one: words for names, words in ARGUMENT.findall(section)
                 for one in names.replace("*", "").split(", ")}  # fmt: skip
    is_class = inspect.isclass(thing)
    # A name may also be explained in a sentence, or by the base of a class, or say what it is.
    bases = bases_of(thing) if is_class else []
    inherited = [name for base in bases for name in inspect.signature(base).parameters]
    in_prose = {*re.findall(r"`(\w+)`", told), *inherited, "config"}
    as_its_base = is_class and not {"__init__", "__new__"} & vars(thing).keys()
    signature = inspect.Signature() if as_its_base else inspect.signature(thing)
    taken = {k: p.annotation for k, p in signature.parameters.items() if k not in ("self", "cls")}
    returned = None if is_class else signature.return_annotation
    kind = getattr(returned, "__name__", returned)
    speaks = re.search("^(Return|Yield) |Returns:|Yields:", told)
    silent = kind in (None, "None", *SPEAKING) or speaks
    return [
        *(f"{name} is not explained" for name in taken.keys() - explained.keys() - in_prose),
        *(f"there is no {name}" for name in explained.keys() - taken.keys() if not as_its_base),
        *([] if silent else ["what is returned is not explained"]),
        *(
            f"{name} has no shape"
            for name, annotation in {**taken, "return": returned}.items()
            if ARRAY.search(str(annotation)) and not SHAPE.search(str(annotation))
            and "shape" not in explained.get(name, told)
        ),
    ]  # fmt: skip


def test_every_parameter_and_every_result_is_explained_arrays_with_their_shapes():
    assert len(list(with_docstrings())) > 400
    found = {name: problems for name, thing in with_docstrings() if (problems := lacks(thing))}
    assert found == {}


def test_a_page_lists_every_parameter_with_its_type(built):
    listed = 0
    for full, thing in with_docstrings():
        if inspect.isclass(thing) and not {"__init__", "__new__"} & vars(thing).keys():
            continue  # called as its base
        _, told = place_of(*full.rpartition(".")[::2], built)
        for name in inspect.signature(thing).parameters.keys() - {"self", "cls"}:
            assert re.search(rf"<strong>\**{name}</strong> \(", told), f"{full} lists no {name}"
            listed += 1
    assert listed > 1000


def test_an_object_and_its_chapters_are_linked(built):
    for module, name in OBJECTS:
        page, told = place_of(module, name, built)
        for number in api.chapters_of(module, name, api.public()[module][name]):
            if number not in api.chapters():
                continue
            chapter, _ = api.chapters()[number]
            assert f'href="{chapter}.html"' in told, f"{module}.{name} has no link to {chapter}"
            if not name.startswith("check_"):
                back = f'href="../{page}.html#{module}.{name}"'
                assert back in built[chapter.split("/")[1]], f"{chapter} has no link to {name}"


@pytest.mark.parametrize("page", ["api-checkers", "api-family"])
def test_the_examples_of_a_page_run(page):
    text = re.sub(r"^```.*$", "", PAGES[page], flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page, None, 0)
    assert doctest.DocTestRunner().run(examples) == (0, len(examples.examples))
    assert examples.examples


def test_every_value_is_explained():
    told = {
        f"{module}.{name}": api.words_on(module, name, thing)
        for module, name in OBJECTS
        if not inspect.isclass(thing := api.public()[module][name])
        and not inspect.isroutine(thing)
        and not isinstance(thing, Exercise)
    }
    assert len(told) > 20
    assert [name for name, words in told.items() if not words.endswith(".")] == []


def test_what_chapters_import_is_public():
    here = {id(thing) for things in api.public().values() for thing in things.values()}
    lost = [
        (number, module, name)
        for number, module, name in api.imports()
        if not inspect.ismodule(thing := getattr(import_module(module), name))
        and id(thing) not in here
    ]
    assert lost == []


def source_of(module, fullname):
    return api.source_of("py", {"module": module, "fullname": fullname})


def test_the_source_of_an_object_is_linked_with_its_lines():
    address = re.fullmatch(r"(.+)#L(\d+)-L(\d+)", source_of("minibert.config", "BertConfig.tiny"))
    assert address and address[1].endswith("/blob/v0.1.0/minibert/config.py")
    lines = (BOOK.parent / "minibert" / "config.py").read_text(encoding="utf-8").splitlines()
    assert any("def tiny(" in line for line in lines[int(address[2]) - 1 : int(address[3])])
    assert source_of("builtins", "len") is None
    told = [(m, n) for m, n in OBJECTS if inspect.isroutine(t := api.public()[m][n])
            or inspect.isclass(t)]  # fmt: skip
    assert [names for names in told if not source_of(*names)] == []


def test_pytest_runs_the_examples_of_all_docstrings(pytestconfig):
    assert pytestconfig.getoption("doctestmodules")
    told = {
        (thing.__module__, thing.__qualname__)
        for _, thing in with_docstrings()
        if ">>>" in (thing.__doc__ or "")
    }
    found = {
        each.name
        for module, _ in told
        if module.split(".")[0] in pytestconfig.getini("testpaths")
        for each in doctest.DocTestFinder().find(import_module(module))
        if each.examples
    }
    assert len(told) > 200
    assert {".".join(names) for names in told} - found == set()
