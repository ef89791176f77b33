"""Parts: who plays what, until when, and the words for a class that cannot play."""

import ast
import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest
import torch
from bert_pairs import KINDS as MODELS
from bert_pairs import close, draw_batch, scatter_weights
from torch import nn

import bertfamily
import minibert
from bertbook.reader.contracts import ROLES, contract
from bertbook.reader.contracts.names import original_of
from bertbook.reader.contracts.require import require_contract
from bertfamily.roberta import RobertaConfig, RobertaEmbeddings, RobertaModel
from minibert.attention import BertAttention, BertSelfAttention
from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.heads import linear_classifier
from minibert.loading import load_pretrained, save_pretrained
from minibert.masking import corrupt_tokens
from minibert.model import BertModel
from minibert.parts import override, part, replaced, use
from minibert.pretraining import BertForPreTraining

SIZES = {"vocab_size": 19, "hidden_size": 6, "num_attention_heads": 3, "intermediate_size": 8}
SMALL = BertConfig(**SIZES, num_hidden_layers=2, max_position_embeddings=16)


class MySelfAttention(nn.Module):
    """A reader's class: the plainest attention, with the mask simply added."""

    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        for name in ("query", "key", "value"):
            setattr(self, name, nn.Linear(config.hidden_size, config.hidden_size))
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, x, mask=None, output_attentions=False):
        query, key, value = (
            side(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for side in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        probs = self.dropout(torch.softmax(scores if mask is None else scores + mask, dim=-1))
        context = (probs @ value).transpose(1, 2).flatten(2)
        return context, probs if output_attentions else None


def kinds(model):
    return {type(module) for module in model.modules()}


@pytest.mark.parametrize(
    "role", [r for r, t in ROLES.items() if t.built and r != linear_classifier]
)
def test_every_part_of_every_model_can_be_replaced(role):
    mine = type("Mine", (role,), {})
    before = [kind for kind in MODELS if role in kinds(kind(SMALL)) - {kind}]
    with override({role: mine}):
        after = [kinds(kind(SMALL)) for kind in before]
    assert before or role == BertForPreTraining
    assert all(mine in held for held in after)
    assert not any(role in held for held in after)


def test_a_readers_part_has_the_same_keys_and_gives_the_same_numbers():
    model = BertModel(SMALL)
    with override({BertSelfAttention: MySelfAttention}):
        theirs = BertModel(SMALL)
        assert MySelfAttention not in kinds(model)  # which stood before
    scatter_weights(model, seed=1)
    assert list(theirs.state_dict()) == list(model.state_dict())
    theirs.load_state_dict(model.state_dict(), strict=True)
    batch = draw_batch(SMALL, seed=3)
    a, b = (each.double().eval()(**batch).pooler_output for each in (theirs, model))
    close(a, b)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_mask_that_is_simply_added_works_in_every_precision(dtype):
    with override({BertSelfAttention: MySelfAttention}):
        model = BertModel(SMALL).to(dtype).eval()
    batch = draw_batch(SMALL, seed=3)
    batch["attention_mask"][0] = 0  # a sentence of nothing but padding
    output = model(**batch)
    assert output.last_hidden_state.dtype == dtype
    assert output.last_hidden_state.isfinite().all()


def test_it_holds_until_it_is_taken_back_and_blocks_end_with_an_error_and_nest():
    try:
        now = use({BertSelfAttention: MySelfAttention})
        assert repr(now) == "{BertSelfAttention: MySelfAttention}"
        with pytest.raises(KeyError), override({nn.Dropout: nn.Dropout1d}):
            raise KeyError
        assert replaced() == {BertSelfAttention: MySelfAttention}
    finally:
        use({BertSelfAttention: BertSelfAttention})
    assert part(BertSelfAttention) is BertSelfAttention
    assert replaced() == {}
    assert repr(use({})) == "{}"


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({nn.Linear: nn.Linear, nn.Bilinear: MySelfAttention}, ValueError, "asks for Bilinear; .*"),
        ({RobertaEmbeddings: MySelfAttention}, ValueError, "no model asks for RobertaEmbeddings"),
        ({"self_attention": MySelfAttention}, TypeError, "'self_attention' is no class or func"),
        (BertSelfAttention, TypeError, r"give a dictionary, \{BertSelfAttention: MySelf"),
    ],
)
def test_what_no_model_asks_for_cannot_be_replaced(given, error, words):
    with pytest.raises(error, match=words):
        use(given)
    with pytest.raises(error, match=words), override(given):
        pass
    assert replaced() == {}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("player", [nn.Linear(2, 2), len, None, int])
