"""The properties of each part, whatever its weights, each with a hint. Chapter 8."""

from typing import NamedTuple

import torch
from torch import nn

from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import Part
from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.embeddings import BertEmbeddings
from minibert.heads import (
    BertLMPredictionHead,
    BertOnlyMLMHead,
    BertPredictionHeadTransform,
    BertPreTrainingHeads,
)
from minibert.layer import BertIntermediate, BertLayer, BertOutput
from minibert.model import BertEncoder, BertModel, BertPooler
from minibert.pretraining import BertForPreTraining

from . import property_checks as check
from . import usage_checks
from .pair import SEQ
from .smoke_checks import parts_are_replaceable


class Property(NamedTuple):
    """A property: the roles that have it, a check, and a hint if it does not hold."""

    claim: str
    roles: tuple[Part, ...]
    holds: check.Holds
    hint: str


def properties_of(role: Part) -> list[Property]:
    """List the properties of a role, in the order of the checks."""
    return [prop for prop in PROPERTIES if role in prop.roles]


MIXING = (BertSelfAttention, BertAttention, BertLayer, BertEncoder)
WITH_MAP = (*MIXING, BertModel)
TOKENWISE = (BertSelfOutput, BertIntermediate, BertOutput, BertPredictionHeadTransform)
HEADS = (BertLMPredictionHead, BertOnlyMLMHead, BertPreTrainingHeads)
BUILT_OF_PARTS = (*WITH_MAP[1:], *HEADS, BertForPreTraining)
HAVE_LINEAR = (*WITH_MAP, *TOKENWISE, BertPooler, *HEADS, BertForPreTraining)
STACKS = (BertEncoder, BertModel)
MODULES = tuple(role for role, terms in ROLES.items() if terms.built)
STATES = "hidden_states"
ONE, OTHER = (0, 1), (0, 3)  # two tokens of the first sentence, which has no padding
ELSEWHERE = (0, [0, 1, 2, 4])

