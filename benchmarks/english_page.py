"""Pack the BERT of the King James Bible for the page, and measure what eight bits cost it.

``python -m benchmarks.english_page --record`` takes a model that ``python -m benchmarks.english``
has trained, stores it in eight bits in ``records/english``, with the pairs of pieces that its rival
has counted, and stores in ``records/english_page.json`` how each of the three does on verses that
none of them has read (a minute of one thread). Without ``--record`` it measures only. Each verse is
asked alone, as in the page, with 15 % of its pieces hidden.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int

from bertbook.core.bigram_chain import BigramChain
from bertbook.core.eight_bits import load_from_eight_bits, save_in_eight_bits
from bertbook.corpus.kjv.chapters import Chapter, kjv_parts
from bertbook.records import HERE, record_path
from minibert.loading import load_pretrained, load_tokenizer
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

from .english import FOLDER
from .records import origin

TRAINED = FOLDER / "wide-20000-0"
STORED, RECORD = HERE / "english", record_path("english_page")
COMMAND = "python -m benchmarks.english_page --record"
PARTS = ("chapters", "books")
HIDDEN, SEED = 0.15, 0  # the share of pieces
VERSES, FEW = 100_000, 60  # at most so many verses of each part; so many, which a test asks again

Row = Int[np.ndarray, " seq"]
Answers = Callable[[Row, int], Float[np.ndarray, "masks vocab"]]


def rows_of(chapters: Sequence[Chapter], tokenizer: WordPieceTokenizer) -> list[Row]:
    """Turn each verse into a row of ids."""
    return [np.array(tokenizer.encode(verse)) for chapter in chapters for verse in chapter.verses]


def hide(row: Row, mask_token_id: int, rng: np.random.Generator) -> tuple[Row, Row]:
    """Hide a share of the pieces, one at least; return the row, and what stood there."""
    count = max(1, round(HIDDEN * (len(row) - 2)))
    places = np.sort(rng.permutation(len(row) - 2)[:count] + 1)
    hidden = row.copy()
    hidden[places] = mask_token_id
    return hidden, row[places]


def answers_of(model: BertForPreTraining) -> Answers:
    """Give what a model says of a row, as the page asks it."""

    @torch.no_grad()
    def answers(row: Row, mask_token_id: int) -> Float[np.ndarray, "masks vocab"]:
        logits = model(torch.tensor(row)[None]).prediction_logits[0]
        return logits[torch.tensor(row == mask_token_id)].softmax(-1).numpy()

    return answers


def ask(
    rows: Sequence[Row], mask_token_id: int, answers: Answers
) -> tuple[dict[str, float], Int[np.ndarray, " hidden"]]:
    """Hide pieces, always the same; tell the mean loss, how often it is right, and what it says."""
    rng = np.random.default_rng(SEED)
    losses, truths, said = [], [], []
    for row in rows:
        hidden, truth = hide(row, mask_token_id, rng)
        probs = answers(hidden, mask_token_id)
        losses.append(-np.log(probs[np.arange(len(truth)), truth]))
        truths.append(truth)
        said.append(probs.argmax(-1))
    truth, first = np.concatenate(truths), np.concatenate(said)
    means = {"loss": np.concatenate(losses).mean(), "right": (first == truth).mean()}
    return {name: round(mean.item(), 4) for name, mean in means.items()}, first


def measure(rows: Sequence[Row], mask_token_id: int, who: dict[str, Answers]) -> dict[str, Any]:
    """Ask all the same; tell what each comes to, and how often eight bits change the answer."""
    asked = {name: ask(rows, mask_token_id, answers) for name, answers in who.items()}
    first = {name: said for name, (_, said) in asked.items()}
    return {
        "hidden": len(first["8 bits"]),
        **{name: means for name, (means, _) in asked.items()},
        "changed": round((first["32 bits"] != first["8 bits"]).mean().item(), 4),
    }


def main() -> None:
    """Pack, measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"store model and {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    tokenizer = load_tokenizer(TRAINED, do_lower_case=True)
    model = load_pretrained(BertForPreTraining, TRAINED)
    parts = kjv_parts()
    counted = rows_of(parts.train, tokenizer)
    rival = BigramChain.count_pairs(counted, tokenizer.vocab_size)
    with tempfile.TemporaryDirectory() as temporary:
        packed = STORED if record else Path(temporary)
        save_in_eight_bits(TRAINED, packed)
        rival.save(packed)
        in_eight_bits = load_from_eight_bits(BertForPreTraining, packed)
    who = {"32 bits": answers_of(model), "8 bits": answers_of(in_eight_bits)}
    who["counts"] = rival.answers
    content: dict[str, Any] = {"command": COMMAND}
    for name in PARTS:
        rows = rows_of(getattr(parts, name), tokenizer)[:VERSES]
        content[name] = measure(rows, tokenizer.mask_token_id, who)
        print(name, json.dumps(content[name], indent=1), flush=True)
    first = rows_of(parts.chapters, tokenizer)[:FEW]
    content["first verses"] = measure(first, tokenizer.mask_token_id, who)
    if record:
        content["origin"] = origin(COMMAND)
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