def test_a_part_is_a_class_of_modules_and_nothing_changes_when_one_of_several_is_not(player):
    with pytest.raises(TypeError, match="BertSelfAttention is replaced by a class derived from"):
        use({BertAttention: BertAttention, BertSelfAttention: player})
    assert replaced() == {}


class NoConfig(MySelfAttention):
    def __init__(self):
        pass


class OtherNames(MySelfAttention):
    def __init__(self, config):
        super().__init__(config)
        self.q = self.query
        del self.query
        self.gate = nn.Linear(config.hidden_size, 1, bias=False)


class OtherShape(MySelfAttention):
    def __init__(self, config):
        super().__init__(config)
        self.value = nn.Linear(config.hidden_size, config.intermediate_size)


@pytest.mark.parametrize(
    ("player", "error", "words"),
    [
        (NoConfig, TypeError, r"NoConfig cannot replace BertSelfAttention: __init__\(self\) must"),
        (OtherNames, ValueError, r"lacks query.weight \(hidden, hidden\), query.bias \(hidden\)"),
        (OtherNames, ValueError, r"has gate.weight, q.weight, q.bias|has q.weight, q.bias, gate"),
        (OtherShape, ValueError, r"value.weight has the shape \(8, 6\) instead of \(6, 6\)"),
    ],
)
def test_a_class_that_does_not_keep_the_contract_is_told_why(player, error, words):
    with pytest.raises(error, match=words):
        use({BertSelfAttention: player})
    assert part(BertSelfAttention) is BertSelfAttention


ALONE = """
from minibert import parts
from minibert.layer import BertIntermediate
from torch import nn

class Turned(BertIntermediate):
    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)

with parts.override({BertIntermediate: Turned}):
    print("it plays:", parts.part(BertIntermediate) is Turned)
class Stranger(Turned):
    pass

for wrong in ({BertIntermediate: 3}, {BertIntermediate: nn.Linear(2, 2)}, {Stranger: Turned}):
    try:
        parts.use(wrong)
    except (TypeError, ValueError) as error:
        print(error)
print(parts.replaced())
import bertbook.reader
try:
    parts.use({BertIntermediate: Turned})
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_minibert_alone_lets_any_class_play_and_bertbook_looks_at_its_weights():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True)
    plays, no_class, built, stranger, replaced_now, refused = done.stdout.splitlines()
    assert plays == "it plays: True"
    assert no_class == "BertIntermediate is replaced by a class or function itself, not by 3"
    assert built.startswith("BertIntermediate is replaced by a class or function itself, not by L")
    assert stranger.startswith("no model asks for Stranger; name a class or function of minibert")
    assert replaced_now == "{}"
    assert refused.startswith("the parameters of Turned are not those of BertIntermediate")


def test_what_models_ask_for_is_what_has_a_contract():
    files = (
        f for package in (minibert, bertfamily) for f in Path(package.__path__[0]).rglob("*.py")
    )
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    calls = (node for node in nodes if isinstance(node, ast.Call) and node.args)
    asked = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func) == "part"}
    asked -= {"original", "kind"}  # whatever it is
    known = {original.__name__ for original in ROLES} - {"BertForPreTraining"}  # the whole
    assert {name.removeprefix("nn.") for name in asked} == known


def test_another_network_may_say_that_it_is_one():
    other = type("Other", (OtherNames,), {"own_parameters": True})
    with override({BertSelfAttention: other}):
        names = [name for name, _ in BertModel(SMALL).named_parameters()]
    assert "encoder.layer.0.attention.self.gate.weight" in names


@pytest.mark.usefixtures("unchecked")
def test_a_function_plays_a_function():
    def my_corrupt_tokens(input_ids, **rest):
        return corrupt_tokens(input_ids, **rest)

    with override({corrupt_tokens: my_corrupt_tokens}):
        assert part(corrupt_tokens) is my_corrupt_tokens
    with pytest.raises(TypeError, match="replaced by a function, not by 3"):
        use({corrupt_tokens: 3})
    with pytest.raises(TypeError, match=r"must take input_ids, vocab_size, .*unexpected keyword"):
        use({corrupt_tokens: lambda input_ids: None})


@pytest.mark.parametrize("role", ROLES)
def test_ours_keeps_the_contract_it_sets(role):
    require_contract(role, role)
    assert " ".join(contract(role).split()).startswith(f"{role.__name__}: ")


def test_a_role_by_its_name():
    assert original_of("MyBert") == BertModel
    assert original_of("my_corrupt_tokens") == corrupt_tokens
    with pytest.raises(ValueError, match=r"MySelfAtention is named after no part.*MySelfAttention"):
        original_of("MySelfAtention")


OTHER = RobertaConfig(**SIZES, num_hidden_layers=1, max_position_embeddings=18)


class OtherAttention(BertSelfAttention):
    pass


class MyEmbeddings(BertEmbeddings):
    pass


@pytest.fixture
def folder(tmp_path):
    """Save a BERT whose every weight is drawn."""
    model = BertModel(SMALL)
    scatter_weights(model, seed=1)
    save_pretrained(model, tmp_path / "bert")
    return tmp_path / "bert"


@pytest.mark.usefixtures("unchecked")
def test_threads_that_build_and_load_different_members_get_their_own(folder):
    """Three threads at once: BERT from a folder, RoBERTa, and a reader's BERT in a block."""
    rounds = 30
    batch = draw_batch(SMALL, seed=3)
    wanted = load_pretrained(BertModel, folder).eval()(**batch).last_hidden_state

    def bert(_):
        with torch.no_grad():
            found = load_pretrained(BertModel, folder).eval()
        close(found(**batch).last_hidden_state, wanted)
        return {type(found.embeddings), type(BertModel(SMALL).embeddings)}

    def roberta(_):
        return {type(RobertaModel(OTHER).embeddings)}

    def reader(_):
        with override({BertEmbeddings: MyEmbeddings, BertSelfAttention: OtherAttention}):
            model = BertModel(SMALL)
        return {type(model.embeddings), type(model.encoder.layer[0].attention.self)}

    with ThreadPoolExecutor(3) as pool:
        made = [pool.map(kind, range(rounds)) for kind in (bert, roberta, reader)]
        berts, robertas, readers = ([*each] for each in made)
    assert berts == [{BertEmbeddings}] * rounds
    assert robertas == [{RobertaEmbeddings}] * rounds
    assert readers == [{MyEmbeddings, OtherAttention}] * rounds


