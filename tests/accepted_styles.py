"""Right classes in the styles of many readers: a sample file, typed otherwise in some places.

In ``mine/accepted_styles.txt`` each block has a style. After its name stands, behind a minus, text
of the sample, and behind a plus what is typed in its place. Its number is that of a file of several
styles, on which chapters run; 0 has what the checker refuses since models call it by place.
"""

import importlib.util
import itertools
import re
from collections.abc import Callable
from pathlib import Path

from torch import nn

from bertbook.reader.contracts.names import replacements_of
from minibert.heads import BertOnlyMLMHead

FOLDER = Path(__file__).with_name("mine")
BLOCKS = (FOLDER / "accepted_styles.txt").read_text(encoding="utf-8").split("\n\n")
HEADS = [block.partition("\n")[0].split(" ", 1) for block in BLOCKS]
MIXED = [[style for file, style in HEADS if file == number] for number in "123"]
ACCEPTED = ["as it is", *itertools.chain(*MIXED)]
REFUSED = [style for file, style in HEADS if file == "0"]
UNASKED = {BertOnlyMLMHead, nn.LayerNorm, nn.Dropout}  # what no chapter asks its reader to keep

_names = map("my_bert_in_style_{}".format, itertools.count())


def text_of(*styles: str) -> str:
    """Type the sample file in some styles at once."""
    text = (FOLDER / "my_bert_sample.txt").read_text(encoding="utf-8")
    for block in (block for block, (_, style) in zip(BLOCKS, HEADS) if style in styles):
        for change in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n?)+)", block, re.MULTILINE):
            old, new = (re.sub("^.", "", part, flags=re.MULTILINE).strip("\n") for part in change)
            assert old in text, (styles, old)
            text = text.replace(old, new)
    return text


def classes_of(style: str) -> dict[Callable, Callable]:
    """Give the classes of a style that an exercise asks for, by what they replace."""
    name = next(_names)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader=None))
    exec(compile(text_of(style), f"{name}.py", "exec"), vars(module))
    named = {n: c for n, c in vars(module).items() if n.startswith("My")}
    return {role: c for role, c in replacements_of(named)[0].items() if role not in UNASKED}
