"""``minibert classify train``: from a table to a classifier and its report. Chapter 19."""

from dataclasses import replace
from pathlib import Path

from berttools.cli.files import require_new_folder
from berttools.cli.options import ANY_NAME
from berttools.cli.output import say
from minibert.disk import atomic_write
from minibert.training import choose_device

from .command import REPORT, Settings
from .comparing import choose_classifier, compare
from .prepare import prepare
from .report import report_as_markdown
from .saving import save_classifier, write_json
from .tuning import default_encoder

FACTS = "report.json"


def train_classifier(settings: Settings) -> int:
    """Make a classifier; return the exit status. Until it is made, its folder stays empty."""
    folder, device = Path(settings.out), choose_device(settings.device)
    if settings.use != "words":  # which need no encoder
        settings = replace(settings, model=settings.model or str(default_encoder()))
    work = prepare(settings)
    folder.mkdir(parents=True, exist_ok=True)
    train, validation, test = (f"{len(table):,}" for table in work.tables.values())
    parts = f"{train} rows to learn from, {validation} to choose with, {test} to be asked once."
    say("\n".join([*work.notes, f"Parts: {parts}"]))
    candidates = compare(work, settings, device)
    classifier, facts = choose_classifier(work, candidates, settings)
    require_new_folder(folder)  # it has been some time
    facts |= {"notes": work.notes, "table": settings.table}
    write_json(folder / FACTS, facts)
    report = report_as_markdown(facts, folder)
    with atomic_write(folder / REPORT) as draft:
        draft.write_text(report, **ANY_NAME)
    save_classifier(classifier, folder)
    say(report.removesuffix("\n"))
    return 0
