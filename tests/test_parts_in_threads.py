"""Who plays is decided by each thread and task for itself; only `use` speaks to all."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest
import torch
from bert_pairs import close, draw_batch, scatter_weights

from bertfamily.roberta import RobertaConfig, RobertaEmbeddings, RobertaModel
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel
from minibert.parts import override, part, replaced, use

SIZES = {"vocab_size": 19, "hidden_size": 6, "num_attention_heads": 3, "intermediate_size": 8}
SMALL = BertConfig(**SIZES, num_hidden_layers=2, max_position_embeddings=16)
OTHER = RobertaConfig(**SIZES, num_hidden_layers=1, max_position_embeddings=18)


class MySelfAttention(BertSelfAttention):
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
        with override({BertEmbeddings: MyEmbeddings, BertSelfAttention: MySelfAttention}):
            model = BertModel(SMALL)
        return {type(model.embeddings), type(model.encoder.layer[0].attention.self)}

    with ThreadPoolExecutor(3) as pool:
        made = [pool.map(kind, range(rounds)) for kind in (bert, roberta, reader)]
        berts, robertas, readers = ([*each] for each in made)
    assert berts == [{BertEmbeddings}] * rounds
    assert robertas == [{RobertaEmbeddings}] * rounds
    assert readers == [{MyEmbeddings, MySelfAttention}] * rounds


def in_a_thread(call):
    """Return what a call returns in a thread of its own."""
    found = []
    thread = Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def test_a_block_is_its_thread_s_own_while_it_is_open():
    with override({BertSelfAttention: MySelfAttention}):
        assert part(BertSelfAttention) is MySelfAttention
        assert in_a_thread(lambda: part(BertSelfAttention)) is BertSelfAttention
        assert in_a_thread(replaced) == {}


def test_what_is_used_for_good_is_seen_by_all_threads_and_outlives_the_block_around_it():
    try:
        with override({BertSelfAttention: MySelfAttention, BertEmbeddings: MyEmbeddings}):
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
        with override({BertSelfAttention: MySelfAttention}):
            in_a_thread(lambda: use({BertSelfAttention: type("Other", (BertSelfAttention,), {})}))
            assert part(BertSelfAttention) is MySelfAttention
        assert part(BertSelfAttention).__name__ == "Other"
    finally:
        use({BertSelfAttention: BertSelfAttention})


def test_blocks_end_in_any_order():
    outer, inner = (
        override({BertSelfAttention: MySelfAttention}),
        override({BertEmbeddings: MyEmbeddings}),
    )
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
        one = build(MySelfAttention, mine, theirs)
        return await asyncio.gather(one, build(BertSelfAttention, theirs, mine))

    # In a thread, since the browser of other tests keeps a loop running in this one.
    assert in_a_thread(lambda: asyncio.run(both())) == [MySelfAttention, BertSelfAttention]
    assert replaced() == {}


def test_an_open_block_is_not_seen_while_another_thread_builds():
    """The same as the first test, without luck: the block is open when the other thread builds."""
    opened, built, found = Event(), Event(), []

    def hold():
        with override({BertEmbeddings: RobertaEmbeddings}):
            opened.set()
            assert built.wait(60)

    thread = Thread(target=hold)
    thread.start()
    assert opened.wait(60)
    found.append(type(BertModel(SMALL).embeddings))
    built.set()
    thread.join()
    assert found == [BertEmbeddings]
