"""What Chapters 3 and 7 to 12 say about other programs and models; each test quotes a sentence."""

import pytest
import torch
from built_book import BOOK
from definitions import cells_of
from safetensors.torch import load_file
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import layer_norm, scaled_dot_product_attention
from torch.utils._python_dispatch import TorchDispatchMode

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.layer import BertLayer
from minibert.model import BertModel


def cells(chapter: int) -> list[str]:
    """Give the sources of a chapter's cells, each in one line."""
    (path,) = (BOOK / "chapters").glob(f"{chapter:02}-*.ipynb")
    return [" ".join(cell["source"].split()) for cell in cells_of(path.stem)]


def says(chapter: int, sentence: str) -> None:
    """Fail unless the sentence stands in the chapter once."""
    found = sum(cell.count(sentence) for cell in cells(chapter))
    assert found == 1, f"Chapter {chapter} says {found} times: {sentence}"


def test_a_head_reads_the_whole_vector():
    says(8, "So every head reads the whole vector, and owns some of the numbers that come out.")
    attention = BertSelfAttention(BertConfig(hidden_size=12, num_attention_heads=3)).double().eval()
    x = torch.randn(1, 5, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    _, probs = attention(x.requires_grad_(), output_attentions=True)
    for head in range(3):
        (gradient,) = torch.autograd.grad(probs[0, head, 0, 1], x, retain_graph=True)
        assert (gradient[0, 0] != 0).all(), f"head {head} does not read every number of the token"


class ShapesSeen(TorchDispatchMode):
    """Write down the shape of every tensor that PyTorch makes."""

    def __init__(self):
        super().__init__()
        self.shapes = set()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        """Compute as always, and look at what comes out."""
        out = function(*args, **(kwargs or {}))
        found = out if isinstance(out, tuple | list) else [out]
        self.shapes |= {tuple(x.shape) for x in found if torch.is_tensor(x)}
        return out


@pytest.mark.parametrize(
    ("backend", "stores"), [(SDPBackend.FLASH_ATTENTION, False), (SDPBackend.MATH, True)]
)
def test_only_fused_kernels_do_without_the_table_of_shares(backend, stores):
    says(8, "computes attention in one call, and its fused kernels never store the tables")
    query, key, value = torch.zeros(3, 1, 2, 50, 8)
    with sdpa_kernel(backend), ShapesSeen() as seen:
        scaled_dot_product_attention(query, key, value)
    assert ((1, 2, 50, 50) in seen.shapes) == stores


def last_gradient(depth: int, norm: str, *, hidden: int = 64) -> float:
    """Measure the gradient that the last of so many fresh layers gets."""
    torch.manual_seed(0)
    config = BertConfig(hidden_size=hidden, num_attention_heads=2, intermediate_size=4 * hidden)
    layers = [BertLayer(config).double().eval() for _ in range(depth)]
    for parameter in (p for layer in layers for p in layer.parameters() if p.dim() == 2):
        torch.nn.init.normal_(parameter, std=0.02 * (768 / hidden) ** 0.5)
    x, direction = layer_norm(torch.randn(2, 4, 5, hidden).double(), [hidden])
    for layer in layers:
        x = layer(x)[0] if norm == "after" else _pre_norm(layer, x)
    (layer_norm(x, [hidden]) * direction).sum().backward()
    weights = [p for p in layers[-1].parameters() if p.dim() == 2]
    return torch.cat([p.grad.flatten() for p in weights]).norm().item()


def _pre_norm(layer: BertLayer, x: torch.Tensor) -> torch.Tensor:
    around, output = layer.attention, layer.output
    x = x + around.output.dense(around.self(around.output.LayerNorm(x))[0])
    return x + output.dense(layer.intermediate(output.LayerNorm(x)))


def test_the_last_gradient_falls_with_depth_before_the_step_only():
    says(9, "falls as one over it; in BERT's order it stays large.")
    falls = {n: last_gradient(48, n) / last_gradient(12, n) for n in ("after", "before")}
    assert 0.4 < falls["before"] < 0.65  # one half, if it were exactly so
    assert falls["after"] > 0.8


def test_what_later_language_models_normalize_with():
    transformers = pytest.importorskip("transformers")
    says(9, "GPT-2 uses pre-norm, with one LayerNorm more at the very top.")
    says(9, "since LLaMA mostly with RMSNorm, which does not subtract the mean.")
    sizes = {"vocab_size": 9, "bos_token_id": 1, "eos_token_id": 2}
    gpt = transformers.GPT2Model(transformers.GPT2Config(n_embd=8, n_head=2, n_layer=1, **sizes))
    assert isinstance(gpt.ln_f, torch.nn.LayerNorm)
    small = {"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 2, **sizes}
    llama = transformers.LlamaModel(transformers.LlamaConfig(num_hidden_layers=1, **small))
    assert not any(isinstance(module, torch.nn.LayerNorm) for module in llama.modules())
    ones = torch.ones(1, 8)
    assert torch.allclose(llama.norm(ones), ones, atol=1e-3)  # a LayerNorm would make zeros


def test_a_layer_norm_stands_between_the_sum_and_the_first_matrix():
    says(7, "(In BERT a LayerNorm stands between the sum and the first matrix")
    model, called = BertModel(BertConfig.tiny(vocab_size=9)).eval(), []
    for module in model.modules():
        module.register_forward_hook(lambda module, *_: called.append(type(module)))
    model(torch.tensor([[1, 2, 3]]))
    assert called.index(torch.nn.LayerNorm) < called.index(torch.nn.Linear)


def test_a_released_model_has_numbers_for_padding(minilm):
    says(7, "in the released weights the row of `[PAD]` is a vector like others.")
    table = load_file(minilm / "model.safetensors")["embeddings.word_embeddings.weight"]
    lengths = table.float().norm(dim=1)
    assert lengths[0] > lengths.quantile(0.01)
