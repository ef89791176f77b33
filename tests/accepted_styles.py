"""Right classes in the styles of many readers: the sample file, typed otherwise in some places."""

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from torch import nn

from bertbook.reader.contracts.names import replacements_of
from minibert.heads import BertOnlyMLMHead

SAMPLE = Path(__file__).with_name("mine") / "my_bert_sample.py"
RESULT = "return context, probs if show else None"
CALLED = "def forward(self, x, mask=None, show=False):"
DECODER = (
    "self.decoder = nn.Linear(config.hidden_size, config.vocab_size)\n"
    "        self.decoder.weight, self.decoder.bias = table.weight, self.bias"
)
FUSED = """if not show:
            q, k, v = (t.transpose(1, 2) for t in (q, k, v))
            rate = self.drop.p if self.training else 0.0
            context = F.scaled_dot_product_attention(q, k, v, mask, rate)
            return context.transpose(1, 2).reshape(b, s, h), None
        scores = torch.einsum("""
BY_HEAD = """probs = self.drop(F.softmax(scores if mask is None else scores + mask, dim=-1))
        context = torch.cat([probs[:, n] @ v[:, :, n] for n in range(self.heads)], dim=-1)"""
TABLE = "self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)"
ROLES = "".join(
    f"        self.{role} = nn.Linear(config.hidden_size, config.hidden_size)\n"
    for role in ("query", "key", "value")
)
OWN_LINEAR = """class Linear(nn.Linear):
    def forward(self, x):
        return x @ self.weight.mT + self.bias


class MySelfOutput"""

# Of each style: what stands in the sample, and what is typed instead.
STYLES = {
    "as it is": {},
    # The exercise that stopped two chapters, 11.3.
    "a decoder without bias": {
        DECODER: DECODER.replace("vocab_size)", "vocab_size, bias=False)").replace(
            "self.decoder.weight, self.decoder.bias = table.weight, self.bias",
            "self.decoder.weight = table.weight",
        ),
        "return self.decoder(self.transform(x))": "return self.decoder(self.transform(x)) + "
        "self.bias",
    },
    "the table as decoder": {
        DECODER: "self.decoder = table",
        "return self.decoder(self.transform(x))": "return F.linear(self.transform(x), "
        "self.decoder.weight, self.bias)",
    },
    "a product with the table": {
        DECODER: "self.decoder = table",
        "return self.decoder(self.transform(x))": "return self.transform(x) @ "
        "self.decoder.weight.T + self.bias",
    },
    "more arguments": {
        CALLED: "def forward(self, x, mask=None, show=False, cache=None, **more):",
        "def __init__(self, config):": "def __init__(self, config, number=0):",
    },
    "arguments in a star": {
        CALLED: "def forward(self, x, *more):\n        mask, show = (*more, None, False)[:2] if "
        "len(more) != 1 else (more[0], False)"
    },
    "fused attention": {"scores = torch.einsum(": FUSED},
    "head by head": {
        'probs = self.drop(F.softmax(scores if mask is None else scores + mask, dim=-1))\n'
        '        context = torch.einsum("bhij,bjhd->bihd", probs, v).reshape(b, s, h)': BY_HEAD
    },
    "in place": {
        "return self.LayerNorm(x + self.drop(self.dense(context)))": "mixed = self.drop("
        "self.dense(context))\n        mixed += x\n        return self.LayerNorm(mixed)",
        "scores if mask is None else scores + mask": "scores if mask is None else "
        "scores.add_(mask)",
    },
    "a sequence of layers": {
        "nn.ModuleList([MyLayer(config) for _ in range(config.num_hidden_layers)])":
        "nn.Sequential(*[MyLayer(config) for _ in range(config.num_hidden_layers)])"
    },
    "by number": {
        "for layer in self.layer:\n            x, probs = layer(": "for n in range(len("
        "self.layer)):\n            x, probs = self.layer[n]("
    },
    "roles in another order": {  # so that all first weights are others
        ROLES: "".join(ROLES.splitlines(keepends=True)[::-1])
    },
    "a buffer that is not saved": {
        TABLE: f"{TABLE}\n        self.register_buffer('places', torch.arange("
        "config.max_position_embeddings)[None], persistent=False)",
        "torch.arange(seq, device=x.device).expand(batch, seq)": "self.places[:, :seq]",
    },
    "a number as a tensor": {
        "self.heads = config.num_attention_heads": "self.heads = config.num_attention_heads\n"
        "        self.root = torch.sqrt(torch.tensor(config.hidden_size / self.heads))",
        "math.sqrt(h // self.heads)": "self.root.to(x)",
    },
    "linear layers of her own": {
        "class MySelfOutput": OWN_LINEAR,
        "self.dense = nn.Linear(": "self.dense = Linear(",
    },
    "lists inside": {
        "states, maps = (x,), ()": "states, maps = [x], []",
        "states, maps = (*states, x), (*maps, probs)": "states.append(x); maps.append(probs)",
    },
    "a mask by masked_fill": {
        "mask = (1 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min":
        "hidden = attention_mask[:, None, None, :] == 0\n            mask = torch.zeros("
        "hidden.shape, dtype=x.dtype, device=x.device).masked_fill(hidden, "
        "torch.finfo(x.dtype).min)"
    },
    "a bert of keywords": {
        "        inputs_embeds=None,\n        output_attentions=False,": "        inputs_embeds="
        "None,\n        *,\n        output_attentions=False,"
    },
}  # fmt: skip
# What the checker refuses, since a later chapter could not run it, is in checks/wrong_classes.txt.
REFUSED = {"a bert of keywords"}  # models call it by place

# Files of readers in which all styles that are accepted occur, some of them together.
MIXED = (
    (
        "a decoder without bias", "arguments in a star", "head by head", "a sequence of layers",
        "a buffer that is not saved", "linear layers of her own", "lists inside",
        "a mask by masked_fill",
    ),
    (
        "the table as decoder", "more arguments", "in place", "by number", "a number as a tensor",
        "roles in another order",
    ),
    ("a product with the table", "fused attention"),
)  # fmt: skip

UNASKED = {BertOnlyMLMHead, nn.LayerNorm, nn.Dropout}  # what no chapter asks its reader to keep

_numbers = itertools.count()


def text_of(*styles: str) -> str:
    """Type the sample file in some styles at once."""
    text = SAMPLE.read_text(encoding="utf-8")
    for style in styles:
        for old, new in STYLES[style].items():
            assert old in text, (style, old)
            text = text.replace(old, new)
    return text


def module_of(style: str) -> ModuleType:
    """Run the sample file in a style."""
    text = text_of(style)
    name = f"my_bert_in_style_{next(_numbers)}"
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader=None))
    exec(compile(text, f"{name}.py", "exec"), vars(module))
    return module


def classes_of(style: str) -> dict[Callable, Callable]:
    """Give the classes of a style that an exercise asks for, by what they replace."""
    named = {n: c for n, c in vars(module_of(style)).items() if n.startswith("My")}
    return {role: c for role, c in replacements_of(named)[0].items() if role not in UNASKED}
