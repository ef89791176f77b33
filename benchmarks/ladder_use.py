"""The second half of ``benchmarks.ladder``: a trained encoder at work, faster step by step.

MiniLM turns sentences into vectors. Each way is compared with the
plain one, by the cosine of the two vectors of every sentence.
"""

import copy
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import onnxruntime
import torch
import transformers
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.fast import fast_parts, in_eight_bits
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel, BertModelOutput
from minibert.parts import override
from minibert.tasks.inference import sentence_vectors
from minibert.wordpiece import WordPieceTokenizer

from .encoder import measure
from .sentences import Encode, short_sentences, their_encoder
from .weights import minilm_folder

SENTENCES = 96
NAMES = ("input_ids", "attention_mask", "token_type_ids")


class InOnnx(nn.Module):
    """The runtime of ONNX in the place of a model."""

    def __init__(self, path: str, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.place = nn.Parameter(torch.zeros(0))  # tells that it works on a CPU
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        self.session = onnxruntime.InferenceSession(path, options)

    def forward(self, **batch: Tensor) -> BertModelOutput:
        """Send a batch through the graph."""
        given = {name: batch[name].numpy() for name in NAMES}
        return BertModelOutput(torch.from_numpy(self.session.run(None, given)[0]))


def to_onnx(model: nn.Module, path: str) -> InOnnx:
    """Write the graph of a model for batches of any size, and load it into the runtime."""
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("seq", max=512)}
    inputs = tuple(torch.ones(2, 7, dtype=torch.long) for _ in NAMES)
    torch.onnx.export(
        model,
        inputs,
        path,
        input_names=list(NAMES),
        dynamic_shapes=(sizes,) * 3,
        dynamo=True,
        verbose=False,
    )
    return InOnnx(path, model.config)


def encoder(
    model: nn.Module, tokenizer: WordPieceTokenizer, bf16: bool = False, **wishes: int
) -> Encode:
    """Return a function from texts to vectors of length 1."""

    def encode(texts: list[str]) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16) if bf16 else nullcontext():
            return sentence_vectors(model, tokenizer, texts, **wishes).float()

    return encode


def encoders(unpadded: dict[str, type], folder: str) -> tuple[dict, WordPieceTokenizer]:
    """Load MiniLM in every way."""
    home = minilm_folder()
    tokenizer, plain = load_tokenizer(home), load_pretrained(BertModel, home)
    with override(fast_parts()):
        fast = load_pretrained(BertModel, home)
        with override(unpadded):
            in_rows = load_pretrained(BertModel, home)
    onnx = to_onnx(copy.deepcopy(plain), f"{folder}/model.onnx")
    compiled = copy.deepcopy(fast)
    compiled.compile(dynamic=True)
    hers = transformers.BertModel.from_pretrained(home).eval()
    words = transformers.BertTokenizer(vocab=str(home / "vocab.txt"))
    make = partial(encoder, tokenizer=tokenizer)
    many = {
        "transformers": their_encoder(hers, words, 32, by_length=False),
        "plain parts": in_order(plain, tokenizer),
        "batches by length": make(plain),
        "fast parts": make(fast),
        "no padding": make(in_rows),
        "bfloat16": make(in_rows, bf16=True),
        "eight bits": make(in_eight_bits(in_rows)),
        "compiled": make(compiled),
        "ONNX Runtime": make(onnx),
    }
    return many, tokenizer


def in_order(model: nn.Module, tokenizer: WordPieceTokenizer, size: int = 32) -> Encode:
    """Encode batches of neighbors, padded to their longest."""

    def encode(texts: list[str]) -> Tensor:
        parts = [texts[at : at + size] for at in range(0, len(texts), size)]
        whole = {"max_tokens": 512 * size}  # one batch for each part
        return torch.cat([sentence_vectors(model, tokenizer, part, **whole) for part in parts])

    return encode


def tell(
    found: dict[str, Encode], texts: list[str], clock: Callable[[], float], rounds: int
) -> dict:
    """Compare every way with the plain one, and time all of them in turn."""
    expected = found["plain parts"](texts)
    cosines = {name: (encode(texts) * expected).sum(dim=1) for name, encode in found.items()}
    runs = {name: partial(encode, texts) for name, encode in found.items()}
    times = measure(runs, seconds=0, rounds=rounds, clock=clock)
    return {
        name: {
            "seconds": [round(seconds, 4) for seconds in times[name]],
            "cosines": sorted(round(float(cosine), 5) for cosine in cosines[name]),
        }
        for name in found
    }


def use_rows(unpadded: dict[str, type], clock: Callable[[], float], rounds: int) -> dict:
    """Measure the table."""
    with tempfile.TemporaryDirectory() as folder:
        many, tokenizer = encoders(unpadded, folder)
        texts = short_sentences(128, tokenizer)
        return {
            "sentences": SENTENCES,
            "tokens": sum(len(tokenizer.encode(text)) for text in texts[:SENTENCES]),
            "many": tell(many, texts[:SENTENCES], clock, rounds),
        }
