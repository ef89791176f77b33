"""``minibert classify train``: three methods, which one answers, and how well. Chapter 19."""

import argparse
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float

from berttools.cli.files import require_new_folder
from berttools.cli.options import ANY_NAME
from berttools.cli.output import say, say_if_possible
from minibert.disk import atomic_write
from minibert.loading import load_tokenizer
from minibert.text_files import packed_text
from minibert.training import choose_device

from .baselines import best_linear, frozen_encoder, vectorizer
from .calibration import Classes, Scores, calibration_error, fit_temperature, with_temperature
from .command import METHODS, REPORT
from .prepare import Work, prepare
from .saving import Classifier, save_classifier, write_json
from .splitting import Blocks
from .thresholds import decide, least_answers, thresholds_and_shared
from .tuning import classifier_from, default_encoder, fine_tune_classifier

SHOWN = 5  # wrong answers
FEW = 30  # of fewer, two digits would say more than is known
# Of each method the classifier, and its probabilities for the rows to choose with.
Candidates = dict[str, tuple[Classifier, Scores]]
DRAWS, ENDS = 1000, (0.025, 0.975)  # of a bootstrap, and of its 95 %


def train_classifier(options: argparse.Namespace) -> int:
    """Make a classifier; return the exit status. Until it is made, its folder stays empty."""
    folder, device = Path(options.out), choose_device(options.device)
    if options.use != "words":  # which need no encoder
        options.model = options.model or str(default_encoder())
    work = prepare(options)
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"{len(table):,} rows for {name}" for name, table in work.tables.items()]
    say("\n".join([*work.notes, f"Parts: {', '.join(parts)}."]))
    classifier, facts = choose_classifier(work, compare(work, options, device), options)
    require_new_folder(folder)  # it has been some time
    write_json(folder / "report.json", facts | {"notes": work.notes, "table": options.table})
    report = report_as_markdown(facts | {"notes": work.notes}, folder)
    with atomic_write(folder / REPORT) as draft:
        draft.write_text(report, **ANY_NAME)
    save_classifier(classifier, folder)
    say(report.removesuffix("\n"))
    return 0


def compare(work: Work, options: argparse.Namespace, device: torch.device) -> Candidates:
    """Fit what is asked for and what is cheaper, the cheapest first, each with its temperature."""
    made, labels = {}, work.labels["validation"]
    for method, make in zip(METHODS, (_count_words, _freeze, _fine_tune), strict=True):
        classifier = make(work, options, device)
        logits = classifier.logits(work.tables["validation"])
        classifier = classifier._replace(temperature=fit_temperature(logits, labels))
        made[METHODS[method]] = classifier, with_temperature(logits, classifier.temperature)
        if method == options.use:
            break
    return made


def _count_words(work: Work, options: argparse.Namespace, _: torch.device) -> Classifier:
    words = vectorizer().fit(work.tables["train"].texts)
    return _with_linear(Classifier(words, None, None, options.text), work)


def _freeze(work: Work, options: argparse.Namespace, device: torch.device) -> Classifier:
    tokenizer, encoder = load_tokenizer(options.model), frozen_encoder(options.model).to(device)
    length = min(options.max_length, encoder.config.max_position_embeddings)
    return _with_linear(Classifier(encoder, tokenizer, length, options.text), work)


def _with_linear(classifier: Classifier, work: Work) -> Classifier:
    """Fit a linear classifier on vectors."""
    rows = {part: classifier.vectors(work.tables[part]) for part in ("train", "validation")}
    linear = best_linear(rows, work.labels, torch.ones(len(work.classes)))
    return classifier._replace(linear=linear, classes=work.classes)


def _fine_tune(work: Work, options: argparse.Namespace, device: torch.device) -> Classifier:
    say(f"Fine-tuning on {device}.")
    model, tokenizer = classifier_from(options.model, work.classes, seed=options.seed)
    length = min(options.max_length, model.config.max_position_embeddings)
    parts, rate = (work.tables["train"], work.tables["validation"]), options.learning_rate
    wishes = {"epochs": options.epochs, "max_length": length, "seed": options.seed}
    wishes |= {"learning_rate": rate, "device": device, "show_progress": say_if_possible}
    try:
        fine_tune_classifier(model, tokenizer, *parts, **wishes)
    except FloatingPointError as error:
        problem = f"{error.__cause__ or error}; give a --learning-rate below {rate:g}"
        raise FloatingPointError(problem) from error
    return Classifier(model.eval(), tokenizer, length, options.text)


