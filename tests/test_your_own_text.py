"""The two commands of the README, as they stand there."""

import importlib.util
import shlex
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"
HEROES = ("Anna", "Ben", "Clara", "David", "Emma", "Felix")


def commands():
    text = README.read_text(encoding="utf-8").partition("## Your own text")[2]
    block = text.partition("```sh\n")[2].partition("```")[0]
    return block.splitlines()


def run(line, *more):
    """Run `python -m NAME …` in this process; return its status."""
    python, module, name, *arguments = shlex.split(line)
    assert [python, module] == ["python", "-m"]
    package = importlib.util.find_spec(name).submodule_search_locations
    command = importlib.import_module(f"{name}.__main__" if package else name)
    return command.main([*arguments, *more])


def test_the_lines_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    told = [f"{hero} is a man.\nThe man reads the book.\n{hero} is glad.\n" for hero in HEROES]
    Path("my-text.txt").write_text("\n".join(told), encoding="utf-8")
    pretrain, fill = commands()
    # As a reader would, but for the number of steps.
    assert run(pretrain, "--max-steps", "2") == 0
    assert "Done: 2 steps" in capsys.readouterr().out
    assert run(fill) == 0
    assert capsys.readouterr().out.splitlines()[0] == "the man [MASK] the book"
