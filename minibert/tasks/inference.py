"""Use a model: many texts, batched by length, and the results in the original order. Chapter 15."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn
from torch.nn import functional

from minibert.inputs import require_number
from minibert.wordpiece import WordPieceTokenizer
from minibert.wordpiece.encode_batch import check_texts, pad_rows

Row = tuple[list[int], list[int]]


def encode_rows(
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    pairs: Sequence[str] | None = None,
    *,
    max_length: int,
) -> list[Row]:
    """Return the ids and segments of ``tokenizer(texts, pairs, …)`` as rows that are not padded.

    `texts` has one text for each row, and `pairs` the second one. `tokenizer` cuts rows to
    `max_length` tokens, special tokens included.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "one", "cat"])
    >>> encode_rows(tokenizer, ["one", "one cat one cat"], max_length=4)
    [([2, 5, 3], [0, 0, 0]), ([2, 5, 6, 3], [0, 0, 0, 0])]
    """
    firsts, seconds = check_texts(texts, pairs)
    each = zip(firsts, seconds, strict=True)
    alone = [tokenizer(*both, truncation=True, max_length=max_length) for both in each]
    return [(row["input_ids"][0].tolist(), row["token_type_ids"][0].tolist()) for row in alone]


def batch_by_tokens(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Return batches of numbers of rows about equally long, with at most `max_tokens` positions.

    By `lengths`, the numbers of tokens, the longest come first, so that there is hardly any
    padding, and every batch is about as much work as the next. A row that is too long is a batch by
    itself.

    >>> batch_by_tokens([3, 9, 2, 8], max_tokens=10)
    [[1], [3], [0, 2]]
    """
    require_number("max_tokens", max_tokens, 1, why="; 2048 is a good number")
    by_length = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    batches, begin = [], 0
    while begin < len(by_length):
        fitting = max(1, max_tokens // lengths[by_length[begin]])
        batches.append(by_length[begin : begin + fitting])
        begin += fitting
    return batches


def predict(
    model: nn.Module,
    rows: Sequence[Row],
    read: Callable[[Any, Shaped[Tensor, "batch seq"]], Shaped[Tensor, "batch ..."]],
    *,
    pad_token_id: int,
    max_tokens: int = 2048,
) -> list[Shaped[Tensor, "..."]]:
    """Run a model over rows of any lengths, without dropout, and return what is read of each.

    Args:
        model: Takes ``input_ids``, ``token_type_ids`` and ``attention_mask``. Afterwards each of
            its parts is in training or evaluation as it was before.
        rows: As `encode_rows` gives them.
        read: Takes the output of the model and the attention mask of a batch, and returns a tensor
            with one entry for each row of the batch, such as ``lambda output, mask:
            output.logits``.
        pad_token_id: The id of ``[PAD]``.
        max_tokens: The most positions of a batch.

    Returns:
        One entry for each row, in the order of `rows`, on the CPU.

    >>> from minibert.config import BertConfig
    >>> from minibert.model import BertModel
    >>> model, rows = BertModel(BertConfig.tiny(vocab_size=89)), [([2, 5, 3], [0, 0, 0])]
    >>> (vector,) = predict(model, rows, lambda output, _: output.pooler_output, pad_token_id=0)
    >>> vector.shape
    torch.Size([128])
    """
    _require_rows(rows)
    by_row: dict[int, Tensor] = {}
    device = next(model.parameters()).device
    with _evaluating(model):
        for numbers in batch_by_tokens([len(ids) for ids, _ in rows], max_tokens):
            batch = pad_rows([rows[number] for number in numbers], pad_token_id)
            batch = {name: tensor.to(device) for name, tensor in batch.items()}
            with torch.inference_mode():
                values = read(model(**batch), batch["attention_mask"])
            if len(values) != len(numbers):
                raise ValueError(
                    f"read() gave {len(values)} entries for a batch of {len(numbers)} rows; let "
                    "it return one for each row"
                )
            # A copy made out here may take part in training, as what inference mode makes may not.
            by_row |= zip(numbers, values.cpu().clone(), strict=True)
    return [by_row[number] for number in range(len(rows))]


def mean_pool(
    hidden_states: Float[Tensor, "batch seq hidden"], attention_mask: Shaped[Tensor, "batch seq"]
) -> Float[Tensor, "batch hidden"]:
    """Return the mean of `hidden_states`, the vectors of all tokens that `attention_mask` shows.

    ``sum over i of mask[i] * hidden_states[i] / sum over i of mask[i]``, special tokens included.

    Source: Reimers and Gurevych (2019), section 3.

    >>> hidden_states = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [99.0, 99.0]]])
    >>> mean_pool(hidden_states, torch.tensor([[1, 1, 0]]))
    tensor([[2., 3.]])
    """
    weights = attention_mask.to(hidden_states.dtype).unsqueeze(-1)
    return (hidden_states * weights).sum(1) / weights.sum(1)


def sentence_vectors(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    *,
    max_length: int | None = None,
    max_tokens: int = 2048,
) -> Float[Tensor, "batch hidden"]:
    """Return one vector of length 1 for each text, so that a dot product is a cosine.

    ``v / |v|`` with ``v = mean_pool(last_hidden_state)``.

    Args:
        model: A `BertModel`, best one that was trained for sentence vectors.
        tokenizer: That of the model.
        texts: At least one.
        max_length: Longer texts are cut to so many tokens; by default the most that the model
            takes.
        max_tokens: The most positions of a batch.

    Source: Reimers and Gurevych (2019), section 3.

    >>> from minibert.config import BertConfig
    >>> from minibert.model import BertModel
    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "one", "cat"])
    >>> model = BertModel(BertConfig.tiny(vocab_size=7))
    >>> sentence_vectors(model, tokenizer, ["one cat", "cat"]).shape
    torch.Size([2, 128])
    """
    config: Any = model.config
    longest = config.max_position_embeddings if max_length is None else max_length
    rows = encode_rows(tokenizer, texts, max_length=longest)
    vectors = predict(
        model,
        rows,
        lambda output, mask: mean_pool(output.last_hidden_state, mask),
        pad_token_id=tokenizer.pad_token_id,
        max_tokens=max_tokens,
    )
    return functional.normalize(torch.stack(vectors), dim=-1)


def _require_rows(rows: Sequence[Any]) -> None:
    """Raise for what is no row of ids, texts above all."""
    for number, row in enumerate(rows):
        parts = list(row) if isinstance(row, Sequence) else []
        if any(isinstance(part, str) for part in parts):
            raise TypeError(
                f"row {number} is a text ({row!r:.30}), and the model reads ids; make the rows "
                "with encode_rows(tokenizer, texts, max_length=…)"
            )
        if [*map(type, parts)] != [list, list] or not 0 < len(parts[0]) == len(parts[1]):
            raise ValueError(
                f"row {number} ({row!r:.30}) is no pair (ids, segment ids) of two lists of one "
                "length, at least 1; encode_rows(tokenizer, texts, max_length=…) makes such rows"
            )


@contextmanager
def _evaluating(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode for a block, and restore each part's mode after it."""
    in_training = [part for part in model.modules() if part.training]
    for part in in_training:
        part.training = False
    try:
        yield
    finally:
        for part in in_training:
            part.training = True
