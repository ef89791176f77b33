"""Let Chapter 14 train deeper, longer, with one question or on true pairs, and see who copies.

A word that the other sentence tells, such as the color of a ball, can only be copied. ``python -m
benchmarks.copying`` makes all runs, seed by seed, and stores them in ``records/copying.json`` (six
minutes of one thread for each run of two layers and 8000 updates, ten with four layers, 22 with
32,000 updates). Stopped, it goes on where it was. ``--run NAME --seed NUMBER`` makes one of the
record again. Each is asked about six tellings of each story, and about those of their words that
the other sentence tells. Runs of one seed share their stories, their first weights and, but for the
true pairs, their batches.
"""

import argparse
import dataclasses
import json
import time
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import torch

from bertbook.corpus import MASK_TOKEN, Oracle, Pair, World, sample_documents
from bertbook.records import record_path
from minibert.data import IS_NEXT, SentencePair, encode_pair
from minibert.data.batches import PretrainingBatches
from minibert.disk import atomic_write
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer
from minibert.wordpiece import WordPieceTokenizer

from .drafts import Draft
from .records import origin
from .small_world import BATCH, DOCUMENTS, HELD_OUT, LONGEST, TERMS, VOCABULARY, chapter, world

RECORD = record_path("copying")
COMMAND = "python -m benchmarks.copying"
TELLINGS, HELPS, POINTS, DRAWS = 6, 0.1, 16, 2000
KINDS = ("pronouns", "names", "other words")


class Run(NamedTuple):
    """What one run has that the run of Chapter 14 has not."""

    layers: int = 2
    updates: int = 8000
    second_question: bool = True
    only_true_pairs: bool = False


RUNS = {
    "2 layers": Run(),
    "no second question": Run(second_question=False),
    "only true pairs": Run(second_question=False, only_true_pairs=True),
    "4 layers": Run(layers=4),
    "32,000 updates": Run(updates=32_000),
}
SEEDS = {name: range(5) for name in RUNS} | {"4 layers": range(1), "32,000 updates": range(1)}


class TruePairs(PretrainingBatches):
    """Every story with its own second sentence; a document is one pair."""

    def _rows(self, order, ends, begin, rng):
        for document in order[begin : begin + self.batches_per_pool * self.batch_size]:
            pair = SentencePair(*self.documents[document], IS_NEXT)
            ids, types = encode_pair(self.tokenizer, pair, self.max_length, rng=rng)
            yield ids, types, IS_NEXT


class Questions(NamedTuple):
    """The words that the other sentence helps with: what is best, and what they are."""

    batches: list[dict]
    helped: np.ndarray  # (riddles,), whether the other sentence helps
    best: np.ndarray  # (helped, words), the oracle's beliefs
    alone: np.ndarray  # (helped, words), those of one who reads one sentence
    kinds: np.ndarray  # (helped,), one of KINDS
    stories: np.ndarray  # (helped,), from which of the world's stories


