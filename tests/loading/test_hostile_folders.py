"""Whatever numbers and files a folder holds, the answer comes at once and takes no memory."""

import dataclasses
import os
import time

import pytest
from family_pairs import MEMBERS
from saved_folders import CONFIG, INDEX, WEIGHTS, change_json, in_our_words, small_folder

import bertfamily as family
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.model import BertModel
from minibert.tasks import BertForSequenceClassification

resource = pytest.importorskip("resource", reason="this system does not count memory")
pytestmark = pytest.mark.usefixtures("unchecked")
FIRST = ["roberta", "distilbert", "albert", "deberta v3", "electra", "modernbert"]
HUGE = [10**9, 10**12, 10**40, 0, -1]


def at_once(load):
    """Load what may be refused, but only in a sentence, within two seconds and 100 MB."""
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        load()
        message = ""
    except (ValueError, TypeError, OSError) as error:
        message = in_our_words(error)
    assert time.process_time() - start < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes
    return message


def loads(folder, name):
    """Return what opens a file of a folder: its text, or its model."""
    if name in ("vocab.txt", "tokenizer.json"):
        return lambda: load_tokenizer(folder)
    return lambda: load_pretrained(BertModel, folder)


@pytest.mark.parametrize("count", [1000, 10**40])
def test_more_labels_than_the_weights_have_room_for(tmp_path, count):
    kind = BertForSequenceClassification
    small_folder(tmp_path, kind)
    change_json(tmp_path / CONFIG, num_labels=count)
    message = at_once(lambda: load_pretrained(kind, tmp_path))
    assert f"gives num_labels as {count}, but no side" in message


@pytest.mark.parametrize("count", HUGE)
@pytest.mark.parametrize("member", FIRST)
def test_a_hostile_number_in_every_field(tmp_path, member, count):
    name = MEMBERS[member].name
    config = getattr(family, f"{name}Config")(**MEMBERS[member].fields)
    kind = getattr(family, f"{name}ForSequenceClassification")
    save_pretrained(kind(config), tmp_path)
    good = (tmp_path / CONFIG).read_text("utf-8")
    message = {}
    for field in dataclasses.fields(config):
        value = getattr(config, field.name)
        if type(value) is int:
            (tmp_path / CONFIG).write_text(good, encoding="utf-8")
            change_json(tmp_path / CONFIG, **{field.name: count})
            message[field.name] = at_once(lambda: load_pretrained(kind, tmp_path))
    assert message["vocab_size"] and len(message) >= 6


@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, INDEX, "vocab.txt", "tokenizer.json"])
def test_a_file_of_gigabytes_of_nothing(tmp_path, name):
    small_folder(tmp_path)
    if name == INDEX:
        (tmp_path / WEIGHTS).unlink()
    (tmp_path / name).touch()
    os.truncate(tmp_path / name, 3 * 2**30)
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": true}', encoding="utf-8")
    assert "3221225472 bytes" in at_once(loads(tmp_path, name))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize("name", [CONFIG, WEIGHTS, "vocab.txt", "tokenizer.json"])
@pytest.mark.parametrize("kind", ["pipe", "device", "loop", "folder"])
def test_something_that_is_no_file(tmp_path, name, kind):
    small_folder(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    make = {
        "pipe": os.mkfifo,
        "device": lambda path: os.symlink("/dev/zero", path),
        "loop": lambda path: os.symlink(path, path),
        "folder": os.mkdir,
    }
    make[kind](tmp_path / name)
    assert name in at_once(loads(tmp_path, name))
