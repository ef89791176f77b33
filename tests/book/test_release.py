"""A release: what is built, what is said of it, and where the pages link to it."""

import re
from pathlib import Path

import pytest
import release
import yaml

from minibert import __version__

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / ".github" / "workflows"
TAG = f"v{__version__}"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def steps(workflow, job):
    jobs = yaml.safe_load((WORKFLOWS / workflow).read_text(encoding="utf-8"))["jobs"]
    return "\n".join(step.get("run", "") for step in jobs[job]["steps"])


@pytest.mark.parametrize(
    ("changes", "tag", "sentence"),
    [
        (f"## {__version__}, 1 May\n", "v9.9.9", "the tag is v9.9.9 and the version"),
        (f"## {__version__}, not yet released\n", TAG, "write the date there"),
    ],
)
def test_a_release_that_would_be_wrong_stops(changes, tag, sentence):
    with pytest.raises(ValueError, match=sentence):
        release.notes(changes, tag)


def test_the_list_of_changes_begins_with_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    dated = re.sub(r", not yet released$", ", today", text, flags=re.MULTILINE)
    assert len(release.notes(dated, TAG).splitlines()) > 5


def test_the_landing_page_links_to_every_file_of_the_version():
    assert (ROOT / "book" / "index.md").read_text(encoding="utf-8").count(release.DOWNLOADS) == 1
    table = release.downloads()
    assert len(re.findall(rf"/releases/download/{re.escape(TAG)}/[\w.-]+\)", table)) == len(
        release.FILES
    )
    for file in release.FILES:
        assert f"/{file.name})" in table and file.what in table


def test_workflows_build_what_a_release_holds():
    for workflow, job in [("release.yml", "release"), ("weekly.yml", "formats")]:
        told = steps(workflow, job)
        made = re.search(r"^make (.* wheel)$", told, flags=re.MULTILINE)[1].split()
        assert made == ["pdf", "epub", "kit", "site", "wheel"]
        assert all(f"\n{target}: " in MAKEFILE for target in made)
        assert "release.py files | xargs -n 1 test -s" in told
    told = steps("release.yml", "release")
    order = ("release.py notes", "make test", "make pdf", "gh release create")
    assert [*order] == sorted(order, key=told.index)
    assert 'release.py notes "$GITHUB_REF_NAME"' in told and "--notes-file" in told


def test_only_the_release_may_write_and_only_on_a_tag():
    told = yaml.safe_load((WORKFLOWS / "release.yml").read_text(encoding="utf-8"))
    assert told[True] == {"push": {"tags": ["v*"]}}  # YAML reads the word on as true
    assert told["permissions"] == {"contents": "read"}
    assert told["jobs"]["release"]["permissions"] == {"contents": "write"}
