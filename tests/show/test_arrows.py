"""Arrows in the plane: where they end, which are in color, and what stands beside them."""

import re

from bertbook.show import arrow_map


def drawn(static, turned, **options):
    return arrow_map(static, turned, alt="A < B.", axes=("across", "up"), **options)


def tips(svg):
    """Read where each arrow ends, in counts."""
    found = re.findall(r'd="M62 300L([\d.]+) ([\d.]+)M', svg)
    return [((float(x) - 62) / 50, (300 - float(y)) / 50) for x, y in found]


def test_arrows_end_where_their_numbers_say():
    svg = drawn({"light": [2, 2]}, {"here": [2.2, 1.2]})
    assert tips(svg) == [(2, 2), (2.2, 1.2)]


def test_what_has_turned_is_in_color_and_bold():
    svg = drawn({"light": [2, 2]}, {"here": [1, 3]}, notes=["cosine 1.00"])
    assert 'stroke="#75797f" stroke-width="1.6"' in svg
    assert 'stroke="#2f7ec4" stroke-width="4"' in svg
    assert re.search(r'font-weight="600">here<', svg)
    assert not re.search(r'font-weight="600">light<', svg)
    assert all(f">{text}<" in svg for text in ("light", "across", "up", "cosine 1.00"))


def test_the_text_for_those_who_do_not_see_it_is_escaped():
    assert 'aria-label="A &lt; B."' in drawn({}, {})
    assert ">a&amp;b<" in drawn({"a&b": [1, 1]}, {})
