"""What usually stands behind an error, and whether a function takes a way that is forbidden.

Exercises use it from Chapter 1 on.
"""

import dis
import re
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType

# Class of the error, what it says, and the mistake that raises it most often.
_USUAL = [
    (Exception, "could not (be )?broadcast|size of tensor a|non-broadcastable",
     "Two shapes do not fit together. Did a sum, a mean or a maximum lose its axis? keepdims=True "
     "keeps it."),
    (Exception, "matmul|not aligned|mat1 and mat2|Expected size for first two dimensions|inner dim",
     "The inner sizes of a product differ. Should one of the two be transposed? In an array with "
     "axes in front only the last two change places: .swapaxes(-1, -2)."),
    (Exception, r"index -100\b", "-100 is no index: it marks a position without a label. Choose "
     "the labeled positions first."),
    (Exception, r"axis \d+ is out of bounds|axes don't match", "Arrays differ in how many axes "
     "they have. Count axes from the end: the last is -1, the one before it -2."),
    (IndexError, "too many indices", "There are fewer axes than you index. Write … for all that "
     "stand in front, as in [..., -1]."),
    (IndexError, "arrays used as indices", "Whole numbers belong in the brackets. Which of the two "
     "arrays says the places?"),
    (IndexError, "", "It looks up a place that is not there. Counting starts at 0."),
    (Exception, "view size is not compatible", "After a transpose take reshape instead of view."),
    (Exception, "cannot reshape|is invalid for input", "The sizes of the new shape, multiplied, "
     "must give the number of entries there are."),
    (KeyError, "", "It looks up a name that is not there."),
    (ValueError, r"empty (sequence|iterable)|arg is an empty|is empty", "There is nothing to "
     "choose from. What should it do then?"),
    (Exception, "truth value of an array|Boolean value of Tensor", "Arrays of conditions are "
     "joined with & and |, each comparison in brackets. `and` and `if` take a single one, as "
     "np.array_equal makes of two arrays."),
    (ValueError, "is not in list", "index() looks for an entry. For entry number n write [n]."),
    (ZeroDivisionError, "", "It divides by 0. What should come out if there is nothing to count?"),
    (NameError, "", "Run the cell that defines or imports this name, or do so in your function."),
    (Exception, "can be converted to Python scalars|size-1 arrays", "Functions of math take one "
     "number. Those of torch and numpy, such as np.exp, take whole arrays."),
    (ValueError, "Integers to negative integer powers", "An integer stays one. Write 2.0 for 2."),
    (TypeError, 'required positional argument.*"dim"', "Along which axis? Say dim=…."),
    (TypeError, "required positional argument", "It is called with fewer things than it takes. "
     "Which one is left out?"),
    (Exception, "'Node'", "A node holds an array and its gradient. Which of the two is needed "
     "here?"),
    (RuntimeError, "requires grad is being used in an in-place", "Weights change only where no "
     "gradient is recorded: in weight.data, or under torch.no_grad()."),
    (AttributeError, "has no attribute 'copy'", "copy.deepcopy(model) copies a model, .clone() a "
     "tensor."),
    (RuntimeError, "on a bool tensor is not supported", "Make numbers of True and False: .long()."),
    (AssertionError, "", "An assert stops the function. Should it return something instead?"),
    (TimeoutError, "no answer after", "A loop may not end: what must change in every round? Or "
     "are there too many ways to try them all? On a busy machine, run it again."),
    (RecursionError, "", "It calls itself and never stops. Which case needs no further call?"),
    (TypeError, "iterator|generator", "An iterator has neither a length nor numbered entries. Go "
     "through it with a for loop."),
    (TypeError, "unhashable", "A list can be no key of a dict and no entry of a set. A tuple can."),
    (TypeError, "'dict' and|and 'dict'", "Dicts have no - and no &. Their keys() have, as sets."),
    (ValueError, "same number of dimensions", "Lay them out in one row each first: .ravel()."),
    (ValueError, "math domain", "There is no logarithm of 0, and no root of what is below."),
    (ValueError, "buffer size", "The bytes do not make whole numbers of this size. How many bytes "
     "has one? np.frombuffer takes 8, unless it is told."),
    (AttributeError, "NoneType", "Something is None here. What changes a list in place, as append "
     "does, returns None."),
    (AttributeError, "'dict' object", "A dict is asked by [\"name\"], not by a point."),
    (TypeError, "'list' and|and 'list'|type 'list'|unary -: 'list'", "Lists do not compute entry "
     "by entry. Make an array of the list first: np.array(…)."),
    (TypeError, r"return_types\.(max|min)", "max and min over an axis return two things, values "
     "and indices. Take .values, or amax."),
    (ValueError, "to match target batch_size", "Each row of scores needs one label, the number of "
     "its right column. Are rows and columns what you think?"),
    (TypeError, "NoneType", "Something is None here, which is no number. What does it mean?"),
    (AttributeError, "ndarray|Tensor", "Arrays and tensors have different methods. Which of the "
     "two does the function get?"),
]  # fmt: skip


def common_mistake(kind: type[Exception], text: str) -> str:
    """Name the mistake that raises an error most often."""
    hints = (hint for e, said, hint in _USUAL if issubclass(kind, e) and re.search(said, text))
    return next(hints, "")


def forbidden_way(function: Callable, forbidden: Sequence[str]) -> str:
    """Find what a function may not use, in itself and in the reader's functions that it calls."""
    if _is_of_a_library(function) and function.__name__ in forbidden:
        return function.__name__
    for one in _with_helpers(function):
        for code in _codes(one.__code__):
            if "a loop" in forbidden and _loops(code):
                return "a loop"
            names = [n for n in _used(one, code) if n in forbidden]
            if names:
                return names[0]
    return ""


def _used(function: FunctionType, code: CodeType) -> Iterator[str]:
    """Yield the names of all that code takes from elsewhere, but for the reader's own functions."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = function.__globals__.get(step.argval)
            own = _own(function, step.argval)
            yield from () if own else (step.argval, getattr(value, "__name__", ""))
        elif step.opname.startswith(("LOAD_ATTR", "LOAD_METHOD", "IMPORT")):
            yield step.argval


def _is_of_a_library(function: Callable) -> bool:
    """Return whether a function belongs to the book's packages or is written in C."""
    packaged = (getattr(function, "__module__", "") or "").startswith(("minibert.", "bertbook."))
    return hasattr(function, "__name__") and (packaged or not isinstance(function, FunctionType))


def _own(function: FunctionType, name: str) -> bool:
    """Return whether a name is a function of the reader's own, written beside this one."""
    value = function.__globals__.get(name)
    return isinstance(value, FunctionType) and value.__module__ == function.__module__


def _with_helpers(function: Callable) -> Iterator[FunctionType]:
    """Yield a function and those of the same notebook that it calls, each once."""
    waiting, visited = [function], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, FunctionType) and one not in visited:
            visited.append(one)
            names = (name for code in _codes(one.__code__) for name in code.co_names)
            waiting += [one.__globals__[name] for name in names if _own(one, name)]
            yield one


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of what is defined inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _loops(code: CodeType) -> bool:
    """Return whether code goes through something one by one, or jumps back."""
    steps = list(dis.get_instructions(code))
    back = (s for s in steps if "JUMP" in s.opname and isinstance(s.argval, int))
    return any(s.opname == "FOR_ITER" for s in steps) or any(s.argval < s.offset for s in back)
