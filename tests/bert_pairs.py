"""The same BERT twice, ours and transformers', with weights that hide nothing; batches, numbers."""

import dataclasses
import math
import random
from typing import Any

import numpy as np
import torch
import transformers
from effort import mostly_thorough
from torch import Tensor, nn

from minibert.config import BertConfig
from minibert.loading.config_file import config_from_fields
from minibert.model import BertModel
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)

TASKS = [BertForSequenceClassification, BertForTokenClassification, BertForQuestionAnswering]
KINDS = [BertModel, BertForMaskedLM, BertForPreTraining, *TASKS]
Batch = dict[str, Tensor]
SMALL = BertConfig(
    vocab_size=41, hidden_size=12, num_hidden_layers=2, num_attention_heads=3, intermediate_size=20,
    max_position_embeddings=13,
)  # fmt: skip
SIZES = {"vocab_size": 9, "hidden_size": 6, "num_attention_heads": 3, "intermediate_size": 8}
TINY = BertConfig(**SIZES)
PADDED = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 0]])
# Of `draw_config`; the first have all activations, both epsilons and ids of padding.
SEEDS = mostly_thorough([0, 2, 3, 1, 4, 5], often=3)


def played(kind: type[nn.Module]) -> type[nn.Module]:
    """Return who plays the role of a model: itself, or the reader's under `pytest --mine`."""
    return part(kind)


def draw_config(seed: int, **changes) -> BertConfig:
    """Draw a small configuration in which no two sizes are equal, so that none can be confused."""
    rng = random.Random(seed)
    heads = rng.choice([1, 2, 3, 5])
    head_size = rng.choice([2, 4, 7, 8])
    fields = {
        "vocab_size": rng.randint(41, 60),
        "hidden_size": heads * head_size,
        "num_hidden_layers": rng.choice([1, 1, 2, 3]),
        "num_attention_heads": heads,
        "intermediate_size": rng.randint(61, 80),
        "hidden_act": rng.choice(["gelu", "gelu", "gelu_new", "relu"]),
        "max_position_embeddings": rng.randint(13, 20),
        "type_vocab_size": rng.choice([2, 3]),
        "layer_norm_eps": rng.choice([1e-12, 1e-12, 1e-3]),
        "pad_token_id": rng.choice([0, 0, 6]),
    }
    return BertConfig(**fields | changes)