def in_a_thread(call):
    """Return what a call returns in a thread of its own."""
    found = []
    thread = Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def test_what_is_used_for_good_is_seen_by_all_threads_and_outlives_the_block_around_it():
    try:
        with override({BertSelfAttention: OtherAttention, BertEmbeddings: MyEmbeddings}):
            other = type("Other", (BertSelfAttention,), {})
            use({BertSelfAttention: other})
            assert part(BertSelfAttention) is other  # also inside the block
            assert part(BertEmbeddings) is MyEmbeddings
            assert in_a_thread(replaced) == {BertSelfAttention: other}
        assert replaced() == {BertSelfAttention: other}
    finally:
        use({BertSelfAttention: BertSelfAttention})
    assert replaced() == in_a_thread(replaced) == {}


def test_what_another_thread_uses_for_good_does_not_change_an_open_block():
    try:
        with override({BertSelfAttention: OtherAttention}):
            in_a_thread(lambda: use({BertSelfAttention: type("Other", (BertSelfAttention,), {})}))
            assert part(BertSelfAttention) is OtherAttention
        assert part(BertSelfAttention).__name__ == "Other"
    finally:
        use({BertSelfAttention: BertSelfAttention})


def test_blocks_end_in_any_order():
    outer = override({BertSelfAttention: OtherAttention})
    inner = override({BertEmbeddings: MyEmbeddings})
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)
    assert replaced() == {BertEmbeddings: MyEmbeddings}
    inner.__exit__(None, None, None)
    assert replaced() == {}


def test_tasks_of_one_thread_have_their_own_blocks():
    async def build(player, mine, theirs):
        with override({BertSelfAttention: player}):
            mine.set()
            await theirs.wait()  # both blocks are open now
            return part(BertSelfAttention)

    async def both():
        mine, theirs = asyncio.Event(), asyncio.Event()
        one = build(OtherAttention, mine, theirs)
        return await asyncio.gather(one, build(BertSelfAttention, theirs, mine))

    # In a thread, since the browser of other tests keeps a loop running in this one.
    assert in_a_thread(lambda: asyncio.run(both())) == [OtherAttention, BertSelfAttention]
    assert replaced() == {}
