"""One version of everything, in pyproject.toml, constraints.txt, environment.yml and as installed.

The address of the project has one place too, `Repository` in pyproject.toml.
"""

import re
from importlib.metadata import (
    PackageNotFoundError,
    distribution,
    packages_distributions,
    requires,
)
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("book", "chapters", "dev", "hub", "lab", "test")
CONDA_NAMES = {"pytorch-cpu": "torch"}
INSTALLED = min(packages_distributions()["minibert"])  # an old environment may have a second name
UPDATE = "After a change in pyproject.toml run `make pins`."


def lines(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def applies(requirement, **environment):
    marker = requirement.marker
    return marker is None or marker.evaluate({"extra": "", **environment})


def pins(**environment):
    """The version of each package that constraints.txt allows, here or in that environment."""
    parsed = map(Requirement, lines("constraints.txt"))
    allowed = [pin for pin in parsed if applies(pin, **environment)]
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in allowed}


def direct():
    """What pyproject.toml asks for, runtime and extras, as it was installed."""
    everything = map(Requirement, requires(INSTALLED))
    return [
        need for need in everything if any(applies(need, extra=extra) for extra in ("", *EXTRAS))
    ]


def closure():
    """Every package that the direct ones bring on this machine, with its installed version."""
    waiting, found = direct(), {}
    while waiting:
        need = waiting.pop()
        key = (canonicalize_name(need.name), frozenset(need.extras))
        if key in found:
            continue
        try:
            package = distribution(need.name)
        except PackageNotFoundError:
            continue
        found[key] = package.version
        for text in package.requires or ():
            child = Requirement(text)
            if any(applies(child, extra=extra) for extra in ("", *need.extras)):
                waiting.append(child)
    return {name: version for (name, _), version in found.items()}


def test_constraints_pin_exactly_and_in_order():
    parsed = [Requirement(line) for line in lines("constraints.txt")]
    for line, pin in zip(lines("constraints.txt"), parsed, strict=True):
        assert re.fullmatch(r"==[^*+]+", str(pin.specifier)), f"{line}: pin one public version"
        assert pin.name == canonicalize_name(pin.name), f"{line}: write the normalized name"
    names = [pin.name for pin in parsed]
    assert names == sorted(names), "constraints.txt is sorted by name"


@pytest.mark.parametrize("need", direct(), ids=lambda need: need.name)
def test_every_direct_dependency_is_pinned_within_its_range(need):
    pinned = pins().get(canonicalize_name(need.name))
    assert pinned, f"{need.name} stands in pyproject.toml but not in constraints.txt. {UPDATE}"
    message = f"{need} in pyproject.toml does not allow {pinned} of constraints.txt"
    assert need.specifier.contains(pinned, prereleases=True), message


def test_what_is_installed_is_what_is_pinned():
    pinned = pins()
    wrong = [
        f"{name} {version} is installed, constraints.txt says {pinned.get(name, 'nothing')}"
        for name, version in sorted(closure().items())
        if Version(version).public != pinned.get(name)
    ]
    assert not wrong, "\n".join([*wrong, f"Run `make book` to install what is pinned. {UPDATE}"])


def test_conda_gets_the_same_versions():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *conda, pip = environment["dependencies"]
    assert pip["pip"] == ["-c constraints.txt", "-e .[book,lab,test]"]
    versions = dict(entry.split("=") for entry in conda if "=" in entry)
    pinned = pins(python_full_version=versions.pop("python"))
    assert versions == {name: pinned[CONDA_NAMES.get(name, name)] for name in versions}


def test_the_address_of_the_project_is_the_same_everywhere():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    address = re.search(r'^Repository = "(https://[^"]+)"$', pyproject, re.MULTILINE).group(1)
    config = yaml.safe_load((ROOT / "book" / "_config.yml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert config["repository"]["url"] == address, "book/_config.yml names another address"
    assert citation["repository-code"] == address, "CITATION.cff names another address"
    version = re.search(r'^version = "(.+)"$', pyproject, re.MULTILINE).group(1)
    tag = f'git+{address}@v{version}\\"'  # what a chapter was written for, whatever comes later
    chapters = sorted((ROOT / "book" / "chapters").glob("*.ipynb"))
    old = [path.name for path in chapters if tag not in path.read_text("utf-8")]
    assert not old, f"run `make notebooks`: Colab would install something else in {old}"


def test_nobody_is_told_to_install_the_package_of_somebody_else():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^name = "bert-by-hand"$', pyproject, re.MULTILINE)
    pages = [*(ROOT / "book" / "chapters").glob("*.ipynb"), *(ROOT / "book").glob("*.md")]
    pages += (ROOT / "minibert").rglob("*.py")
    files = [*pages, *ROOT.glob("*.md"), ROOT / "Makefile", *(ROOT / "benchmarks").rglob("*.py")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        # On the package index `minibert` is another BERT.
        assert not re.search(r"pip3? install[^\n]*?[\s\"'\\]minibert\b", text), path
        # This needs a checkout, and its folder: a page in Colab has neither.
        assert path not in pages or "pip install -e" not in text, path


def test_the_package_tells_that_it_is_typed():
    import minibert

    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (patterns,) = re.findall(
        r"^\[tool\.setuptools\.package-data\]\nminibert = \[(.*)\]$", pyproject, re.MULTILINE
    )
    marker = "py.typed"  # without it, type checkers do not read the annotations
    assert f'"{marker}"' in patterns
    assert (Path(minibert.__file__).parent / marker).is_file()


def test_the_version_is_the_same_everywhere():
    from minibert import __version__

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert distribution(INSTALLED).version == __version__ == citation["version"]
