"""What must be so before all other questions: a class is built, and it answers. Chapter 8."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from bertbook.reader.contracts import Part, require_contract, roles_inside
from minibert.attention import BertSelfAttention
from minibert.model import BertModel
from minibert.parts import override

from .trial import Trial, UnlikeError, Values

Answer = TypeVar("Answer", bool, str)

# What PyTorch says, and the usual slip behind it.
RAISED = {
    r"before Module\.__init__\(\) call": "Does __init__ begin with super().__init__()?",
    r'missing the required "forward" function': "Has the class a method of the name forward?",
    r"'bool' object has no attribute '(long|int|to)'|'NoneType' object has no attribute 'ne'": (
        "Is the mask made from the ids? Which argument says what is padding?"
    ),
    r"Target -100 is out": "Which number says that there is no label? PyTorch leaves out -100 "
    "unless ignore_index names another.",
    r"cannot assign '.*' as parameter": "A weight is an nn.Parameter, neither a tensor nor a "
    "module. Which attribute of the table is one?",
    r"without overflow": "The number is too large for half precision. Which is the most negative "
    "one of a dtype?",
    r"'(str|mappingproxy)' object is not callable": "config.hidden_act is a name. Which table has "
    "the function of that name, and how is it looked up?",
    r"name '\w+' is not defined": "What __init__ has made is called by self. and its name.",
    r"recursion": "It calls itself. Which class is meant: that above? super() calls it.",
    r"argument #1 'indices'": "A table takes ids. What compares a vector with all its rows?",
    r"NoneType": "Which argument may be None, and what returns nothing?",
    r"can't set attribute": "A tuple with names does not change; output._replace(…) makes another "
    "one of it.",
    r"'(Tensor|bool|int|list|tuple)' object|not (bool|tuple|list|\w+Output)\b|tuple indices|holds "
    r"floats": "Something else stands there than you think. In which order do the arguments go in, "
    "and which parts return several things?",
    r"object has no attribute 'weight'": "The head takes the table itself, word_embeddings: "
    "neither its weight nor what holds it.",
    r"object has no attribute": "Is it set in __init__, under the same name?",
    r"same dtype|expected scalar type|same data type": "Is a tensor made inside in float32? Give "
    "it dtype=hidden_states.dtype, or that of the parameters.",
    r"must match the size|shapes cannot be multiplied|is invalid for input of size|broadcast|too "
    r"many indices|Expected size for first two": "Print the shapes before that line: what does "
    "each part take?",
    r"index out of range in self": "A table is asked for a row that it has not got. Which ids "
    "belong to which table?",
    r"view size is not compatible": "After a transpose, reshape does what view cannot.",
    r"Boolean value of Tensor": "A tensor of several numbers is neither true nor false. Which "
    "question is meant: is it None?",
    r"attention_mask is 1, or 0": "In which order do the arguments go in? What stands where the "
    "mask belongs?",
    r"it has [\w.]*decoder\.weight": "Which table does the decoder share? It is one parameter, "
    "with one name.",
    r"running_mean": "BatchNorm normalizes over the batch. Over which axis does LayerNorm?",
    r"required positional arg|positional arguments? but \d+ (was|were) given": "What does the part "
    "take that stands there? print(contract(…)) says how each is built and called.",
    r"it lacks [\w.]*attention\.self\..* it has [\w.]*attention\.query": "Self-attention stands "
    "where the block `attention` belongs. Which of its parts mixes the heads and adds what was "
    "there before?",
    r"it lacks .* it has ": "Do the parts have the names that the contract gives them?",
    r"it lacks [\w.]*layer\.0": "Do the layers stand in an nn.ModuleList? A model does not see "
    "into plain lists.",
    r"seq_relationship\.\w+ has the shape": "For how many answers does the softmax need a score?",
    r"(query|key|value|dense)\.weight has the shape": "An nn.Linear is built with the size of what "
    "goes in, then that of what comes out. What does the config call the two?",
    r"it (lacks|has) [\w.]*layer\.\d": "How many layers does config.num_hidden_layers ask for, and "
    "is each of them built anew?",
}
HEADS = " In attention, the heads stand before the tokens: (batch, heads, seq, head_size)."
PRECISIONS = (torch.float32, torch.bfloat16, torch.float16)


def answer_to(trial: Trial, question: Callable[[Trial], Answer]) -> Answer | str:
    """Ask something about a class; if it raises, that is the answer."""
    try:
        return question(trial)
    except UnlikeError as unlike:
        return f"{unlike}."
    except Exception as error:  # whatever a reader's class raises is to be explained
        return explain(error, trial.role)


def explain(error: Exception, role: Part) -> str:
    """Return what was raised, and what usual slip raises it."""
    told = str(error)
    hint = next((hint for pattern, hint in RAISED.items() if re.search(pattern, told)), "")
    hint += HEADS * (role is BertSelfAttention and hint.startswith("Print the shapes"))
    return f"it stopped with {type(error).__name__}: {told.rstrip('.')}. {hint}".strip()


def _keeps_the_contract(trial: Trial) -> str:
    try:
        require_contract(trial.role, trial.kind)
    except (TypeError, ValueError) as error:
        return explain(error, trial.role).removeprefix(f"it stopped with {type(error).__name__}: ")
    return ""


def _answers(trial: Trial) -> str:
    try:
        answer = trial.mine(*trial.arguments())
    except Exception as error:
        return explain(error, trial.role)
    if answer is None or answer is Ellipsis:
        return "forward returns nothing yet. Replace the … by your code and return the result."
    return ""


def _returns_what_it_should(trial: Trial) -> str:
    for case in trial.cases():
        found = answer_to(trial, partial(_is_taken_apart, case=case))
        if found:
            told = ", ".join(f"{name} {_told(value)}" for name, value in case.items())
            return f"{found} So it is called with {told}." if len(case) < 4 and case else found
    return ""


def _is_taken_apart(trial: Trial, case: Values) -> str:
    trial.run(trial.mine, **case)  # raises otherwise
    return ""


def _told(value: object) -> str:
    return f"of shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"= {value}"


def _works_in_every_precision(trial: Trial) -> str:
    for dtype in PRECISIONS:
        problem = answer_to(trial, lambda trial, dtype=dtype: _finite_in(trial, dtype))
        if problem:
            return f"in {dtype}, {problem}"
    return ""


def _finite_in(trial: Trial, dtype: torch.dtype) -> str:
    """Run in another precision; the mask is made in it, as models do."""
    given = {
        name: value.clamp(min=torch.finfo(dtype).min).to(dtype)
        for name, value in trial.inputs.items()
        if isinstance(value, Tensor) and value.is_floating_point()
    }
    mine, ours = (trial.build(kind).to(dtype) for kind in (trial.kind, type(trial.ours)))
    masks = _masks_that_go_in(mine) if trial.role is BertModel else []
    expected = ours(*trial.arguments(**given))
    found = trial.take_apart(mine(*trial.arguments(**given)), expected)
    if other := [mask.dtype for mask in masks if mask.dtype != dtype]:
        return (
            f"the encoder gets a mask in {other[0]}. An attention that adds it as it is "
            "needs the precision of the vectors: additive_mask(attention_mask, x.dtype)."
        )
    if any(mask.isinf().any() for mask in masks):
        return (
            "the encoder gets a mask with minus infinity: in an attention that adds it as it is, a "
            "sentence of nothing but padding gives NaN. Which finite number hides as well?"
        )
    wild = [name for name, value in found.items() if not value.isfinite().all()]
    return f"{wild[0]} holds numbers that are not finite." if wild else ""


def _masks_that_go_in(model: nn.Module) -> list[Tensor]:
    """Return a list that collects the masks, of four axes, which the encoder of a model gets."""
    masks: list[Tensor] = []

    def look(_: nn.Module, given: tuple, named: dict) -> None:
        tensors = (value for value in (*given, *named.values()) if isinstance(value, Tensor))
        masks.extend(tensor for tensor in tensors if tensor.dim() == 4)

    model.get_submodule("encoder").register_forward_pre_hook(look, with_kwargs=True)
    return masks


@cache
def _stand_in(role: Part) -> type:
    ours: Any = role
    return type("StandIn", (ours,), {})


def asks_for_its_parts(trial: Trial) -> bool:
    """Hold if no part of ours is built by its name while others play all parts."""
    others = {role: _stand_in(role) for role in roles_inside(trial.role) if role != trial.role}
    with override(others):
        built = {type(module) for module in trial.start(trial.kind).modules()}
    return built.isdisjoint(others)


FIRST = (_keeps_the_contract, _answers, _returns_what_it_should, _works_in_every_precision)
