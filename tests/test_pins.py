"""One version of everything, in pyproject.toml, constraints.txt, environment.yml and as installed.

The address of the project has one place too, `Repository` in pyproject.toml.
"""

import re
import subprocess
from importlib.metadata import distribution, distributions, packages_distributions, requires
from pathlib import Path

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


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


PYPROJECT = read("pyproject.toml")
CITATION = yaml.safe_load(read("CITATION.cff"))


def applies(requirement, **environment):
    marker = requirement.marker
    return marker is None or marker.evaluate({"extra": "", **environment})


def pins(**environment):
    """The version of each package that constraints.txt allows, here or in that environment."""
    lines = (line for line in read("constraints.txt").splitlines() if not line.startswith("#"))
    allowed = (pin for pin in map(Requirement, lines) if applies(pin, **environment))
    return {pin.name: str(pin.specifier).removeprefix("==") for pin in allowed}


def direct():
    """What pyproject.toml asks for, runtime and extras, as it was installed."""
    return [
        need
        for need in map(Requirement, requires(INSTALLED))
        if need.name != "bert-by-hand"  # extras that take in another extra
        and any(applies(need, extra=extra) for extra in ("", *EXTRAS))
    ]


def closure():
    """Every package that the direct ones bring on this machine, with its installed version."""
    here = {canonicalize_name(each.name): each for each in distributions()}
    waiting, found = direct(), set()
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if name in here and (name, frozenset(need.extras)) not in found:
            found.add((name, frozenset(need.extras)))
            for child in map(Requirement, here[name].requires or ()):
                if any(applies(child, extra=extra) for extra in ("", *need.extras)):
                    waiting.append(child)
    return {name: here[name].version for name, _ in found}


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
    *conda, pip = yaml.safe_load(read("environment.yml"))["dependencies"]
    assert pip["pip"] == ["-c constraints.txt", "-e .[book,lab,test]"]
    versions = dict(entry.split("=") for entry in conda if "=" in entry)
    pinned = pins(python_full_version=versions.pop("python"))
    assert versions == {name: pinned[CONDA_NAMES.get(name, name)] for name in versions}


def test_workflows_use_actions_pinned_by_commit():
    files = (ROOT / ".github" / "workflows").glob("*.yml")
    used = {use for path in files for use in re.findall(r"uses: (.*)", path.read_text("utf-8"))}
    pinned = [re.fullmatch(r"(actions/[\w-]+)@[0-9a-f]{40} # v\d+\.\d+\.\d+", u) for u in used]
    assert all(pinned), used
    assert len({pin[1] for pin in pinned}) == len(used), "the same action in two versions"


def test_every_file_has_a_license_and_every_license_is_part_of_the_package():
    listed = re.search(r"^license-files = \[(.*)\]$", PYPROJECT, re.MULTILINE).group(1)
    assert sorted(re.findall(r'"([^"]+)"', listed)) == sorted(p.name for p in ROOT.glob("LICENSE*"))
    pattern = r"^    (MIT|CC BY 4\.0|Unicode|Public|WordNet) +([\w./-]+)(?:  |$)"
    lines = re.findall(pattern, read("LICENSE-text"), re.MULTILINE)
    known = {path: name for name, path in lines}
    assert len(known) == len(lines) > 10
    for path in known:
        found = ROOT / path
        assert found.is_dir() if path.endswith("/") else found.is_file(), f"there is no {path}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    files = listed.stdout.splitlines()  # none if this is no checkout
    for file in filter(lambda name: "/" in name, files):
        assert any(file.startswith(path) for path in known), f"LICENSE-text does not name {file}"
    data = [name for name in files if re.match(r"(minibert|bertbook)/.*\.(txt|md|bz2)$", name)]
    free = [name for name in data if known[max(filter(name.startswith, known))] == "MIT"]
    assert not free, f"text or data without a license of their own: {free}"


def test_the_address_and_the_version_of_the_project_are_the_same_everywhere():
    address = re.search(r'^Repository = "(https://[^"]+)"$', PYPROJECT, re.MULTILINE).group(1)
    config = yaml.safe_load(read("book/_config.yml"))
    assert config["repository"]["url"] == CITATION["repository-code"] == address
    assert distribution(INSTALLED).version == __version__ == CITATION["version"]
    assert re.search(r"^## (\S+?),", read("CHANGELOG.md"), re.M)[1] == __version__
    tag = f'git+{address}@v{__version__}\\"'  # what a chapter was written for, whatever comes later
    chapters = sorted((ROOT / "book" / "chapters").glob("*.ipynb"))
    old = [path.name for path in chapters if tag not in path.read_text("utf-8")]
    assert not old, f"run `make notebooks`: Colab would install something else in {old}"


def test_nobody_is_told_to_install_the_package_of_somebody_else():
    assert re.search(r'^name = "bert-by-hand"$', PYPROJECT, re.MULTILINE)
    pages = [*(ROOT / "book" / "chapters").glob("*.ipynb"), *(ROOT / "book").glob("*.md")]
    pages += (ROOT / "minibert").rglob("*.py")
    for path in [*pages, *ROOT.glob("*.md"), ROOT / "Makefile", *ROOT.glob("benchmarks/**/*.py")]:
        text = path.read_text(encoding="utf-8")
        # On the package index `minibert` is another BERT.
        assert not re.search(r"pip3? install[^\n]*?[\s\"'\\]minibert\b", text), path
        # This needs a checkout, and its folder: a page in Colab has neither.
        assert path not in pages or "pip install -e" not in text, path
