"""Pictures of arrays: colors, labels, numbers where they belong."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex, to_rgb

from bertbook.core.palette import PALETTE
from bertbook.core.visualize import (
    attention_map,
    head_grid,
    loss_curve,
    what_parts_buy,
)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def luminance(color):
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("color", PALETTE)
@pytest.mark.parametrize("page", ["#ffffff", "#14181e"])
def test_every_color_stands_out_on_light_and_dark(color, page):
    low, high = sorted([luminance(color), luminance(page)])
    assert (high + 0.05) / (low + 0.05) >= 3


def test_attention_map_writes_row_and_column_in_their_places_and_says_which_labels_do_not_fit():
    axes = attention_map(np.array([[0.1, 0.9]]), ["cat"], ["one", "two"])
    texts = {tuple(map(float, t.get_position())): t.get_text() for t in axes.texts}
    assert texts == {(0.0, 0.0): "0.10", (1.0, 0.0): "0.90"}
    assert [t.get_text() for t in axes.get_xticklabels()] == ["one", "two"]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["cat"]
    with pytest.raises(ValueError, match=r"\(2, 2\).*3 row labels and 3 column"):
        attention_map(np.eye(2), ["a", "b", "c"])


def test_loss_curve_draws_lines_and_levels_and_a_single_one_needs_no_legend():
    axes = loss_curve([0, 1], {"loss": [2.0, 1.0], "other": [3.0, 2.0]}, {"floor": 0.5})
    assert [list(line.get_ydata()) for line in axes.lines] == [[2, 1], [3, 2], [0.5, 0.5]]
    assert axes.texts[0].get_text() == "floor"
    assert axes.get_legend() is not None
    assert loss_curve([0, 1], {"loss": [2.0, 1.0]}).get_legend() is None


def test_head_grid_has_layers_as_rows_and_counts_from_one():
    axes = head_grid(np.array([[0.25, 1.0, 0.0], [0.5, 0.125, 0.75]]))
    texts = {tuple(map(float, t.get_position())): t.get_text() for t in axes.texts}
    assert (texts[(2.0, 1.0)], texts[(1.0, 0.0)]) == (".75", "1.00")
    assert [t.get_text() for t in axes.get_xticklabels()] == ["1", "2", "3"]
    assert axes.images[0].get_clim() == (0, 1)


def parts_record():
    losses = {"positions": [0.5, 0.4], "2 heads": [0.3], "4 heads": [0.2], "residuals": [0.1]}
    rows = [
        {"name": name, "part": "heads" if "heads" in name else name, "runs": {"loss": values}}
        for name, values in losses.items()
    ]
    return {"ladder": {"full": 0.08, "bag": 0.11}, "rows": rows}


def test_the_figure_of_parts_grows_and_its_axis_stays_with_plain_numbers():
    record = parts_record()
    small, large = (what_parts_buy(record, upto) for upto in ("positions", "heads"))
    dots = [[each for each in axes.collections if isinstance(each, PathCollection)]
            for axes in (small, large)]  # fmt: skip
    means = [each for each in large.collections if isinstance(each, LineCollection)]
    assert [*map(len, dots)] == [1, 3] and len(means) == 3
    assert [x for x, _ in dots[1][0].get_offsets()] == [0.5, 0.4]
    assert means[0].get_segments()[0][:, 0] == pytest.approx([0.45, 0.45])
    colors = [to_hex(line.get_color()[0]) for line in means]
    assert colors == [PALETTE[0], PALETTE[1], PALETTE[1]]
    assert small.get_xlim() == large.get_xlim()
    small.figure.canvas.draw()
    assert [label.get_text() for label in small.get_xticklabels()] == ["0.1", "0.2", "0.3", "0.5"]
    with pytest.raises(ValueError, match="no part 'hats'; the parts are positions, heads, resid"):
        what_parts_buy(record, "hats")
