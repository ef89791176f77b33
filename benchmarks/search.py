"""Search the small world and a real text by meaning, for Chapter 22.

``python -m benchmarks.search --record`` stores every rank in ``records/search.json``. The pairs
and the vectors are those that the chapter types. What is trained on pairs is in ``search_runs``.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache

import bm25s
import numpy as np
import torch

from bertbook.corpus import Oracle, small_world
from bertbook.records import record_path
from bertbook.topics.search.ranking import ranks_of_right
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.model import BertModel
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

from .real_search import real_ranks
from .records import minutes, origin
from .search_costs import seconds_per_query
from .weights import SMALL_WORLD

RECORD = record_path("search")
COMMAND = "python -m benchmarks.search --record"
QUERIES, HELD_OUT = 300, 77
TIED = 1e-9  # log-odds that differ by less are the same

chapter = chapter_definitions("22-search-by-meaning")
Pairs = Sequence[tuple[str, str]]


@cache
def held_out() -> Pairs:
    """Return the stories that are searched."""
    return chapter.tell_stories(QUERIES, HELD_OUT)


def ranks(model: BertModel, tokenizer: WordPieceTokenizer, pairs: Pairs | None = None) -> list[int]:
    """Rank the second sentences of some stories by the cosine to the first ones."""
    pairs = pairs or held_out()
    vectors = (chapter.sentence_vectors(model, tokenizer, side) for side in zip(*pairs))
    first, second = (side.numpy() for side in vectors)
    return ranks_of_right(first @ second.T, range(len(pairs))).tolist()


def word_ranks() -> list[int]:
    """Rank them by BM25, which knows words and nothing else."""
    firsts, seconds = zip(*held_out())
    index = bm25s.BM25()
    index.index([text.split() for text in seconds], show_progress=False)
    scores = np.stack([index.get_scores(text.split()) for text in firsts])
    return ranks_of_right(scores, range(QUERIES)).tolist()


def stories_of(text: str, side: int) -> set[int]:
    """Find the stories of the world that could have told a sentence as their first or second."""
    found, words = set(), text.split()
    for number, story in enumerate(small_world().stories):
        places = story.sentences[side]
        columns = [
            {row[place.column].partition("/")[0] for row in story.tables[place.table].rows}
            for place in places
        ]
        if len(words) == len(places) and all(w in c for w, c in zip(words, columns, strict=True)):
            found.add(number)
    return found


def best_scores() -> np.ndarray:
    """Compute the log-odds of every pair: by how much the one sentence speaks for the other.

    A document tells one story, so that sentences of two stories cannot belong together.
    """
    sides = [
        [stories_of(text, side) for text in texts] for side, texts in enumerate(zip(*held_out()))
    ]
    together = np.array([[not one.isdisjoint(other) for other in sides[1]] for one in sides[0]])
    firsts, seconds = zip(*held_out())
    chances = np.zeros(together.shape)
    asked = [(firsts[i], seconds[j]) for i, j in np.argwhere(together)]
    chances[together] = Oracle(small_world()).read(asked).is_next
    with np.errstate(divide="ignore"):
        return np.log(chances) - np.log1p(-chances)


def best_places(scores: np.ndarray) -> dict[str, list[int]]:
    """Count for each query what fits better than its own document, and what as well, itself too."""
    own = scores.diagonal()[:, None]
    tied = np.isclose(scores, own, rtol=0, atol=TIED) | (scores == own)
    better = (scores > own) & ~tied
    return {"better": better.sum(axis=1).tolist(), "tied": tied.sum(axis=1).tolist()}


def hard_negatives(pairs: Pairs) -> list[str]:
    """Find for each first sentence the other second one that shares the most words with it."""
    seconds = list(dict.fromkeys(second for _, second in pairs))
    place = {second: number for number, second in enumerate(seconds)}
    index = bm25s.BM25()
    index.index([second.split() for second in seconds], show_progress=False)
    found = []
    for first, second in pairs:
        scores = index.get_scores(first.split())
        scores[place[second]] = -np.inf
        found.append(seconds[int(scores.argmax())])
    return found


def judge_ranks(judge: BertForPreTraining, tokenizer: WordPieceTokenizer) -> list[int]:
    """Let a cross-encoder sort the ten documents again that BM25 finds."""
    firsts, seconds = zip(*held_out())
    index = bm25s.BM25()
    index.index([text.split() for text in seconds], show_progress=False)
    scores = np.stack([index.get_scores(text.split()) for text in firsts])
    return ranks_of_right(
        chapter.rerank(judge, tokenizer, scores, firsts, seconds), range(QUERIES)
    ).tolist()


def judge_rows() -> dict[str, list[int]]:
    """Rerank with the head for the next sentence, which was trained on random pairs."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD)
    return {"as pre-trained": judge_ranks(stored, tokenizer)}


def small_world_rows() -> dict[str, object]:
    """Search with what needs no training on pairs, and as well as anybody could."""
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD).bert
    torch.manual_seed(0)
    untrained = BertModel(stored.config)
    return {
        "words in common (BM25)": word_ranks(),
        "best possible": best_places(best_scores()),
        "before": ranks(stored, tokenizer),
        "untrained": ranks(untrained.eval(), tokenizer),
    }


PARTS = {
    "small_world": small_world_rows,
    "judges": judge_rows,
    "seconds_per_query": lambda: seconds_per_query(held_out()),
    "real": real_ranks,
}


def main() -> None:
    """Measure, and store if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="store what was measured")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[*PARTS], metavar="PART",
                        help="leave the other parts of the record as they are")  # fmt: skip
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    content = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    content |= {"command": COMMAND, "origins": content.get("origins", {})}
    with override(fast_parts()):
        for part in chosen.only:
            before = minutes()
            content[part] = PARTS[part]()
            content["origins"][part] = origin(COMMAND, before)
            print(part, json.dumps(content[part])[:300], flush=True)
    if chosen.record:
        RECORD.write_text(json.dumps(content, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
