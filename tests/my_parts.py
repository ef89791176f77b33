"""The reader's own parts under our tests: what a file holds, and which tests are run with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import my_name, replacements_of
from bertbook.reader.reader_file import run_reader_file
from minibert.parts import replaced, use

Players = dict[Callable, Callable]  # the reader's class or function in the place of each

# The tests that build models of whoever plays, by file or by test.
GROUPS = {
    "properties": (
        "tests/test_model_properties.py",
        "tests/test_tied_table.py::test_table_and_decoder_are_one_parameter",
        "tests/test_tied_table.py::test_the_tied_table_gets_the_sum_of_both_gradients",
        "tests/tasks/test_task_models.py::test_padding_changes_nothing",
    ),
    "equality with transformers": ("tests/tasks/test_equality_transformers.py",),
    "training": (
        "tests/tasks/test_task_models.py::test_the_trainer_takes_every_task_as_it_is",
        "tests/tasks/test_task_models.py::test_frozen_parameters_do_not_move_and_all_others_do",
    ),
}
# Among them, what only our own classes owe: masks of any type.
OURS_ALONE = ("tests/test_model_properties.py::test_masks_of_ones_bools_and_floats_are_one_mask",)


def load(path: Path) -> tuple[Players, list[str]]:
    """Run a reader's file; return who plays what, and the words for classes without a role."""
    try:
        players, nameless = replacements_of(run_reader_file(path))
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    if not players:
        first = (
            f": {nameless[0]}" if nameless else f"; the names are {', '.join(map(my_name, ROLES))}"
        )
        raise pytest.UsageError(f"{path} holds no part, such as MySelfAttention{first}")
    return players, nameless


def play(players: Players) -> None:
    """Let the reader's parts play from here on."""
    try:
        use(players)
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(str(error)) from None


def group_of(nodeid: str) -> str:
    """Return the group of a test that is run with the reader's parts; empty if it is not."""
    if nodeid.startswith(OURS_ALONE):
        return ""
    return next((group for group, ids in GROUPS.items() if nodeid.startswith(ids)), "")


class MyParts:
    """The plugin behind ``pytest --mine FILE``."""

    def __init__(self, config: pytest.Config) -> None:
        players, self.nameless = load(Path(config.option.mine))
        play(players)
        if config.args_source is not pytest.Config.ArgsSource.ARGS:
            files = {name.partition("::")[0] for names in GROUPS.values() for name in names}
            config.args = [str(config.rootpath / file) for file in sorted(files)]

    def pytest_report_header(self) -> list[str]:
        """Say who plays."""
        return [f"running on: {replaced()}", *self.nameless]

    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out the tests of our own classes."""
        others = [item for item in items if not group_of(item.nodeid)]
        items[:] = [item for item in items if group_of(item.nodeid)]
        config.hook.pytest_deselected(items=others)
