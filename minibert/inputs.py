"""Checks of arguments: an error says what is wrong, the values, and the way out. Chapter 7."""

from typing import Any

import torch

INTEGERS = (torch.int64, torch.int32)
FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
ABOVE_0, MOST = 1e-30, float("inf")  # for numbers that may not be 0, or be as large as they like


def require_number(name: str, value: Any, least: float, most: float = MOST, why: str = "") -> None:
    """Raise unless a value is a number from `least` to `most`, and whole if `least` is."""
    if isinstance(value, bool) or not isinstance(value, (int, type(least))):
        raise TypeError(f"{name} must be a {'whole ' * (type(least) is int)}number, not {value!r}")
    if not least <= value <= most:
        upper = f" and at most {most}" if most < MOST else ""
        raise ValueError(f"{name} ({value}) must be at least {least}{upper}{why}")


def require_multiple(name: str, value: int, of: int, divisor: str) -> None:
    """Raise unless one number is a multiple of another; name the nearest that are."""
    if value % of:
        near = f"nearest are {max(1, value // of) * of} and {max(1, value // of) * of + of}"
        raise ValueError(f"{name} ({value}) must be a multiple of {divisor} ({of}); {near}")


def require_tensor(name: str, value: Any, types: Any = (), shapes: Any = (), way: str = "") -> None:
    """Raise unless a value is a tensor of one type and shape; a word stands for any size."""
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name} must be a tensor, not a {type(value).__name__}")
    if types and value.dtype not in types:
        raise TypeError(f"{name} must be {' or '.join(map(str, types))}, not {value.dtype}")
    shape = tuple(value.shape)
    alike = [zip(shape, each) for each in shapes if len(each) == len(shape)]
    if shapes and not any(all(isinstance(b, str) or a == b for a, b in one) for one in alike):
        allowed = " or ".join(str(tuple(each)).replace("'", "") for each in shapes)
        raise ValueError(f"{name} must have the shape {allowed}, not {shape}{way}")
    if 0 in shape:
        raise ValueError(f"{name} of shape {shape} must not be empty; give at least one entry")


def require_entries(name: str, tensor: Any, fit: Any, rule: str) -> None:
    """Raise unless all entries fit, if they can be read; name the first that does not."""
    if entries_can_be_read(tensor) and not fit.all():
        raise ValueError(f"{name} {rule}, not {tensor[~fit][0].item()}")


def is_compiling() -> bool:
    """Return whether a compiler follows the program: no shape may depend on entries then."""
    return torch.compiler.is_compiling() or torch.jit.is_tracing()


def entries_can_be_read(tensor: Any) -> bool:
    """Return whether entries can be read: on a GPU that would wait, and a compiler cannot."""
    return tensor.is_cpu and not is_compiling()


def require_ids(name: str, ids: Any, size: float, field: str, *shapes: Any) -> None:
    """Raise unless ids are whole numbers that have a row in a table of some size."""
    require_tensor(name, ids, INTEGERS, shapes, f"; one sentence is a batch of one, {name}[None]")
    if entries_can_be_read(ids):
        rule = f"run from 0 to {size - 1} with {field} = {size}"
        require_entries(name, ids, (ids >= 0) & (ids < size), rule)


def check_tokens(tables: Any, input_ids: Any, types: Any, positions: Any, vectors: Any) -> None:
    """Raise unless the arguments of the embeddings fit each other and the three tables."""
    if (input_ids is None) == (vectors is None):
        raise ValueError("give either input_ids or inputs_embeds; neither is given, or both are")
    words, longest = tables.word_embeddings, tables.position_embeddings.num_embeddings
    if vectors is None:
        require_ids("input_ids", input_ids, words.num_embeddings, "vocab_size", ("batch", "seq"))
    else:
        require_tensor("inputs_embeds", vectors, FLOATS, [("batch", "seq", words.embedding_dim)])
    rows = _, seq = (input_ids if vectors is None else vectors).shape[:2]
    if positions is None and seq > longest:
        raise ValueError(f"{seq} tokens exceed max_position_embeddings ({longest}); truncate them")
    if types is not None:
        segments = tables.token_type_embeddings.num_embeddings
        require_ids("token_type_ids", types, segments, "type_vocab_size", rows)
    if positions is not None:
        require_ids("position_ids", positions, longest, "max_position_embeddings", rows, (1, seq))


def check_labels(logits: Any, labels: Any, labeled: Any, name: str = "labels") -> None:
    """Raise unless labels are numbers of answers that logits score, and there is one at least."""
    rule = f"run from 0 to {logits.shape[-1] - 1}, or are -100 for no label"
    require_tensor(name, labels, INTEGERS, [logits.shape[:-1]], "; -100 stands for no label")
    if not entries_can_be_read(labels):
        return
    if not labeled.any():
        raise ValueError(f"no item is labeled ({name} {rule}); give at least one its label")
    require_entries(name, labels, ~labeled | ((labels >= 0) & (labels < logits.shape[-1])), rule)
