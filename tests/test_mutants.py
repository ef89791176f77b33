"""Planted mistakes: what is drawn is a mistake, and the page of statistics tells the record."""

import ast
import difflib
import subprocess
import sys

import pytest

from benchmarks.mutants_record import PAGE, command, interval, measured, passage


def test_the_interval_is_that_of_wilson():
    """His example: 8 of 10 at 95 percent."""
    assert interval(8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert interval(10, 10)[1] == pytest.approx(1)


def test_the_page_of_statistics_tells_the_record_and_the_record_its_command():
    found = measured()
    assert passage(found) in PAGE.read_text(encoding="utf-8"), "run make mutants"
    assert found["command"] == command(sum(found["planted"].values()), found["seed"])
    lost = sum(found["planted"].values()) - sum(found["noticed"].values())
    assert len(found["not_noticed"]) == lost


@pytest.fixture
def mutants(monkeypatch):
    pytest.importorskip("cosmic_ray", reason="only make mutants installs cosmic-ray")
    from benchmarks import mutants_drawn as mutants

    rooms = {room: mutants.ROOMS[room] for room in ("training", "loading")}
    monkeypatch.setattr(mutants, "ROOMS", rooms)  # all rooms would take half a minute
    return mutants


@pytest.mark.thorough
def test_each_mutant_changes_one_place_and_can_be_read(mutants):
    drawn, places = mutants.draw(20, seed=3)
    assert drawn == mutants.draw(20, seed=3)[0]
    assert len(drawn) == 20 and places > 500
    assert {mutant.room for mutant in drawn} == set(mutants.ROOMS)
    for mutant in drawn:
        right, wrong = (mutants.ROOT / mutant.path).read_text("utf-8"), mutant.source()
        ast.parse(wrong)
        lines = difflib.ndiff(right.split("\n"), wrong.split("\n"))
        changed = [x for x in lines if x[0] == "-" and x[2:].strip()]  # blank lines go, too
        assert 1 <= len(changed) <= 2, mutant


@pytest.mark.slow
def test_no_package_of_ours_is_imported_before_a_mistake_is_planted(mutants):
    """The fork would test what stands in sys.modules, not the copy with the mistake."""
    asked = (
        "import sys; import benchmarks.mutants; "
        "assert not {'minibert', 'bertfamily', 'berttools', 'bertbook'} & {*sys.modules}"
    )
    python_path = {"PYTHONPATH": str(mutants.ROOT)}
    subprocess.run([sys.executable, "-c", asked], env=python_path, cwd=mutants.ROOT, check=True)
