"""Whatever the checker accepts runs in every later chapter: styles of readers, ways to call them.

Each way is one in which a later chapter, or the package for it, calls a part. It gives numbers, and
they must be those that our own parts give with the same weights.
"""

import copy
from functools import cache
from tempfile import TemporaryDirectory

import pytest
import torch
from accepted_styles import ACCEPTED, REFUSED, classes_of
from bert_pairs import draw_batch
from effort import mostly_thorough
from torch import nn

from bertbook.core.attention_maps import patch_heads
from bertbook.core.exercises.library import same_as_library
from bertbook.reader.module import check_module
from bertfamily import AlbertConfig, AlbertForMaskedLM, RobertaConfig, RobertaForMaskedLM
from minibert.attention import BertAttention, BertSelfAttention, additive_mask
from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.fast import (
    CheckpointedLayer,
    UnpaddedEncoder,
    UnpaddedSelfAttention,
    block_mask,
    fast_parts,
    in_eight_bits,
)
from minibert.heads import BertLMPredictionHead
from minibert.layer import BertLayer
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertEncoder, BertModel
from minibert.parts import override, part
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import BertForSequenceClassification

pytestmark = pytest.mark.usefixtures("unchecked")
CONFIG = BertConfig(
    vocab_size=23, hidden_size=12, num_hidden_layers=3, num_attention_heads=3,
    intermediate_size=20, max_position_embeddings=16,
)  # fmt: skip
BATCH = draw_batch(CONFIG, seed=5)
IDS, MASK = BATCH["input_ids"], BATCH["attention_mask"]
LABELS = IDS.where((IDS % 2 == 0) & (MASK == 1), -100)
ANSWERS = (IDS[:, 0] % 2).long()
PAIRS = {**BATCH, "labels": LABELS, "next_sentence_label": ANSWERS}
FAR = additive_mask(MASK, torch.float64)
SEQ = IDS.shape[1]
STATES = torch.randn(*IDS.shape, 12, generator=torch.Generator().manual_seed(7)).double()


players = cache(classes_of)


def built(kind, config=CONFIG, **named):
    """Build a model of whoever plays, in 64 bits, with weights that have their names alone."""
    model = kind(config, **named).double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            generator = torch.Generator().manual_seed(sum(map(ord, name)))
            numbers = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            parameter.copy_(0.4 * numbers + name.endswith("LayerNorm.weight"))
    return model


def pretraining():
    return built(part(BertForPreTraining))


def tensors(*found):
    """Take apart what a call has returned."""
    for one in found:
        if isinstance(one, torch.Tensor):
            yield one
        elif one is not None:
            yield from tensors(*one)


# --- The ways of the chapters --------------------------------------------------------------------


def embeddings_with_less():
    """Chapters 7, 20 and 23; weights go from one class into the other."""
    embeddings = built(part(BertEmbeddings))
    places = torch.zeros_like(IDS)
    other = BertEmbeddings(CONFIG).double().eval()
    other.load_state_dict(embeddings.state_dict(), strict=True)
    found = embeddings(IDS), embeddings(IDS, None, places), embeddings(IDS, None, places[:1])
    return *found, other(IDS)


def a_block_with_less():
    """Chapters 7, 8, 9 and 20; in 7 one number for each distance learns."""
    block = built(part(BertAttention))
    bias = torch.linspace(-1, 1, SEQ * SEQ).double().reshape(SEQ, SEQ).requires_grad_()
    context, moved = block(STATES, bias)
    alone, probs = block.self(STATES, None, True)
    roles = [layer(STATES) for layer in (block.self.query, block.self.key, block.self.value)]
    found = block(STATES), block.self(STATES)[0], block.self(STATES, FAR)[0], probs, roles
    learned = torch.autograd.grad(context.square().sum(), bias)
    return *found, context, moved, learned, block.output(alone, STATES)


def a_layer_taken_apart():
    """Chapters 9 and 10."""
    layer, x = built(part(BertLayer)), STATES
    around, output = layer.attention, layer.output
    halves = [(lambda x: around.output.dense(around.self(x)[0]), around.output),
              (lambda x: output.dense(layer.intermediate(x)), output)]  # fmt: skip
    for step, frame in halves:
        x = frame.LayerNorm(x + step(x))
    assert torch.allclose(x, layer(STATES)[0])
    return x, layer(STATES, FAR)[0], layer(STATES, FAR, True)


def an_encoder_of_other_layers():
    """Chapters 10 and 23."""
    encoder = built(part(BertEncoder))
    asked = encoder(STATES, FAR, True, True)
    with_less = encoder(STATES, block_mask([3, SEQ - 3], torch.float64)).last_hidden_state
    del encoder.layer[1:]
    fewer = encoder(STATES, FAR, True, True)
    encoder.layer = nn.ModuleList([*encoder.layer, *encoder.layer])
    return asked, with_less, fewer, encoder(STATES)


def a_bert_by_place():
    """Chapters 10, 11 and 12."""
    bert = built(part(BertModel))
    bare = built(part(BertModel), add_pooling_layer=False)
    vectors = bert.embeddings.word_embeddings(IDS)
    named = bert(**BATCH, output_attentions=True, output_hidden_states=True)
    found = bert(IDS), bert(IDS, MASK)[:2], bare(IDS)[0], bert(inputs_embeds=vectors)
    return *found, named, named._replace(pooler_output=None)


