"""Checks that come first: a class is built, runs, and returns what it should. Chapter 8."""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from bertbook.reader.contracts.names import Part
from bertbook.reader.contracts.parameter_shapes import roles_inside
from bertbook.reader.contracts.require import require_contract
from minibert.attention import BertSelfAttention
from minibert.model import BertModel
from minibert.parts import override

from .pair import MismatchError, ModulePair, Values

Result = TypeVar("Result", bool, str)

# Patterns in messages of PyTorch, and a hint at the common mistake that raises them.
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


def result_of(pair: ModulePair, check: Callable[[ModulePair], Result]) -> Result | str:
    """Return the result of a check; if it raises, the explained error is the result."""
    try:
        return check(pair)
    except MismatchError as mismatch:
        return f"{mismatch}."
    except Exception as error:  # whatever a reader's class raises is to be explained
        return explain(error, pair.role)


def explain(error: Exception, role: Part) -> str:
    """Return the message of an error, and a hint at the common mistake that raises it."""
    message = str(error)
    hint = next((hint for pattern, hint in RAISED.items() if re.search(pattern, message)), "")
    hint += HEADS * (role is BertSelfAttention and hint.startswith("Print the shapes"))
    return f"it stopped with {type(error).__name__}: {message.rstrip('.')}. {hint}".strip()


def _contract_problem(pair: ModulePair) -> str:
    try:
        require_contract(pair.role, pair.kind)
    except (TypeError, ValueError) as error:
        return explain(error, pair.role).removeprefix(f"it stopped with {type(error).__name__}: ")
    return ""


def _forward_problem(pair: ModulePair) -> str:
    try:
        answer = pair.submission(*pair.arguments())
    except Exception as error:
        return explain(error, pair.role)
    if answer is None or answer is Ellipsis:
        return "forward returns nothing yet. Replace the … by your code and return the result."
    return ""


def _output_problem(pair: ModulePair) -> str:
    for case in pair.cases():
        problem = result_of(pair, partial(_mismatch, case=case))
        if problem:
            call = ", ".join(f"{name} {_described(value)}" for name, value in case.items())
            return f"{problem} So it is called with {call}." if len(case) < 4 and case else problem
    return ""


def _mismatch(pair: ModulePair, case: Values) -> str:
    pair.run(pair.submission, **case)  # raises if the output has another structure
    return ""


def _described(value: object) -> str:
    return f"of shape {tuple(value.shape)}" if isinstance(value, Tensor) else f"= {value}"


def _precision_problem(pair: ModulePair) -> str:
    for dtype in PRECISIONS:
        problem = result_of(pair, lambda pair, dtype=dtype: _non_finite_in(pair, dtype))
        if problem:
            return f"in {dtype}, {problem}"
    return ""


def _non_finite_in(pair: ModulePair, dtype: torch.dtype) -> str:
    """Say what is not finite in another precision; the mask is made in it, as models do."""
    given = {
        name: value.clamp(min=torch.finfo(dtype).min).to(dtype)
        for name, value in pair.inputs.items()
        if isinstance(value, Tensor) and value.is_floating_point()
    }
    submission, reference = (
        pair.build(kind).to(dtype) for kind in (pair.kind, type(pair.reference))
    )
    masks = _masks_that_go_in(submission) if pair.role is BertModel else []
    expected = reference(*pair.arguments(**given))
    output = pair.take_apart(submission(*pair.arguments(**given)), expected)
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
    names = [name for name, value in output.items() if not value.isfinite().all()]
    return f"{names[0]} holds numbers that are not finite." if names else ""


def _masks_that_go_in(model: nn.Module) -> list[Tensor]:
    """Return a list that collects the masks, of four axes, which the encoder of a model gets."""
    masks: list[Tensor] = []

    def look(_: nn.Module, given: tuple, named: dict) -> None:
        tensors = (value for value in (*given, *named.values()) if isinstance(value, Tensor))
        masks.extend(tensor for tensor in tensors if tensor.dim() == 4)

    model.get_submodule("encoder").register_forward_pre_hook(look, with_kwargs=True)
    return masks


@cache
def _subclass(role: Part) -> type:
    base: Any = role
    return type("Replacement", (base,), {})


def parts_are_replaceable(pair: ModulePair) -> bool:
    """Hold if none of the package's parts is built while all are replaced by subclasses."""
    others = {role: _subclass(role) for role in roles_inside(pair.role) if role != pair.role}
    with override(others):
        built = {type(module) for module in pair.start(pair.kind).modules()}
    return built.isdisjoint(others)


SMOKE_CHECKS = (_contract_problem, _forward_problem, _output_problem, _precision_problem)
