"""From a question and a passage of any length to the answer, as it is written there.

After Devlin et al. (2019), sections 4.2 and 4.3. Chapter 18.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from minibert.tasks import best_spans
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer
from minibert.wordpiece.offsets import LocatedPiece, locate_pieces


class Window(NamedTuple):
    """A question with a part of the passage that the model can read in one go.

    Args:
        input_ids, token_type_ids: Ids and segments, equally many: ``[CLS] question [SEP] part of
            the passage [SEP]``.
        offsets: For each token of the passage its place in it, in characters; None for the others.
        begin, end: The characters of the passage that the window covers.
    """

    input_ids: list[int]
    token_type_ids: list[int]
    offsets: list[tuple[int, int] | None]
    begin: int
    end: int


class Answer(NamedTuple):
    """A possible answer, and where it stands in the passage.

    Args:
        text: ``passage[start:end]``, as it is written there.
        start, end: Its place in the passage, in characters.
        score: Score of its first token as start plus that of its last token as end.

    >>> Answer("Shanghai", 0, 8, 11.5).text
    'Shanghai'
    """

    text: str
    start: int
    end: int
    score: float


class Answers(NamedTuple):
    """The best answers to a question, and what it scores to give none.

    Args:
        answers: Different ones, best first.
        no_answer: The score of ``[CLS]`` as start and end, in the window where it is lowest: a
            question has no answer only if no window has one.

    >>> answers = Answers([Answer("Shanghai", 0, 8, 11.5)], no_answer=12.0)
    >>> answers.choose(), answers.choose(threshold=1.0)
    ('', 'Shanghai')
    """

    answers: list[Answer]
    no_answer: float

    def choose(self, threshold: float = 0.0) -> str:
        """Return the best answer, or '' if giving none scores higher by more than `threshold`.

        Args:
            threshold: How much more "no answer" must score than the best answer to be taken.

        Returns:
            The answer as the passage writes it, or an empty string.
        """
        if not self.answers or self.no_answer - self.answers[0].score > threshold:
            return ""
        return self.answers[0].text


def sliding_windows(
    tokenizer: WordPieceTokenizer,
    question: str,
    passage: str,
    *,
    max_length: int = 384,
    stride: int = 128,
) -> list[Window]:
    """Cut a passage into overlapping windows, so that every piece is in one.

    An answer of up to `stride` pieces lies whole in at least one window.

    Args:
        tokenizer: Knows the pieces.
        question, passage: The question is in every window, whole.
        max_length: The most tokens of a window.
        stride: How many pieces two neighboring windows share, at least 0. This is what Hugging
            Face's tokenizers call so; `doc_stride` in the code that came with the paper is the
            step.

    Returns:
        At least one, in the order of the passage; the last may be shorter.

    Raises:
        ValueError: If the question leaves no room for more pieces than neighbors share.

    Source: The windows are those of the code that came with the paper.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "who", *"abcde"])
    >>> for window in sliding_windows(tokenizer, "who", "a b c d e", max_length=7, stride=1):
    ...     print(tokenizer.decode(window.input_ids))
    [CLS] who [SEP] a b c [SEP]
    [CLS] who [SEP] c d e [SEP]
    """
    prefix = tokenizer.encode(question)
    pieces = locate_pieces(tokenizer, passage)
    room = max_length - len(prefix) - 1
    if not 0 <= stride < room:
        raise ValueError(
            f"a window of max_length ({max_length}) has room for {room} pieces of the passage "
            f"beside the question; stride ({stride}) must be from 0 to {room - 1}"
            if room > 0
            else f"the question has {len(prefix) - 2} pieces, which with 3 special tokens leave no "
            f"room in a window of max_length ({max_length}); shorten it"
        )
    last = max(len(pieces) - room, 0)
    step = room - stride
    starts = [*range(0, last, step), -(-last // step) * step]
    return [
        _window(prefix, tokenizer.sep_token_id, pieces, begin, begin + room, len(passage))
        for begin in starts
    ]


def answer_positions(window: Window, start: int, end: int) -> tuple[int, int]:
    """Find the tokens of an answer in a window: the labels for training.

    Args:
        window: As `sliding_windows` gives it.
        start, end: The answer is ``passage[start:end]``, and not empty.

    Returns:
        First and last token. Both are 0, the token [CLS], if a part of the answer lies outside of
        the window: there the right answer is that there is none.

    Raises:
        ValueError: If the answer is empty, or no token comes from its characters.

    >>> window = Window([2, 7, 3, 8, 9, 3], [0] * 3 + [1] * 3, [None] * 3 + [(0, 3), (3, 8), None],
    ...                 0, 9)
    >>> answer_positions(window, 4, 8), answer_positions(window, 0, 20)
    ((4, 4), (0, 0))
    """
    if not 0 <= start < end:
        raise ValueError(f"an answer from character {start} to {end} is empty; end it after start")
    if start < window.begin or end > window.end:
        return 0, 0
    places = [
        number
        for number, place in enumerate(window.offsets)
        if place is not None and place[0] < end and place[1] > start
    ]
    if not places:
        raise ValueError(
            f"no token comes from the characters {start} to {end} of the passage; let the answer "
            "hold at least one character that is not white space"
        )
    return places[0], places[-1]


def merge_windows(
    passage: str,
    windows: Sequence[Window],
    logits: Sequence[Float[Tensor, "seq 2"]],
    *,
    max_answer_length: int = 30,
    top_n: int = 1,
) -> Answers:
    """Choose the best `top_n` answers out of all windows of a passage, each with its highest score.

    `logits` hold the start score and the end score of every token of a window; padding may follow.
    """
    best: dict[tuple[int, int], float] = {}
    no_answer = float("inf")
    for window, scores in zip(windows, logits, strict=True):
        starts, ends = scores[: len(window.offsets)].unbind(-1)
        inside = torch.tensor([place is not None for place in window.offsets])
        spans = best_spans(starts, ends, inside, max_answer_length=max_answer_length, top_n=top_n)
        no_answer = min(no_answer, spans.no_answer.item())
        for first, last, score in zip(*(part.tolist() for part in spans[:3]), strict=True):
            place = window.offsets[first][0], _with_marks(passage, window.offsets[last][1])
            best[place] = max(score, best.get(place, score))
    ranked = sorted(best, key=lambda place: (-best[place], place))[:top_n]
    return Answers(
        [Answer(passage[start:end], start, end, best[start, end]) for start, end in ranked],
        no_answer,
    )


def answer_questions(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    questions: Sequence[str],
    passages: Sequence[str],
    *,
    max_length: int = 384,
    stride: int = 128,
    max_answer_length: int = 30,
    top_n: int = 1,
    max_tokens: int = 2048,
) -> list[Answers]:
    """Answer questions, each from its own passage, however long.

    Args:
        model: A `BertForQuestionAnswering`.
        tokenizer: That of the model.
        questions, passages: Equally many.
        max_length, stride: As `sliding_windows` takes them.
        max_answer_length, top_n: As `best_spans` takes them.
        max_tokens: The most positions of a batch.

    Returns:
        One for each question.

    Raises:
        ValueError: If questions and passages are not equally many, or a window does not fit.
    """
    if len(questions) != len(passages):
        raise ValueError(
            f"{len(questions)} questions and {len(passages)} passages do not fit; give one each"
        )
    windows = [
        sliding_windows(tokenizer, *both, max_length=max_length, stride=stride)
        for both in zip(questions, passages, strict=True)
    ]
    logits = iter(
        predict(
            model,
            [(window.input_ids, window.token_type_ids) for window in chain(*windows)],
            lambda output, mask: torch.stack([output.start_logits, output.end_logits], -1),
            pad_token_id=tokenizer.pad_token_id,
            max_tokens=max_tokens,
        )
    )
    return [
        merge_windows(
            passage,
            own,
            [next(logits) for _ in own],
            max_answer_length=max_answer_length,
            top_n=top_n,
        )
        for passage, own in zip(passages, windows, strict=True)
    ]


def _window(
    prefix: list[int], sep: int, pieces: list[LocatedPiece], first: int, stop: int, characters: int
) -> Window:
    """Join a question and some pieces of the passage into one window."""
    shown = pieces[first:stop]
    ids = [*prefix, *(piece.token_id for piece in shown), sep]
    types = [0] * len(prefix) + [1] * (len(shown) + 1)
    places = [(piece.start, piece.end) for piece in shown]
    begin = pieces[first - 1].end if first else 0
    end = pieces[stop].start if stop < len(pieces) else characters
    return Window(ids, types, [None] * len(prefix) + places + [None], begin, end)


def _with_marks(passage: str, end: int) -> int:
    """Move the end of an answer behind the combining marks of its last letter."""
    while end < len(passage) and unicodedata.combining(passage[end]):
        end += 1
    return end
