"""The words that an engineer searches for stand in the text of the chapter that explains them."""

from pathlib import Path

import nbformat
import pytest

BOOK = Path(__file__).resolve().parents[2] / "book"
IN_TEXT = {
    23: [
        "arithmetic intensity", "compute-bound", "memory-bound", "overhead-bound", "roofline",
        "torch.profiler", "MFU", "CUDA graph", "varlen", "cu_seqlens", "nested tensors", "TF32",
        "FlashAttention", "quantization",
    ],
    24: [
        "DDP", "NCCL", "gradient bucket", "ZeRO", "FSDP", "gradient checkpointing", "Megatron",
        "column-parallel", "row-parallel", "pipeline bubble",
    ],
}  # fmt: skip
EXPLAINED = [
    "arithmetic intensity", "CUDA graph", "DDP", "FlashAttention", "FSDP", "gradient bucket",
    "gradient checkpointing", "MFU", "pipeline bubble", "quantization", "TF32", "varlen",
    "ZeRO stage",
]  # fmt: skip
PAIRS = [(number, word) for number, words in IN_TEXT.items() for word in words]


@pytest.mark.parametrize(("number", "word"), PAIRS, ids=[word for _, word in PAIRS])
def test_the_word_stands_in_the_chapter(number, word):
    (path,) = (BOOK / "chapters").glob(f"{number}-*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert word.lower() in text.lower()


@pytest.mark.parametrize("word", EXPLAINED)
def test_the_glossary_explains_it(word):
    assert f"\n### {word}\n" in (BOOK / "glossary.md").read_text(encoding="utf-8")
