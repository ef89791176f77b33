"""Keep what the first reader of Chapter 18 says to some questions: the scores of every token."""

from collections.abc import Sequence

import torch
from torch import nn

from bertbook.corpus import Question, passage_questions
from bertbook.topics.answer.answering import Answers, merge_windows, sliding_windows
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer

SHOWN_PASSAGES = 3


def shown_answers(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    validation: Sequence[Answers],
    **windows: int,
) -> dict[str, list]:
    """Keep the scores of every token in the best window of some questions, and the leads."""
    test = passage_questions("test")
    passages = list(dict.fromkeys(q.context for q in test))[:SHOWN_PASSAGES]
    leads = [round(a.no_answer - a.answers[0].score, 4) for a in validation]
    best = [a.answers[0].text for a in validation]
    shown = [show(model, tokenizer, q, **windows) for q in test if q.context in passages]
    return {"leads": leads, "best_answers": best, "questions": shown}


def show(model: nn.Module, tokenizer: WordPieceTokenizer, asked: Question, **windows: int) -> dict:
    """Score every token of the window with the best answer."""
    cut = sliding_windows(tokenizer, asked.question, asked.context, **windows)
    rows = [(window.input_ids, window.token_type_ids) for window in cut]
    logits = predict(
        model,
        rows,
        lambda output, mask: torch.stack([output.start_logits, output.end_logits], -1),
        pad_token_id=tokenizer.pad_token_id,
    )
    scores = [merge_windows(asked.context, [w], [s]) for w, s in zip(cut, logits, strict=True)]
    place = max(range(len(cut)), key=lambda number: scores[number].answers[0].score)
    ids, offsets = cut[place].input_ids, cut[place].offsets
    starts, ends = logits[place][: len(ids)].T.tolist()
    return {
        "id": asked.id,
        "window": place,
        "pieces": [tokenizer.pieces[number] for number in ids],
        "offsets": offsets,
        "start_logits": [round(score, 2) for score in starts],
        "end_logits": [round(score, 2) for score in ends],
        "no_answer": round(min(found.no_answer for found in scores), 4),
        "answer": scores[place].answers[0].text,
        "score": round(scores[place].answers[0].score, 4),
    }