PROPERTIES = [
    Property("evaluation twice gives the same", MODULES, check.twice_the_same,
        "Twice the same input gives two results in evaluation. What is drawn by chance there? "
        "Dropout acts in training only: nn.Dropout, or functional.dropout with "
        "training=self.training."),
    Property("the input is left as it was", MODULES, check.leaves_the_input,
        "Your forward changes its input. Is there an operation in place, such as += or one whose "
        "name ends in _? The residual still needs these numbers."),
    Property("the sentences of a batch are strangers",
        (*WITH_MAP, *TOKENWISE, BertEmbeddings, BertPooler),
        lambda pair: check.ignores(ROLES[pair.role].called[0], 1, 0)(pair),
        "A change in one sentence changes another one of the batch. Over which axis do you sum, "
        "or in which order do you reshape?"),
    Property("every token depends on the others", (BertSelfAttention,),
        check.notices(STATES, OTHER, ONE),
        "A change in one token changes no other one. Do queries meet the keys of all tokens?"),
    Property("every token depends on the others", MIXING[1:], check.notices(STATES, OTHER, ONE),
        "A change in one token changes no other one. Does what attention finds reach the result?"),
    Property("every token counts in BERT", (BertModel,), check.notices("input_ids", OTHER, ONE),
        "Another word at one place changes no other token. Do the embeddings go through the "
        "encoder?"),
    Property("tokens permuted, output permuted", MIXING, check.permutes,
        "The same tokens in another order give other vectors. Attention without positions cannot "
        "know about order: what in your class depends on the place?"),
    Property("padding changes nothing", WITH_MAP, check.padding_is_ignored,
        "What stands in the padding changes the real tokens."),
    Property("rows of the map sum to 1", WITH_MAP, check.rows_sum_to_1,
        "The rows of your map do not sum to 1. Along which axis does the softmax run, and does "
        "anything change its result afterwards?"),
    Property("padding gets no attention", WITH_MAP, check.padding_has_no_share,
        "Your map gives padding some probability. Is the mask added before the softmax?"),
    Property("asking for the map changes nothing", WITH_MAP, check.asking_changes_nothing,
        "With output_attentions the vectors differ from those without it. Which lines are run only "
        "when the map is asked for?"),
    Property("what nobody asks for is None", WITH_MAP, check.gives_no_more_than_asked,
        "Something is returned that nobody has asked for. Without output_attentions the map is "
        "None, and without output_hidden_states so are the states."),
    Property("the map returned is the map used", (BertSelfAttention,), check.the_map_is_used,
        "The map that you return times the values is not your context: probs @ value is another "
        "one. What is done to either of the three?"),
    Property("nothing but padding stays finite", WITH_MAP, check.nothing_but_padding,
        "A sentence of nothing but padding gives NaN. Is minus infinity in your mask? The softmax "
        "of a row of them is 0 / 0; the most negative finite number hides as well."),
    Property("tokens are treated one by one", (*TOKENWISE, BertLMPredictionHead, BertOnlyMLMHead),
        lambda pair: check.ignores(ROLES[pair.role].called[0], OTHER, ELSEWHERE)(pair),
        "A change in one token changes another one, but this part treats each alone. Along which "
        "axis do you normalize?"),
    Property("the residual counts", (BertSelfOutput, BertOutput),
        check.notices("input_tensor", ONE, ONE),
        "input_tensor has no effect. Where does the token keep what it was?"),
    Property("what was found counts", (BertSelfOutput, BertOutput),
        lambda pair: check.notices(ROLES[pair.role].called[0], ONE, ONE)(pair),
        "The first argument has no effect. What is added to the residual?"),
    Property("words count", (BertEmbeddings,), check.notices("input_ids", ONE, ONE),
        "Another word gives the same vector. Is word_embeddings looked up?"),
    Property("segments count", (BertEmbeddings, BertModel),
        check.notices("token_type_ids", ONE, ONE),
        "Another segment gives the same vector. Are token_type_ids looked up, and added?"),
    Property("positions count", (BertEmbeddings, BertModel),
        check.notices("position_ids", ONE, ONE),
        "Another position gives the same vector. Are the position_ids that are given looked up?"),
    Property("segments are 0 by default", (BertEmbeddings, BertModel),
        check.default_is("token_type_ids", lambda pair: torch.zeros_like(pair.inputs["input_ids"])),
        "Without token_type_ids the numbers are not those of segment 0. What stands in for them?"),
    Property("positions are 0, 1, 2, … by default", (BertEmbeddings, BertModel),
        check.default_is("position_ids", lambda pair: torch.arange(SEQ)[None]),
        "Without position_ids the numbers are not those of positions 0, 1, 2, …. With what do you "
        "count?"),
    Property("vectors may stand in for words", (BertEmbeddings, BertModel),
        check.vectors_take_the_place,
        "inputs_embeds that hold the words' own vectors give other numbers than the ids. Are "
        "positions and segments added to them as well?"),
    Property("without a mask all is shown", (BertModel,),
        check.default_is("attention_mask", lambda pair: torch.ones_like(pair.inputs["input_ids"])),
        "Without attention_mask the numbers are not those of a mask of ones."),
    Property("a model is called by names", (BertModel, BertForPreTraining),
        check.is_called_by_names,
        "Called by names, as trainers do, model(input_ids=…, attention_mask=…), it does not give "
        "the same. Do the arguments of forward stand under the names of the contract?"),
    Property("weights start small", (BertModel, BertForPreTraining), check.starts_as_ours,
        "Your weights do not start as BERT's do: normal with the spread config.initializer_range, "
        "biases and the row of the padding token at 0. Does initialize_weights draw all that "
        "PyTorch has drawn, the new layers of a head too, and no weight twice, such as the table "
        "that the decoder shares?"),
    Property("a model keeps its config", (BertModel, BertForPreTraining), check.keeps_the_config,
        "self.config is missing. Who saves a model, or loads its weights, looks there."),
    Property("a BERT without pooler", (BertModel,), check.without_pooler,
        "Built with add_pooling_layer=False, your class still has a pooler; heads of tokens need "
        "none."),
    Property("no pooler, no summary", (BertModel,), check.without_summary,
        "Built with add_pooling_layer=False, your class returns a pooler_output. What stands there "
        "without a pooler?"),
    Property("the first token is read", (BertPooler,), check.notices(STATES, (0, 0), 0),
        "The first token has no effect. Which one stands for the whole sequence?"),
    Property("no other token is read", (BertPooler,), check.ignores(STATES, (0, slice(1, None)), 0),
        "Other tokens than the first change the summary. The pooler reads one token only."),
    Property("the head shares the words' table", HEADS, check.table_is_shared,
        "The decoder does not follow the table that the class is built with. Is its weight the "
        "same parameter, and not a copy or one of its own?"),
    Property("the bias starts at 0", (BertLMPredictionHead,), check.bias_starts_at_0,
        "Your bias does not start at 0. Is it a parameter of its own, and not the one that the "
        "decoder has drawn?"),
    Property("no labels, no loss", (BertForPreTraining,), check.no_labels_no_loss,
        "Without any labels there is a loss. What is the sum of no losses: 0, or None?"),
    Property("the losses are added up", (BertForPreTraining,), check.sum_of_losses,
        "loss is not masked_lm_loss + next_sentence_loss. How are the two put together?"),
    Property("what is kept is enlarged", (nn.Dropout,), check.enlarges_the_rest,
        "In training with p = 0.25, a quarter of the numbers should be 0 and the others be divided "
        "by 0.75, so that their mean stays. What do you drop, and what do you keep?"),
    Property("its parts can be replaced", BUILT_OF_PARTS, parts_are_replaceable,
        "A part of ours is built by its name in your class. If you keep one of your own, who plays "
        "it here? Ask for it with part(…)."),
    Property("no rate, no dropout", MODULES, check.no_rate_no_dropout,
        "With dropout rates of 0, training gives other numbers than evaluation. Do the rates come "
        "from the config?"),
    Property("what is not needed may be left out", (*WITH_MAP, BertEmbeddings, BertForPreTraining),
        usage_checks.rest_may_be_left_out,
        "With its first argument alone, forward stops, or gives other numbers. Later chapters "
        "leave out what they do not need. Which defaults do the other arguments have: None, or "
        "False?"),
    Property("every part is called", HAVE_LINEAR, usage_checks.parts_are_called,
        "A part, or a linear layer, is built but not called itself: are its weights taken, or its "
        "parts called one by one? Chapter 20 listens to what goes through a part, and Chapter 23 "
        "puts other linear layers in the place of these. Call it, as in self.output(…)."),
    Property("parts get their arguments by place", BUILT_OF_PARTS,
        usage_checks.parts_get_arguments_by_place,
        "A part is called with names, as in self.output(input_tensor=x). Another class may call "
        "its arguments what it likes: give them without names, in the order of the contract."),
    Property("parameters are all that is saved", MODULES, usage_checks.saves_parameters_alone,
        "state_dict() holds more than the parameters of the contract, or less, and no file of "
        "weights fits it. Is there a buffer? Register it with persistent=False, or make it in "
        "forward."),
    Property("it can be copied after a call", MODULES, usage_checks.can_be_copied,
        "After a call your class cannot be copied: it keeps a tensor together with all that made "
        "it. Is a result kept, as in self.probs = probs? Return it instead."),
    Property("the layers are those that are there", STACKS,
        usage_checks.runs_on_the_layers_that_are_there,
        "After self.layer has been exchanged for a shorter list, as in Chapter 23, the encoder "
        "stops or gives other numbers. Over what does its loop go: over self.layer itself?"),
    Property("states are no copies", STACKS, usage_checks.states_are_those_that_go_on,
        "A state that is returned is not the tensor that goes on to the next layer, and so no "
        "gradient reaches it. Is it copied, or put through another operation, before it is kept?"),
    Property("mixed precision works", MODULES, usage_checks.works_in_mixed_precision,
        "Under autocast to bfloat16, as in Chapter 13, it stops, or gives numbers that are not "
        "finite: what goes in has 32 bits, and a product has 16. Which line asks for two tensors "
        "of one dtype?"),
    Property("it works on any device", MODULES, usage_checks.works_on_any_device,
        "Where its tensors are on a GPU it stops: something that is made inside stays on the CPU. "
        "Is it made with device=hidden_states.device, or that of the ids?"),
]  # fmt: skip
