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
    """Rank the second sentences of some stories by the cosine to the first ones.

    No two of these sentences are the same, so each has one place: cosines do not tie.
    """
    pairs = pairs or held_out()
    vectors = (chapter.sentence_vectors(model, tokenizer, side) for side in zip(*pairs))
    first, second = (side.numpy() for side in vectors)
    places = ranks_of_right(first @ second.T, range(len(pairs)))
    if (places[:, 0] != places[:, 1]).any():
        raise ValueError("two sentences have the same cosine; store both places of each")
    return places[:, 0].tolist()


def word_scores() -> np.ndarray:
    """Score them by BM25, which knows words and nothing else."""
    firsts, seconds = zip(*held_out())
    index = bm25s.BM25()
    index.index([text.split() for text in seconds], show_progress=False)
    return np.stack([index.get_scores(text.split()) for text in firsts])


def word_ranks() -> list[list[int]]:
    """Give the first and last place of the right one among words' scores, which often tie."""
    return ranks_of_right(word_scores(), range(QUERIES)).tolist()


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


def best_places(scores: np.ndarray) -> list[list[int]]:
    """Give the first and last place of each query's own document; what fits as well is tied."""
    own = scores.diagonal()[:, None]
    tied = np.isclose(scores, own, rtol=0, atol=TIED) | (scores == own)
    return ranks_of_right(np.where(tied, own, scores), range(len(scores))).tolist()


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


def judge_rows() -> dict[str, list[list[int]]]:
    """Let the head for the next sentence sort the ten again that BM25 finds, in one order of ties.

    "one order" is that order itself: the list which is sorted again.
    """
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    stored = load_pretrained(BertForPreTraining, SMALL_WORLD)
    one_order = chapter.one_order(word_scores())
    again = chapter.rerank(stored, tokenizer, one_order, *zip(*held_out()))
    lists = {"one order": one_order, "as pre-trained": again}
    return {name: ranks_of_right(rows, range(QUERIES)).tolist() for name, rows in lists.items()}


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
