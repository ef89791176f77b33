"""What is easily done wrong in the family, and what its configurations refuse."""

import pytest
import torch
from bert_pairs import close, scatter_weights
from family_pairs import MEMBERS, build, build_pair, build_with_head, draw_labels

import bertfamily as family
from bertfamily.modernbert import rotate
from minibert.loading.config_file import config_from_fields
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks import BertForTokenClassification, train_from_top


def modern(**changes):
    model = build(MEMBERS["modernbert"], **changes).double()
    scatter_weights(model, seed=0)
    return model.eval()


def padded_left(model, ids, pads):
    """Encode tokens behind some padding; return the tokens' vectors."""
    padding = torch.full((len(ids), pads), model.config.pad_token_id)
    rows = torch.cat([padding, ids], dim=1)
    mask = (torch.arange(rows.shape[1]) >= pads).long().expand(rows.shape)
    return model(rows, mask).last_hidden_state[:, pads:]


def test_padding_on_the_left_does_not_move_roberta_and_vectors_stand_where_their_ids_do():
    model, _ = build_pair(MEMBERS["roberta"])
    ids = torch.tensor([[5, 9, 4, 7]])
    expected = model(ids).last_hidden_state
    close(padded_left(model, ids, 3), expected, 1e-10)
    vectors = model.embeddings.word_embeddings(ids)
    close(model(inputs_embeds=vectors).last_hidden_state, expected, 1e-10)
    assert model(torch.full((1, 15), 5)).last_hidden_state.shape == (1, 15, 24)
    with pytest.raises(ValueError, match=r"16 tokens is too long: of 17 .* \(1\).* 15"):
        model(torch.full((1, 16), 5))


def test_only_distance_counts_for_rotated_queries_and_keys_and_segments_are_refused():
    model, ids = modern(local_attention=40), torch.tensor([[8, 11, 30, 9, 14]])
    expected = model(ids).last_hidden_state
    close(padded_left(model, ids, 4), expected, 1e-10)
    vectors = model.embeddings.word_embeddings(ids)
    close(model(inputs_embeds=vectors).last_hidden_state, expected, 1e-12)
    with pytest.raises(ValueError, match="no segments, and counts places itself"):
        model(ids, token_type_ids=torch.zeros_like(ids))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_sixteen_bits_turn_far_places_by_their_own_angle(dtype):
    x = torch.ones(1, 1, 600, 8, dtype=dtype)  # bfloat16 has no number between 512 and 516
    close(rotate(x, 10.0).float(), rotate(x.float(), 10.0), 0.02)


IDS = torch.tensor([[8, 9, 10]])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_sentence_of_padding_alone_has_finite_numbers_in_16_bits(name, dtype):
    model = build(MEMBERS[name]).to(dtype).eval()
    for place, parameter in model.named_parameters():
        if place.endswith(("query.bias", "key.bias")):  # every score is about -100
            parameter.data.fill_(10.0 if "query" in place else -10.0)
    mask = torch.tensor([[1, 1, 1], [0, 0, 0]])
    with torch.no_grad():
        output = model(IDS.repeat(2, 1), mask, output_attentions=True)
    assert output.last_hidden_state.isfinite().all()
    for probs in output.attentions:
        sums = probs.float().sum(dim=-1)
        torch.testing.assert_close(sums, torch.ones_like(sums), rtol=0, atol=0.01)


CHANGES = [  # a class, a field of config.json, and what the error says
    ("Roberta", {"is_decoder": True}, r"is_decoder \(True\) is not supported"),
    ("DistilBert", {"dim": 25}, r"hidden_size \(25\) .*; nearest are 24 and 36"),
    ("Albert", {"num_hidden_groups": 13}, r"\(13\) .* num_hidden_layers \(12\); nearest is 12"),
    ("Albert", {"embedding_size": 0}, r"embedding_size \(0\)"),
    ("DebertaV2", {"conv_kernel_size": 3}, r"conv_kernel_size \(3\) is not supported"),
    ("DebertaV2", {"pos_att_type": "c2p|p2p"}, "pos_att_type has 'p2p'"),
    ("DebertaV2", {"norm_rel_ebd": "batch"}, r"\('batch'\) must be none or layer_norm"),
    ("ModernBert", {"hidden_size": 36}, r"\(36\) .* 12 heads 3 numbers; .* even"),
    ("ModernBert", {"layer_types": ["full_attention"]}, "layer_types has 1 entries.* 22"),
    ("ModernBert", {"rope_parameters": {"full_attention": {"rope_type": "yarn"}}}, "type 'yarn'; "),
]


@pytest.mark.parametrize(("name", "fields", "words"), CHANGES)
def test_what_would_change_the_numbers_is_refused_in_words(name, fields, words):
    with pytest.raises((ValueError, TypeError), match=words):
        config_from_fields(getattr(family, f"{name}Config"), fields)


@pytest.mark.parametrize("name", ["Roberta", "DistilBert", "Albert", "DebertaV2", "Electra"])
def test_every_member_plays_bert_in_the_heads_of_bert(name):
    """As a part it needs no class of its own; that one only knows the names of the files."""
    member = next(member for member in MEMBERS.values() if member.name == name)
    kind, config = getattr(family, f"{name}Model"), build(member).config
    torch.manual_seed(0)
    with override({BertModel: kind}):
        model = BertForTokenClassification(config, num_labels=3)
    assert type(model.bert) is kind
    torch.manual_seed(0)
    own = getattr(family, f"{name}ForTokenClassification")(config, num_labels=3)
    ids = torch.tensor([[5, 9, 4, 7]])
    assert torch.equal(model.eval()(ids).logits, own.eval()(ids).logits)


MASK = torch.tensor([[1, 1, 1], [1, 1, 0]])
HEADS = [f"For{x}" for x in ("MaskedLM", "SequenceClassification", "QuestionAnswering")]
FROZEN = [(name, head) for name in ["bert", *MEMBERS] for head in HEADS]
FROZEN += [("electra", "ForPreTraining"), ("bert", "ForPreTraining")]


@pytest.mark.parametrize(("name", "head"), FROZEN)
def test_frozen_features_do_not_move_and_the_head_does(name, head):
    model = build_with_head(name, head)
    batch = {"input_ids": IDS.repeat(2, 1), "attention_mask": MASK}
    train_from_top(model, 0)

    def features():
        with torch.no_grad():
            return model.bert(**batch, output_hidden_states=True).hidden_states

    def head_weights():
        return torch.cat([p.detach().flatten() for p in model.parameters() if p.requires_grad])

    before, weights = features(), head_weights()
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        model(**batch, **draw_labels(head, batch)).loss.backward()
        optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(before, features(), strict=True))
    assert not torch.equal(head_weights(), weights)
