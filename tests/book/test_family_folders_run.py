"""The record of the family's folders, and one member of it both ways again."""

import json

import pytest
from effort import mostly_thorough

from benchmarks import family_folders

RECORD = json.loads(family_folders.RECORD.read_text(encoding="utf-8"))["members"]


def test_every_member_has_every_head():
    assert [*RECORD] == [*family_folders.MEMBERS]
    for member, heads in RECORD.items():
        assert [*heads] == family_folders.heads_of(member)


def test_only_modernbert_differs_by_more_than_last_digits():
    largest = {name: max(max(way.values()) for way in heads.values())
               for name, heads in RECORD.items()}  # fmt: skip
    assert largest.pop("ModernBERT") < 1e-5
    assert max(largest.values()) < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize(
    ("member", "head"), mostly_thorough([("ALBERT", "Model"), ("ELECTRA", "ForPreTraining")])
)
def test_a_folder_goes_both_ways_again(tmp_path, member, head):
    assert max(family_folders.both_ways(member, head, tmp_path).values()) < 1e-13
