"""What a tagger reads from a word, and what from the words around it (Chapter 17).

``python -m benchmarks.tag_controls --record`` trains the taggers of ``benchmarks.tag_and_answer``
again, five seeds, and stores ``records/tag_controls.json`` (five minutes of one core). The same
words are put into the place of a name of one word and into that of a common word; how often each
is taken for a name is the answer. Then the words around the names are put into another order.
"""

import argparse
import json
import random
from collections.abc import Callable, Sequence

import torch

from bertbook.corpus import TaggedSentence, entity_sentences, glosses_file
from bertbook.records import record_path
from bertbook.topics.tag.tagging import find_entities
from berttools.classify.table import read_table
from minibert.disk import atomic_write
from minibert.loading import load_tokenizer
from minibert.wordpiece import WordPieceTokenizer

from .fitting import fit
from .records import origin
from .scores import entity_counts, without_kinds
from .tag_and_answer import SEEDS, TAGGER, TAGS, new_models, tag
from .weights import minilm_folder

RECORD, COMMAND = record_path("tag_controls"), "python -m benchmarks.tag_controls --record"
RARE_PIECES = 3  # a real word that is cut into at least so many pieces

Fill = Callable[[str, random.Random], str]


def places(sentences: Sequence[TaggedSentence]) -> dict[str, list[tuple[int, int]]]:
    """Choose in each sentence a name of one word and a common word, where there are any."""
    rng, found = random.Random(18), {"in the place of a name": [], "elsewhere": []}
    for number, (words, tags) in enumerate(sentences):
        names = [name.start for name in find_entities(tags) if name.end == name.start + 1]
        common = [n for n, word in enumerate(words) if tags[n] == "O" and _is_common(word)]
        for name, some in zip(found, (names, common), strict=True):
            if some:
                found[name].append((number, rng.choice(some)))
    return found


def _is_common(word: str) -> bool:
    return word.isalpha() and len(word) > 3


def fills(sentences: Sequence[TaggedSentence], tokenizer: WordPieceTokenizer) -> dict[str, Fill]:
    """Say what is put into a place: the word itself, and words that are ever less known."""
    pairs = [pair for words, tags in sentences for pair in zip(words, tags, strict=True)]
    common = sorted({word for word, tag in pairs if tag == "O" and _is_common(word)
                     and word.islower() and len(tokenizer.tokenize(word)) == 1})  # fmt: skip
    texts = " ".join(read_table(glosses_file(), "gloss", "kind").texts).split()
    rare = sorted({word for word in texts if word.isalpha() and word.islower()
                   and len(tokenizer.tokenize(word)) >= RARE_PIECES})  # fmt: skip
    return {
        "the word itself": lambda word, rng: word,
        "another common word": lambda word, rng: rng.choice(common),
        "a real word of many pieces": lambda word, rng: rng.choice(rare),
        "an invented word": lambda word, rng: tag.invent(rng),
        "[MASK]": lambda word, rng: "[MASK]",
    }


def put(
    sentences: Sequence[TaggedSentence], chosen: Sequence[tuple[int, int]], fill: Fill
) -> list[tuple[tuple[str, ...], Sequence[str]]]:
    """Put another word into the chosen place of each sentence."""
    rng, changed = random.Random(19), []
    for number, place in chosen:
        words, tags = sentences[number]
        changed.append(((*words[:place], fill(words[place], rng), *words[place + 1 :]), tags))
    return changed


def shuffled(sentences: Sequence[TaggedSentence]) -> list[tuple[tuple[str, ...], Sequence[str]]]:
    """Leave the names where they are, and put the other words into another order."""
    rng, changed = random.Random(20), []
    for words, tags in sentences:
        others = [word for word, tag in zip(words, tags, strict=True) if tag == "O"]
        mixed = iter(rng.sample(others, len(others)))
        row = tuple(next(mixed) if t == "O" else w for w, t in zip(words, tags, strict=True))
        changed.append((row, tags))
    return changed


def ask(seed: int) -> dict:
    """Train a tagger, and put the words into both kinds of places."""
    tokenizer, sentences = load_tokenizer(minilm_folder()), entity_sentences("test")
    model, _ = new_models(seed)
    rows = tag.tag_rows(tokenizer, entity_sentences("train"), TAGS)
    fit(model, tokenizer, rows, TAGGER, seed, {"loss": "labels"}, ("labels",))
    taken = {}
    for name, chosen in places(sentences).items():
        for title, fill in fills(sentences, tokenizer).items():
            found = tag.find_names(model, tokenizer, put(sentences, chosen, fill))
            hits = [any(e.start <= place < e.end for e in names)
                    for (_, place), names in zip(chosen, found, strict=True)]  # fmt: skip
            taken.setdefault(title, {})[name] = "".join(str(int(hit)) for hit in hits)
    true = [find_entities(sentence.tags) for sentence in sentences]
    mixed = tag.find_names(model, tokenizer, shuffled(sentences))
    counts = entity_counts(*map(without_kinds, (mixed, true)))
    return {"seed": seed, "taken": taken, "shuffled_end_counts": counts}


def main() -> None:
    """Ask all taggers, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="store the result")
    wishes = parser.parse_args()
    torch.set_num_threads(1)
    runs = []
    for seed in SEEDS:
        runs.append(ask(seed))
        for title, places_taken in runs[-1]["taken"].items():
            shares = (f"{hits.count('1')} of {len(hits)}" for hits in places_taken.values())
            print(seed, title, *shares, flush=True)
    if wishes.record:
        with atomic_write(RECORD) as draft:
            report = {"command": COMMAND, "origin": origin(COMMAND), "runs": runs}
            draft.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
