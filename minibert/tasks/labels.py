"""The names of labels and the type of problem, under Hugging Face's keys. Chapter 16."""

import re
from collections.abc import Mapping
from typing import Any

from minibert.inputs import require_number

#: What a classifier may be trained for, under Hugging Face's names.
PROBLEM_TYPES = ("regression", "single_label_classification", "multi_label_classification")


def name_labels(num_labels: int | None, id2label: Mapping[int, str] | None) -> dict[int, str]:
    """Name every label: as given, or LABEL_0, LABEL_1 and so on."""
    if id2label is None:
        count = 2 if num_labels is None else num_labels
        require_number("num_labels", count, 1, why="; nearest is 1")
        id2label = {number: f"LABEL_{number}" for number in range(count)}
    if num_labels is not None and num_labels != len(id2label):
        raise ValueError(
            f"num_labels ({num_labels}) does not fit id2label, which names {len(id2label)}; "
            "give one of the two"
        )
    if not id2label or set(id2label) != set(range(len(id2label))):
        raise ValueError(
            f"id2label names the labels {sorted(id2label)}; name each number from 0 on, and at "
            "least one"
        )
    if len(set(id2label.values())) < len(id2label):
        raise ValueError(f"id2label ({dict(id2label)}) gives a name twice; give each its own")
    return {number: id2label[number] for number in range(len(id2label))}


def read_labels(fields: Mapping[str, Any]) -> dict[int, str]:
    """Read the names of the labels from the fields of a config.json of Hugging Face's."""
    names = fields.get("id2label")
    if names is None:
        return name_labels(fields.get("num_labels"), None)
    if not isinstance(names, Mapping) or not all(isinstance(n, str) for n in names.values()):
        raise TypeError(f"id2label must be an object from numbers to names, not {names!r}")
    if odd := [number for number in names if not re.fullmatch(r"0|[1-9][0-9]{0,8}", str(number))]:
        raise ValueError(f"id2label names {odd[0]!r}; each label is a number, counted from 0 on")
    return name_labels(None, {int(number): name for number, name in names.items()})


def write_labels(id2label: Mapping[int, str]) -> dict[str, Any]:
    """Return the names of the labels as fields of Hugging Face's config.json."""
    return {
        "id2label": {str(number): name for number, name in id2label.items()},
        "label2id": {name: number for number, name in id2label.items()},
    }
