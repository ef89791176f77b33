"""One version of everything, in pyproject.toml, constraints.txt, environment.yml and as installed.

The address of the project has one place too, `Repository` in pyproject.toml.
"""

import re
import subprocess
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, requires
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from minibert import __version__

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("book", "chapters", "dev", "hub", "lab", "mutants", "test")
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
        need
        for need in everything
        if need.name != "bert-by-hand"  # extras that take in another extra
        and any(applies(need, extra=extra) for extra in ("", *EXTRAS))
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
    for pin in parsed:
        assert re.fullmatch(r"==[^*+]+", str(pin.specifier)), f"{pin}: pin one public version"
        assert pin.name == canonicalize_name(pin.name), f"{pin}: write the normalized name"
    names = [pin.name for pin in parsed]
    assert names == sorted(names), "constraints.txt is sorted by name"


def test_every_direct_dependency_is_pinned_within_its_range():
    pinned = pins()
    for need in direct():
        version = pinned.get(canonicalize_name(need.name))
        assert version, f"{need.name} stands in pyproject.toml but not in constraints.txt. {UPDATE}"
        message = f"{need} in pyproject.toml does not allow {version} of constraints.txt"
        assert need.specifier.contains(version, prereleases=True), message


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


def workflows():
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    return "".join(path.read_text(encoding="utf-8") for path in files)


def test_workflows_use_actions_pinned_by_commit():
    used = {*re.findall(r"uses: (.*)", workflows())}
    pinned = [re.fullmatch(r"(actions/[\w-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+", u) for u in used]
    assert all(pinned), used
    assert len({pin[1] for pin in pinned}) == len(used), "the same action in two versions"


def test_every_file_has_a_license():
    text = (ROOT / "LICENSE-text").read_text(encoding="utf-8")
    lines = re.findall(
        r"^    (MIT|CC BY 4\.0|Unicode|Public) +([\w./-]+)(?:  |$)", text, re.MULTILINE
    )
    known = {path: name for name, path in lines}
    assert len(known) == len(lines) > 10
    for path in known:
        found = ROOT / path
        assert found.is_dir() if path.endswith("/") else found.is_file(), f"there is no {path}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout")
    files = listed.stdout.splitlines()
    for file in filter(lambda name: "/" in name, files):
        assert any(file.startswith(path) for path in known), f"LICENSE-text does not name {file}"
    data = [name for name in files if re.match(r"(minibert|bertbook)/.*\.(txt|md|bz2)$", name)]
    free = [name for name in data if known[max(filter(name.startswith, known))] == "MIT"]
    assert len(data) > 10 and not free, f"text or data without a license of their own: {free}"


def test_every_license_is_part_of_the_package():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^license-files = \[(.*)\]$", pyproject, re.MULTILINE).group(1)
    assert sorted(re.findall(r'"([^"]+)"', listed)) == sorted(p.name for p in ROOT.glob("LICENSE*"))


def test_the_address_of_the_project_is_the_same_everywhere():
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    address = re.search(r'^Repository = "(https://[^"]+)"$', pyproject, re.MULTILINE).group(1)
    config = yaml.safe_load((ROOT / "book" / "_config.yml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert config["repository"]["url"] == address, "book/_config.yml names another address"
    assert citation["repository-code"] == address, "CITATION.cff names another address"
    tag = f'git+{address}@v{__version__}\\"'  # what a chapter was written for, whatever comes later
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


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert distribution(INSTALLED).version == __version__ == citation["version"]
    newest = re.search(r"^## (\S+?),", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert newest[1] == __version__