def choose_classifier(
    work: Work, made: Candidates, options: argparse.Namespace
) -> tuple[Classifier, dict[str, Any]]:
    """Choose what answers, and from where on; ask the test part, once, for the report."""
    labels = work.labels["validation"]
    answers = {method: probs.argmax(axis=-1) for method, (_, probs) in made.items()}
    right = {method: float((given == labels).mean()) for method, given in answers.items()}
    # Of equals the first, which is the cheapest.
    used = max(right, key=lambda method: right[method]) if options.use == "best" else [*made][-1]
    classifier, probs = made[used]
    thresholds, shared = thresholds_and_shared(probs, labels, options.promise)
    classifier = classifier._replace(thresholds=thresholds.tolist())
    others = {method: other for method, (other, _) in made.items() if method != used}
    facts = _asked_once(work, others | {used: classifier})
    facts["compared"] = [
        {"method": method, "right": share, "macro_f1": mean_f1(labels, answers[method])}
        for method, share in right.items()
    ]
    own = {"promise": options.promise, "use": options.use, "shared": shared.tolist()}
    return classifier, facts | own


def _asked_once(work: Work, asked: Mapping[str, Classifier]) -> dict[str, Any]:
    """Ask the test part, the last one for all that the report tells of it."""
    from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

    labels, table = work.labels["test"], work.tables["test"]
    classes, blocks = work.classes, work.blocks
    used, classifier = [*asked.items()][-1]
    logits = {name: one.logits(table) for name, one in asked.items()}
    before, probs = (with_temperature(logits[used], t) for t in (1.0, classifier.temperature))
    usual = np.bincount(work.labels["train"], minlength=len(classes)).argmax()
    answers = {f"always {classes[usual]}": np.full_like(labels, usual)}
    answers |= {name: scores.argmax(axis=-1) for name, scores in logits.items()}
    hits = {name: (given == labels).astype(float) for name, given in answers.items()}
    rivals = [
        {"name": name, "right": float(hit.mean()), "interval": interval(hit, blocks)}
        | {"macro_f1": mean_f1(labels, answers[name])}
        for name, hit in hits.items()
    ]
    leads = {name: hits[used] - hits[name] for name in asked if name != used}
    given, decided = answers[used], decide(probs, np.array(classifier.thresholds))
    kept = [decided == number for number in range(len(classes))]
    own = {"labels": range(len(classes)), "zero_division": 0}  # what cannot be divided is 0
    scores: Any = precision_recall_fscore_support(labels, given, **own)
    least_true = np.argsort(probs[np.arange(len(labels)), labels]).tolist()
    wrong = [row for row in least_true if given[row] != labels[row]][:SHOWN]
    lines = table.lines or range(len(table))
    return {
        "classes": list(classes),
        "rows": {name: len(part) for name, part in work.tables.items()},
        "blocks": len(blocks),
        "rivals": rivals,
        "used": used,
        "leads": {n: [float(lead.mean()), *interval(lead, blocks)] for n, lead in leads.items()},
        "confusion": confusion_matrix(labels, given, labels=range(len(classes))).tolist(),
        "scores": [[*map(float, row[:-1]), int(row[-1])] for row in zip(*scores, strict=True)],
        "temperature": classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "thresholds": [t if np.isfinite(t) else None for t in classifier.thresholds],
        "answered": [[int(k.sum()), int((k & (given == labels)).sum())] for k in kept],
        "wrong": [
            [lines[n], classes[labels[n]], classes[given[n]], float(probs[n].max()), table.texts[n]]
            for n in wrong
        ],
    }


def mean_f1(labels: Classes, answers: Classes) -> float:
    """Compute the mean of F1 over the classes that have rows."""
    from sklearn.metrics import f1_score

    return float(f1_score(labels, answers, labels=np.unique(labels), average="macro"))


def interval(values: Float[np.ndarray, " rows"], blocks: Blocks) -> tuple[float, float]:
    """Return the 95 % interval of a mean over rows, by drawing whole blocks again (bootstrap)."""
    sums = np.array([[values[rows].sum(), len(rows)] for rows in blocks])
    shares = np.full(len(sums), 1 / len(sums))
    drawn = np.random.default_rng(0).multinomial(len(sums), shares, size=DRAWS)
    total, count = (drawn @ sums).T
    low, high = np.quantile(total / count, ENDS)
    return float(low), float(high)


def report_as_markdown(facts: Mapping[str, Any], folder: str | Path) -> str:
    """Return the report as Markdown."""
    from jinja2 import Environment, StrictUndefined

    words = Environment(  # for text that is no HTML
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    words.filters["cell"] = lambda name: name.replace("|", "\\|")
    own = {"folder": str(folder), "quoted": shlex.quote(str(folder)), "few": FEW}
    own["least"] = least_answers(facts["promise"])
    template = words.from_string(packed_text("berttools/classify/report.md.jinja"))
    return re.sub(r"(^\|.*\n)+", _aligned, template.render(facts, **own), flags=re.MULTILINE)


def _aligned(table: re.Match[str]) -> str:
    """Return a table in Markdown with its cells one below another."""
    cut = [re.split(r"(?<!\\)\|", line)[1:-1] for line in table[0].splitlines()]
    rows = [[cell.strip() for cell in row] for row in cut]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    fill = "".join("-" if row[-1] == "---" else " " for row in rows)
    lines = [[c.ljust(w, f) for c, w in zip(row, widths)] for row, f in zip(rows, fill)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
