"""Encoders of transformers: no right one is accused, and those that read padding are."""

import pytest
import torch
import transformers
from effort import mostly_thorough

from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants

# As a reader meets them: without the checks of shapes that only tests have.
pytestmark = pytest.mark.usefixtures("unchecked")
PADDING = "padding_changes_nothing"
CHANGES = "every_token_changes_every_token"
HEADS = ["MaskedLM", "SequenceClassification", "TokenClassification", "QuestionAnswering"]
HEADS += ["MultipleChoice"]
NARROW = {"embedding_size": 6}
FAR = {"max_position_embeddings": 18}  # places that begin behind the padding id
DISTANCES = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
RIGHT = {  # by name: what its configuration has besides the sizes
    "Bert": {},
    "Roberta": FAR,
    "XLMRoberta": FAR,
    "XLMRobertaXL": FAR,
    "Camembert": FAR,
    "Data2VecText": FAR,
    "RobertaPreLayerNorm": FAR,
    "MPNet": FAR,
    "IBert": FAR,
    "Xmod": FAR | {"languages": ["en_XX", "de_DE"], "default_language": "en_XX"},
    "Electra": NARROW,
    "Albert": NARROW,
    "DistilBert": {},
    "Deberta": DISTANCES,
    "DebertaV2": DISTANCES,
    "ModernBert": {"pad_token_id": 0, "local_attention": 4},
    "BigBird": {"attention_type": "original_full"},
    "Longformer": {"attention_window": 16, "max_position_embeddings": 32},
    "LayoutLM": {},
    "Splinter": {},
    "Esm": {"pad_token_id": 1, "mask_token_id": 5},
    "MegatronBert": {},
    "Ernie": {},
    "RemBert": {"input_embedding_size": 6, "output_embedding_size": 6},
    "XLM": {},
    "Flaubert": {},
}
WRONG = {  # and what they break; of others see what they say
    "ConvBert": ({"num_attention_heads": 4, "embedding_size": 8}, {PADDING}),
    "MobileBert": (NARROW | {"intra_bottleneck_size": 12, "true_hidden_size": 12}, {PADDING}),
    "FNet": ({}, {PADDING}),
    "Nystromformer": ({"num_landmarks": 4, "segment_means_seq_len": 4}, {PADDING}),
    "GPT2": ({}, {CHANGES}),
}


OFTEN = ["Bert", "Roberta", "Albert", "DebertaV2", "ModernBert", "Longformer"]
every_right = pytest.mark.parametrize(
    "name", mostly_thorough(sorted(RIGHT, key=lambda name: name not in OFTEN), len(OFTEN), some=6)
)


def build(name, head="Model", **more):
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**SIZES | more)
    return getattr(transformers, f"{name}{head}")(config)


@pytest.mark.slow
@every_right
def test_a_right_encoder_is_not_accused(name):
    findings = check_invariants(build(name, **RIGHT[name]))
    assert findings.broken == [], findings
    assert sum(finding.holds is not None for finding in findings) >= 11


@pytest.mark.slow
@pytest.mark.parametrize("head", mostly_thorough(HEADS, some=1))
@every_right
def test_a_right_head_is_not_accused(name, head):
    head = f"For{head}"
    if hasattr(transformers, f"{name}{head}") and name + head not in (
        "LongformerForQuestionAnswering",  # wants three separators in each text
        "XLMForQuestionAnswering",  # both take the five best tokens, and stop where there are four
        "FlaubertForQuestionAnswering",
        "XLMForMultipleChoice",  # both read the last column, padding or not
        "FlaubertForMultipleChoice",
    ):
        findings = check_invariants(build(name, head, **RIGHT[name]))
        assert findings.broken == [], findings


@pytest.mark.parametrize("name", WRONG)
def test_an_encoder_that_breaks_an_invariant_is_accused(name):
    more, breaks = WRONG[name]
    assert breaks <= set(check_invariants(build(name, **more)).broken)


def test_an_encoder_that_takes_texts_of_one_length_only_refuses():
    sizes = {"num_landmarks": 4, "segment_means_seq_len": 16}  # texts of 16 tokens, and no other
    findings = check_invariants(build("Nystromformer", **sizes))
    assert findings.verdict == "refuses" and findings.broken == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "part"), [("Esm", "contact_head.regression.weight"), ("Xmod", "adapter_modules.de_DE")]
)
def test_what_has_no_part_is_named(name, part):
    told = repr(check_invariants(build(name, **RIGHT[name])))
    assert part in told.split("is the slope: nothing to ask, ")[1].split("\n")[0]