def draw_batch(config: BertConfig, seed: int, batch: int = 4) -> Batch:
    """Draw pairs of sentences of different lengths, padded; the first one fills its row."""
    generator = torch.Generator().manual_seed(seed)
    seq = int(torch.randint(6, 13, (1,), generator=generator))
    lengths = torch.randint(2, seq + 1, (batch, 1), generator=generator)
    lengths[0] = seq
    places = torch.arange(seq)
    seen = places < lengths
    ids = torch.randint(config.vocab_size, (batch, seq), generator=generator)
    ids = torch.where(ids == config.pad_token_id, config.pad_token_id + 1, ids)
    return {
        "input_ids": torch.where(seen, ids, config.pad_token_id),
        "attention_mask": seen.long(),
        "token_type_ids": ((places >= lengths // 2) & seen).long() * (config.type_vocab_size - 1),
    }


def draw_labels(config: BertConfig, batch: Batch, seed: int) -> Batch:
    """Draw a true word for about a third of the tokens, one at least, and both kinds of pairs."""
    generator = torch.Generator().manual_seed(seed)
    shape = batch["input_ids"].shape
    words = torch.randint(config.vocab_size, shape, generator=generator)
    asked = (torch.rand(shape, generator=generator) < 0.3) & (batch["attention_mask"] == 1)
    asked[0, 1] = True
    pairs = torch.randint(2, shape[:1], generator=generator)
    pairs[:2] = torch.tensor([0, 1])
    return {"labels": torch.where(asked, words, -100), "next_sentence_label": pairs}


@torch.no_grad()
def scatter_weights(model: nn.Module, seed: int) -> None:
    """Draw every parameter anew, biases and LayerNorm too: zeros and ones would hide mistakes."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        center = 1.0 if name.endswith("LayerNorm.weight") else 0.0
        noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
        parameter.copy_(center + 0.3 * noise)


def scattered(module: nn.Module, seed: int = 0) -> nn.Module:
    """Scatter the weights of a part, ready for evaluation in double precision."""
    scatter_weights(module, seed)
    return module.double().eval()


def build(
    config: BertConfig,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    kind: type[nn.Module] = BertModel,
    **task: Any,
) -> nn.Module:
    """Build our model with scattered weights, ready for evaluation."""
    model = played(kind)(config, **task)
    scatter_weights(model, seed)
    return model.to(dtype).eval()


def build_pair(
    config: BertConfig,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    way: str = "eager",
    kind: type[nn.Module] = BertModel,
    **task: Any,
) -> tuple[nn.Module, nn.Module]:
    """Build transformers' model by its own configuration, and ours from its weights, strictly."""
    fields = dataclasses.asdict(config) | task
    their_config = transformers.BertConfig(**fields, attn_implementation=way)
    theirs = getattr(transformers, kind.__name__)(their_config)
    scatter_weights(theirs, seed)
    theirs = theirs.to(dtype).eval()
    config = config_from_fields(BertConfig, theirs.config.to_dict())
    ours = played(kind)(config, **task).to(dtype).eval()
    with torch.no_grad():
        for parameter in ours.parameters():
            parameter.fill_(torch.nan)  # a forgotten one would show
    ours.load_state_dict(theirs.state_dict(), strict=True)
    return ours, theirs


def same_names_and_shapes(kind: type[nn.Module], config: BertConfig) -> None:
    """Fail unless both models have tensors of the same names and shapes in the same order."""
    their_config = transformers.BertConfig(**dataclasses.asdict(config))
    with torch.device("meta"):
        models = played(kind)(config), getattr(transformers, kind.__name__)(their_config)
    for tensors in (lambda m: m.state_dict().items(), lambda m: m.named_parameters()):
        ours, theirs = ([(name, p.shape) for name, p in tensors(model)] for model in models)
        assert ours == theirs


def same_start(kind: type[nn.Module]) -> None:
    """Fail unless both models draw their first weights with the same spread, and both normally."""
    sizes = {"vocab_size": 500, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    sizes |= {"intermediate_size": 100, "initializer_range": 0.05, "pad_token_id": 3}
    torch.manual_seed(0)
    ours = played(kind)(BertConfig(**sizes))
    theirs = getattr(transformers, kind.__name__)(transformers.BertConfig(**sizes))
    for (name, one), other in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        a, b = one.detach(), other.detach()
        if not b.any() or (b == 1).all():
            assert torch.equal(a, b), name
            continue
        drawn = a[a != 0]  # all but the row of padding
        assert abs(a.std() / b.std() - 1) < 6 / math.sqrt(a.numel()), name
        kurtosis = ((drawn / drawn.std()) ** 4).mean()
        assert abs(kurtosis - 3) < 6 * math.sqrt(24 / len(drawn)), f"{name} is not normal"
        assert "word_embeddings" not in name or not (a[3].any() or b[3].any())  # padding


def gradients(model: nn.Module, loss: Tensor) -> dict[str, Tensor | None]:
    """Return the gradient of every parameter by its name, None where there is none."""
    names, parameters = zip(*model.named_parameters(), strict=True)
    grads = torch.autograd.grad(loss, parameters, allow_unused=True)
    return dict(zip(names, grads, strict=True))


def draw(*shape: int, seed: int = 0) -> Tensor:
    """Draw normal numbers in float64."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def arrays(module: nn.Module) -> dict[str, np.ndarray]:
    """Return the parameters as the numpy twins take them."""
    return {name: p.detach().numpy() for name, p in module.named_parameters()}


def equal(ours: Tensor, twin: np.ndarray, atol: float = 1e-12) -> None:
    """Fail unless a tensor and its numpy twin hold the same numbers."""
    np.testing.assert_allclose(ours.detach().numpy(), twin, rtol=0, atol=atol)


def close(ours: Tensor, theirs: Tensor, atol: float = 1e-12) -> None:
    """Fail unless two tensors hold the same numbers in the same precision."""
    torch.testing.assert_close(ours, theirs, rtol=0, atol=atol)
