"""The cover of the e-book: the picture of the landing page below the title, drawn by a browser."""

from __future__ import annotations

from cover import cover
from playwright.sync_api import Browser

from minibert import __version__

WIDTH, HEIGHT = 800, 1200
SHARPNESS = 2  # pixels of the picture for one of the drawing
ALT = (
    "BERT by Hand. Two words, one and cat, exchange what they mean: bands lead from what each word "
    "gives to what each has become."
)
SHEET = """<!doctype html><meta charset="utf-8"><style>
body{{margin:0;width:{width}px;height:{height}px;background:#fdfcf9;color:#24292f;
  font-family:Georgia,"Source Serif 4","DejaVu Serif",serif;text-align:center}}
h1{{font-size:92px;line-height:1.1;margin:0;padding:120px 40px 30px}}
p{{font-size:30px;line-height:1.4;margin:0 90px}}
svg{{width:720px;margin-top:70px}}
small{{display:block;font-size:24px;margin-top:70px}}
</style><h1>BERT<br>by Hand</h1><p>From two words and a pencil to a language model
that you built yourself</p>{picture}<small>Version {version}</small>"""


def cover_picture(browser: Browser) -> bytes:
    """Draw the cover as PNG."""
    page = browser.new_page(
        viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=SHARPNESS
    )
    page.set_content(SHEET.format(width=WIDTH, height=HEIGHT, picture=cover(), version=__version__))
    picture = page.screenshot()
    page.close()
    return picture
