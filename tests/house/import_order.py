"""The packages can be read from top to bottom: a file imports only from rows above it."""

from pathlib import Path

from python_code import imported, modules, room_of

# A module or folder may import from every row above its own, and from no neighbor in its row. A
# package may import all packages above it. So `reference`, whose functions are witnesses, imports
# nothing of ours; and training, which knows no BERT, nothing of the model.
ROWS = {
    "minibert": """
        reference disk text_files inputs parts signature
        text losses
        wordpiece masking training
        data config
        embeddings attention heads
        layer
        model
        pretraining
        tasks
        loading
        fast
    """,
    "bertfamily": """
        differences
        roberta distilbert albert electra deberta_v2 modernbert_config
        modernbert
    """,
    "berttools": """
        cli
        pretrain fill grade classify
        __main__
    """,
    "bertbook": """
        records live corpus
        core
        museum reader
        topics
    """,
}
PLACE = {
    package: {room: row for row, line in enumerate(lines.split("\n")) for room in line.split()}
    for package, lines in ROWS.items()
}
ORDER = [*PLACE]
HANDS_ON = {"bertfamily"}  # its __init__ imports the members


def import_order(root: Path) -> list[str]:
    """Hold every import inside the packages to the table."""
    found = []
    for module, path in modules(root).items():
        (package, room), file = room_of(module), path.relative_to(root).as_posix()
        if room and room not in PLACE[package]:
            found.append(f"{file}: ROWS in {Path(__file__).name} has no place for {room!r}.")
            continue
        for line, other in imported(module, path):
            if not _may(package, room, *room_of(other)):
                found.append(
                    f"{file}:{line}: imports {other}, which does not stand in a row above it. Move "
                    "the code to a module that may, or pass what you need as an argument."
                )
    return found


def _may(package: str, room: str, its_package: str, its_room: str) -> bool:
    """Say whether a room of a package may import from another room."""
    if not room:
        return package in HANDS_ON
    if its_package != package:
        return ORDER.index(its_package) < ORDER.index(package)
    own = PLACE[package]
    return its_room == room or (its_room in own and own[its_room] < own[room])