def hooks_on_parts():
    """Chapters 9, 10, 20, and the figures that show every step."""
    model, kept = pretraining(), []
    names = ["embeddings"] + [
        f"encoder.layer.{n}.{name}".rstrip(".")
        for n in range(3)
        for name in ("attention.self", "attention.output", "attention", "intermediate", "")
    ]
    for name in names:
        module = model.bert.get_submodule(name)
        module.register_forward_hook(
            lambda module, given, out: kept.append(out if torch.is_tensor(out) else out[0])
        )
    before = model.bert.encoder.layer[1].attention.output
    before.register_forward_pre_hook(lambda module, given: kept.extend(given))
    model.bert(**BATCH)
    assert len(kept) == len(names) + 2
    return kept


def heads_that_are_silent():
    """Chapter 20."""
    model = pretraining()
    with patch_heads(model.bert, {(0, 1): 0.0, (1, 2): 0.5}):
        states = model.bert(**BATCH).last_hidden_state
    return states, model.cls.predictions(states), model.cls.predictions(states[:, 1])


def losses_and_gradients():
    """Chapters 12 and 13; what arrives at each state, as well."""
    model = pretraining()
    states = model.bert(**BATCH, output_hidden_states=True).hidden_states
    words, pairs = model.cls(states[-1], model.bert.pooler(states[-1]))
    on_the_way = torch.autograd.grad(words.square().mean() + pairs.square().mean(), states)
    out = model(**PAIRS)
    out.loss.backward()
    named = {name: p.grad for name, p in model.named_parameters()}
    return on_the_way, out[:5], [named[name] for name in sorted(named)]


def a_copy_that_learns():
    """Chapters 13, 22 and 23: a model is copied after an update, and goes on."""
    model = pretraining()
    for _ in range(2):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        model(**PAIRS).loss.backward()
        optimizer.step()
        model = copy.deepcopy(model)
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight
    return model(**PAIRS).loss


def saved_and_loaded():
    """Chapters 9, 10 and 14 to 23."""
    kinds = ((BertForPreTraining, ()), (part(BertModel), ("cls",)),
             (BertForMaskedLM, ("cls.seq_relationship", "bert.pooler")))  # fmt: skip
    with TemporaryDirectory() as folder:
        save_pretrained(pretraining().float(), folder)
        models = [load_pretrained(kind, folder, unused=unused) for kind, unused in kinds]
        task = load_pretrained(
            BertForSequenceClassification, folder, new=("classifier",), unused=("cls",),
            num_labels=2,
        )  # fmt: skip
    scored = [model(IDS, MASK)[0 if number == 1 else 1] for number, model in enumerate(models)]
    return *scored, task.bert(**BATCH).pooler_output


def fewer_bits():
    """Chapters 13 and 23: autocast, weights in 16 bits and in 8; only roughly the same."""
    in_eight_bits(pretraining().float())(**BATCH)  # which each style rounds in its own way
    model = pretraining().float()
    with torch.autocast("cpu", torch.bfloat16):
        loss = model(**PAIRS).loss
    loss.backward()
    assert all(p.grad.dtype == torch.float32 for p in model.parameters())
    return loss.float().round(decimals=0), model.bfloat16()(**PAIRS).loss.float().round(decimals=0)


def the_faster_parts():
    """Chapter 23; rows without padding go through our attention, and through the reader's."""
    rows, found = {BertEncoder: UnpaddedEncoder}, []
    two = {BertSelfAttention: UnpaddedSelfAttention}, {BertLayer: CheckpointedLayer}
    for parts in (fast_parts(), rows, *(rows | other for other in two)):
        with override(parts):
            model = built(BertForPreTraining)
        out = model(**PAIRS)
        out.loss.backward()
        found.append((out.loss, model.bert.embeddings.word_embeddings.weight.grad))
    return found


def other_members():
    """Chapter 25: members of the family are built of the same parts."""
    ends = ("size", "layers", "heads", "embeddings")
    fields = {name: value for name, value in vars(CONFIG).items() if name.endswith(ends)}
    members = ((AlbertConfig(**fields, embedding_size=6), AlbertForMaskedLM),
               (RobertaConfig(**fields), RobertaForMaskedLM))  # fmt: skip
    return [built(kind, config)(IDS, MASK).logits for config, kind in members]


WAYS = [
    embeddings_with_less, a_block_with_less, a_layer_taken_apart, an_encoder_of_other_layers,
    a_bert_by_place, hooks_on_parts, heads_that_are_silent, losses_and_gradients,
    a_copy_that_learns, saved_and_loaded, fewer_bits, the_faster_parts, other_members,
]  # fmt: skip


@cache
def ours(way):
    return [tensor.detach() for tensor in tensors(way())]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("style", mostly_thorough(ACCEPTED, often=4, some=4))
def test_what_is_accepted_runs_in_every_later_way(style, way):
    wanted = ours(way)
    with override(players(style)):
        found = [tensor.detach() for tensor in tensors(way())]
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("style", mostly_thorough([*ACCEPTED, *REFUSED], often=2))
def test_these_are_the_styles_that_the_checker_accepts(style):
    verdicts = {role: check_module(kind, role) for role, kind in players(style).items()}
    refused = [verdict.message for verdict in verdicts.values() if not verdict.passed]
    assert bool(refused) == (style in REFUSED), refused


@pytest.mark.parametrize("style", mostly_thorough(ACCEPTED, often=4, some=4))
def test_it_can_be_held_against_the_library(style):
    """Chapters 7 to 12."""
    pytest.importorskip("transformers")
    with override(players(style)):
        bert = built(part(BertModel))
        same_as_library(bert, "BertModel", CONFIG, **BATCH, output_attentions=True)
        table = nn.Embedding(CONFIG.vocab_size, CONFIG.hidden_size)
        head = part(BertLMPredictionHead)(CONFIG, table)
        same_as_library(head, "BertLMPredictionHead", CONFIG, STATES)
        same_as_library(pretraining(), "BertForPreTraining", CONFIG, **PAIRS)