def losses_of(beliefs: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Compute what somebody with these beliefs pays, by the oracle's probabilities."""
    return -(best * np.log(np.where(best > 0, beliefs, 1))).sum(axis=1)


def kind_of(word: str) -> str:
    """Say whether a word is a pronoun, a name, or another word."""
    if word in {"he", "she", "his", "her", "him"}:
        return "pronouns"
    return "names" if word in {row[0] for row in world.heroes.rows} else "other words"


def ask(tokenizer: WordPieceTokenizer) -> Questions:
    """Tell every story anew, hide every word once, and keep where the other sentence helps."""
    rng, oracle = np.random.default_rng(HELD_OUT + 7), Oracle(world)
    pairs, stories = [], []
    for number, story in enumerate(world.stories):
        for document in sample_documents(World(world.heroes, (story,)), TELLINGS, rng=rng):
            pairs.append(Pair(*document, is_next=True))
            stories.append(number)
    best = np.concatenate(oracle.read(pairs).words)
    alone, words, numbers = [], [], []
    for pair, number in zip(pairs, stories):
        first, second = pair.first.split(), pair.second.split()
        no_first, no_second = [MASK_TOKEN] * len(first), [MASK_TOKEN] * len(second)
        rows = oracle.read([(first, no_second), (no_first, second)]).words
        alone += [*rows[0][: len(first)], *rows[1][len(first) :]]
        words += [*first, *second]
        numbers += [number] * (len(first) + len(second))
    alone = np.array(alone)
    helped = losses_of(alone, best) - losses_of(best, best) > HELPS
    return Questions(
        list(chapter.hide_each_word(tokenizer, pairs)),
        helped,
        best[helped],
        alone[helped],
        np.array([kind_of(word) for word in words])[helped],
        np.array(numbers)[helped],
    )


@torch.no_grad()
def answers(model: torch.nn.Module, asked: Questions, word_ids: list[int]) -> np.ndarray:
    """Compute what the model pays for each of the words that the other sentence helps with."""
    model.eval()
    beliefs, start = [], 0
    for batch in asked.batches:
        chosen = torch.from_numpy(asked.helped[start : start + len(batch["labels"])])
        start += len(batch["labels"])
        if chosen.any():
            rows = {name: tensor[chosen] for name, tensor in batch.items()}
            states = model.bert(
                rows["input_ids"], rows["attention_mask"], rows["token_type_ids"]
            ).last_hidden_state
            scores = model.cls.predictions(states[rows["labels"] != -100])
            beliefs.append(scores.double().softmax(-1)[:, word_ids].numpy())
    return losses_of(np.concatenate(beliefs), asked.best)


def means_of(losses: np.ndarray, asked: Questions) -> dict[str, float]:
    """Take the mean over the words of each kind."""
    return {kind: round(float(losses[asked.kinds == kind].mean()), 4) for kind in KINDS}


def intervals_of(losses: np.ndarray, asked: Questions) -> dict[str, list[float]]:
    """Draw stories again, with replacement; keep the middle 95 % of the means."""
    rng, found = np.random.default_rng(0), {}
    draws = rng.integers(len(world.stories), size=(DRAWS, len(world.stories)))
    for kind in KINDS:
        chosen = asked.kinds == kind
        size = len(world.stories)
        sums = np.bincount(asked.stories[chosen], losses[chosen], size)
        counts = np.bincount(asked.stories[chosen], minlength=size)
        means = sums[draws].sum(1) / counts[draws].sum(1)
        found[kind] = [round(float(end), 4) for end in np.quantile(means, (0.025, 0.975))]
    return found


class Watched(BertTrainer):
    """A trainer that asks about the words to be copied when it evaluates."""

    asked: Questions
    word_ids: list[int]

    def evaluate(self, batches):
        """Return the mean loss on the words of each kind; ``batches`` are the questions'."""
        losses = answers(self.model, self.asked, self.word_ids)
        return {"loss": float(losses.mean()), **means_of(losses, self.asked)}


def read_stories(seed: int) -> tuple[list, WordPieceTokenizer]:
    """Tell the stories that a seed trains on, and learn their word pieces."""
    documents = sample_documents(world, DOCUMENTS, rng=np.random.default_rng(seed))
    texts = chain.from_iterable(documents)
    return documents, WordPieceTokenizer.train(texts, vocab_size=VOCABULARY)


def new_model(plan: Run, tokenizer: WordPieceTokenizer, seed: int) -> BertForPreTraining:
    """Make the model of the chapter, or one like it with more layers."""
    model = chapter.small_bert(tokenizer, seed)
    if plan.layers == model.config.num_hidden_layers:
        return model
    config = dataclasses.replace(model.config, num_hidden_layers=plan.layers)
    torch.manual_seed(seed)
    return BertForPreTraining(config)


def make(name: str, seed: int) -> dict:
    """Make one run, and say what it pays on the way and at the end."""
    wall, cpu, plan = time.perf_counter(), time.process_time(), RUNS[name]
    documents, tokenizer = read_stories(seed)
    terms = dict(list(TERMS.items())[: 1 + plan.second_question])
    settings = chapter.small_plan(plan.updates, seed, plan.updates // POINTS)
    model = new_model(plan, tokenizer, seed)
    trainer = Watched(model, settings, device="cpu", terms=terms, show_progress=False)
    asked = ask(tokenizer)
    trainer.asked, trainer.word_ids = asked, [tokenizer.vocab[w] for w in Oracle(world).words]
    batches = (TruePairs if plan.only_true_pairs else PretrainingBatches)(
        documents, tokenizer, batch_size=BATCH, seed=seed, max_length=LONGEST
    )
    history = trainer.fit(batches, asked.batches)
    losses = answers(trainer.model, asked, trainer.word_ids)
    return {
        "seed": seed,
        "mean": means_of(losses, asked),
        "interval": intervals_of(losses, asked),
        "curve": [
            {"step": record["step"], **{kind: record[f"eval_{kind}"] for kind in KINDS}}
            for record in history
            if "eval_loss" in record
        ],
        "seconds": round(time.perf_counter() - wall),
        "processor_seconds": round(time.process_time() - cpu),
        "origin": origin(COMMAND, cpu / 60),
    }


def bounds(tokenizer: WordPieceTokenizer) -> dict:
    """Say what the oracle pays, and one who reads one sentence only."""
    asked = ask(tokenizer)
    best, alone = losses_of(asked.best, asked.best), losses_of(asked.alone, asked.best)
    return {
        "riddles": {kind: int((asked.kinds == kind).sum()) for kind in KINDS},
        "stories": {kind: len({*asked.stories[asked.kinds == kind]}) for kind in KINDS},
        "both_sentences": means_of(best, asked),
        "one_sentence": means_of(alone, asked),
    }


def missing(runs: dict) -> list[tuple[str, int]]:
    """List the runs that are not there yet, seed by seed."""
    made = {(name, run["seed"]) for name in runs for run in runs[name]["seeds"]}
    wanted = [(name, seed) for name, seeds in SEEDS.items() for seed in seeds]
    return sorted({*wanted} - made, key=lambda run: (run[1], [*RUNS].index(run[0])))


def put(runs: dict, name: str, run: dict) -> None:
    """Put one run beside the others, in the place of an older one with its seed."""
    others = [old for old in runs.get(name, {"seeds": []})["seeds"] if old["seed"] != run["seed"]]
    runs[name] = {**RUNS[name]._asdict(), "seeds": sorted([*others, run], key=itemgetter("seed"))}


def store(runs: dict) -> None:
    """Write the record."""
    limits, ordered = bounds(read_stories(0)[1]), {known: runs[known] for known in RUNS}
    content = {"command": COMMAND, "bounds": limits, "runs": ordered}
    with atomic_write(RECORD) as path:
        path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Make all runs, or the one that is asked for, and store them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--run", choices=RUNS, help="make this one again; without it, all")
    parser.add_argument("--seed", type=int, default=0, help="with which seed")
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    draft = Draft(RECORD)
    runs = json.loads(RECORD.read_text("utf-8"))["runs"] if wanted.run else draft.read({})
    with override(fast_parts()):
        for name, seed in [(wanted.run, wanted.seed)] if wanted.run else missing(runs):
            run = make(name, seed)
            print(name, seed, run["mean"], run["processor_seconds"], flush=True)
            put(runs, name, run)
            if not wanted.run:
                draft.keep(runs)
        store(runs)
    if not wanted.run:
        draft.done()


if __name__ == "__main__":
    main()
