"""Of each record a piece is measured again, and chapters show what the records say."""

import ast
import importlib
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from definitions import chapter_code, chapter_definitions, stopped_after
from torch.utils.flop_counter import FlopCounterMode

from bertbook import corpus
from bertbook.core import seed_everything
from bertbook.core.bigram_chain import BigramChain
from bertbook.core.eight_bits import load_from_eight_bits
from bertbook.core.metrics import score_answers
from bertbook.records import record_of, trained_folder
from minibert.fast import fast_parts
from minibert.loading import load_pretrained, load_tokenizer
from minibert.parts import override
from minibert.pretraining import BertForPreTraining
from minibert.training import BertTrainer, TrainingConfig
from minibert.wordpiece import WordPieceTokenizer

SMALL_WORLD = trained_folder("small-world")
PIECES = []

pytestmark = pytest.mark.usefixtures("one_thread", "unchecked", "minilm")


def benchmark(name):
    """Import a program of benchmarks only when its piece is asked for."""
    return importlib.import_module(f"benchmarks.{name}")


def piece(tolerance=0.0, marks=()):
    """Enter a function that yields pairs: what is measured now, and what the record tells."""

    def enter(function):
        PIECES.append(pytest.param(function, tolerance, id=function.__name__, marks=marks))
        return function

    return enter


def same(found, told, tolerance):
    """Compare two nested reports, number by number."""
    if isinstance(told, dict):
        assert found.keys() == told.keys()
        for name, value in told.items():
            same(found[name], value, tolerance)
    elif isinstance(told, list | tuple) and any(isinstance(v, list | dict | str) for v in told):
        for one, other in zip(found, told, strict=True):
            same(one, other, tolerance)
    elif isinstance(told, str):
        assert found == told
    else:
        np.testing.assert_allclose(found, told, rtol=0, atol=tolerance)


# --- Toys ----------------------------------------------------------------------------------------


@piece(2e-3)
def toys():
    found = corpus.masked_word_ladder(corpus.hundred_sentences())._asdict()
    yield found, record_of("toy_parts")["ladder"]
    order, back, parts = map(benchmark, ("order", "three_back", "toy_parts"))
    for row in record_of("order")["rows"][:2]:
        yield order.measure(row["name"], 0, order.FIRST)["seen"], row["after_ten_updates"]
    for row in record_of("three_back")["rows"][:2]:
        found = back.measure(row["name"], 0, row["rate"], back.FIRST)["loss"]
        yield found, row["after_ten_updates"]
    rows = {row.name: row for row in benchmark("toy_rows").ROWS}
    for row in record_of("toy_parts")["rows"][:2]:
        found = parts.measure(rows[row["name"]], [0], row["learning_rate"], parts.FIRST)["loss"][0]
        yield found, row["after_ten_updates"]


@piece(2e-3)
def a_run_of_chapter_5():
    toy = chapter_definitions("05-a-toy-bert")
    run = next(r for r in record_of("toy_bert")["runs"] if r["positions"] and r["dropout"])
    words = (*corpus.vocabulary(corpus.hundred_sentences())[1:], "[MASK]")
    encoded = [toy.look_up(sentence.split(), words) for sentence in corpus.hundred_sentences()]
    hidden_words = toy.hide_every_word(encoded, words.index("[MASK]"))
    torch.set_default_dtype(torch.float64)
    seed_everything(run["seed"])
    model = toy.ToyBert(89, positions=9, spread=0.1, rate=run["dropout"])
    generator = torch.Generator().manual_seed(run["seed"])
    losses = [toy.exhaustive_loss(model, hidden_words)]
    for step, _ in enumerate(toy.train_in_batches(model, hidden_words, 200, generator), start=1):
        if step % 4 == 0:
            losses.append(toy.exhaustive_loss(model, hidden_words))
    torch.set_default_dtype(torch.float32)
    yield losses, run["losses"]


@piece(2e-2)
def the_first_updates_of_chapter_13():
    runs, told = benchmark("training_runs"), record_of("training_runs")["broken"]["runs"]
    plan = TrainingConfig(max_steps=160, warmup_steps=30, learning_rate=0.01, seed=0)
    with override(fast_parts()):
        log = runs.LogUntilStopped([], every=1000, save_at=6)
        model, start = runs.chapter.new_run(runs.sizes(runs.DEPTH, runs.DROPOUT), plan)
        data = runs.chapter.SentenceBatches(runs.tokenizer, runs.train_texts, runs.ROWS, 0)
        with pytest.raises(runs.StoppedError):
            runs.changed_loop("healthy")(model, start, data, plan, log)
    yield log.losses, told["healthy"]["losses"][:6]
    yield log.norms, told["healthy"]["norms"][:6]


# --- The small world -----------------------------------------------------------------------------


@piece(6e-5)
def the_ladder_of_the_small_world():
    found = corpus.world_ladder(corpus.small_world(), 1040)._asdict()
    yield found, record_of("small_world")["ladder"]


@piece(2e-3, marks=pytest.mark.thorough)
def the_first_updates_of_the_small_world():
    """The 250 updates before the first point of the curve."""
    program, told = benchmark("small_world"), record_of("small_world")["runs"][0]["curve"][0]
    typed = chapter_definitions("14-pre-train-a-small-world")
    tokenizer = WordPieceTokenizer.load(SMALL_WORLD / "vocab.txt")
    documents = program.sample_documents(corpus.small_world(), 60_000, rng=np.random.default_rng(0))
    batches = program.PretrainingBatches(documents, tokenizer, batch_size=32, seed=0, max_length=40)
    terms = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
    with override(fast_parts()):
        model = typed.small_bert(tokenizer, 0)
    plan = typed.small_plan(8000, 0, 250)
    trainer = BertTrainer(model, plan, device="cpu", terms=terms, show_progress=False)
    with stopped_after(251):
        trainer.fit(batches)
    yield {name: trainer.history[0][name] for name in terms}, {name: told[name] for name in terms}


def test_the_switch_for_a_full_run_of_the_small_world_trains(capsys):
    """The cell that a chapter stores with its switch off, with tiny constants and its switch on."""
    name = "14-pre-train-a-small-world"
    (cell,) = [code for code in chapter_code(name) if code.startswith("RUN_IT")]
    for told, tiny in (("False, 8000", "True, 2"), ("60_000", "64")):
        assert cell.count(told) == 1
        cell = cell.replace(told, tiny)
    typed, tokenizer = chapter_definitions(name), WordPieceTokenizer.load(SMALL_WORLD / "vocab.txt")
    pairs = corpus.sample_pairs(corpus.small_world(), 1, rng=np.random.default_rng(0))
    terms = {"masked_lm_loss": "labels", "next_sentence_loss": "next_sentence_label"}
    names = {"world": corpus.small_world(), "tokenizer": tokenizer, "device": "cpu", "TERMS": terms,
             "small_test": list(typed.hide_each_word(tokenizer, pairs))}  # fmt: skip
    typed.new_trainer.__globals__.update(names)
    capsys.readouterr()
    exec(cell, typed.new_trainer.__globals__)
    assert set(ast.literal_eval(capsys.readouterr().out)) >= {"loss", *terms}


@piece(2e-3)
def heads_of_the_small_world():
    inside, told = benchmark("looking_inside.encoders"), record_of("looking_inside")["small world"]
    model, tokenizer = inside.load(SMALL_WORLD, BertForPreTraining)
    encoder = inside.Encoder(model.bert, tokenizer)
    people = benchmark("looking_inside.people").people_of(encoder)
    yield people["chosen"], told["people"]["chosen"]


@piece(0.01)
def search_in_the_small_world():
    search, told = benchmark("search"), record_of("search")
    with override(fast_parts()):
        model = load_pretrained(BertForPreTraining, SMALL_WORLD)
    tokenizer = load_tokenizer(SMALL_WORLD, do_lower_case=True)
    yield search.word_ranks(), told["small_world"]["words in common (BM25)"]
    ranks = search.ranks(model.bert, tokenizer)
    yield np.mean(1 / np.array(ranks)), np.mean(1 / np.array(told["small_world"]["before"]))


# --- A real encoder ------------------------------------------------------------------------------


@piece(1e-3, marks=pytest.mark.thorough)
def maps_and_senses_of_the_real_encoder():
    encoders, told = benchmark("looking_inside.encoders"), record_of("looking_inside")
    real = encoders.Encoder(*encoders.load(benchmark("weights").minilm_folder()))
    texts = [request.text for request in corpus.service_requests("validation")]
    for name, values in benchmark("looking_inside.heads").head_measures(real, texts).items():
        yield values.mean(axis=0), told["heads"]["measures"][name]["mean"]
    senses = benchmark("looking_inside.words").senses_of(real)
    yield senses["words"], told["senses"]["words"]
    yield senses["gap"], told["senses"]["gap"]


@piece(2e-4)
def one_word_in_twenty_sentences():
    one_word, similarities = map(benchmark, ("one_word", "similarities"))
    folder = benchmark("weights").minilm_folder()
    found = one_word.summary(one_word.similarities(folder))
    yield found, {name: record_of("one_word")[name] for name in found}
    yield similarities.similarities(folder), record_of("similarities")["similarities"]


@piece()
def word_counts_of_the_requests():
    classify = benchmark("classify")
    methods = {(m["task"], m["encoder"], m["method"]): m for m in record_of("classify")["methods"]}
    for name, task in classify.TASKS.items():
        for method, answers in classify.word_counts(task).items():
            told = methods[name, "none", method]["runs"][0]["test_answers"]
            yield "".join(map(str, answers["test"])), told


@piece(0.01, marks=pytest.mark.thorough)
def a_linear_run_on_own_data():
    own, told = benchmark("own_data"), record_of("own_data")
    found = own.linear(own.frozen_vectors("word table")["word table"], own.METHODS[0], 0)
    runs = {(run["method"], run["seed"]): run for run in told["linear"]["word table"]}
    yield found["danger"], runs[own.METHODS[0], 0]["danger"]
    yield own.ceiling(), told["ceiling"]


@piece(2e-3, marks=pytest.mark.thorough)
def the_first_loss_of_the_tagger():
    told, trainers = record_of("tag_and_answer"), []
    plan, program = told["plans"]["tagger"], benchmark("tag_and_answer")
    tagging, tags = chapter_definitions("17-tag"), program.TAGS

    def keep(*arguments, **settings):
        trainers.append(BertTrainer(*arguments, **settings))
        return trainers[-1]

    tagging.fine_tune.__globals__["BertTrainer"] = keep
    folder = benchmark("weights").minilm_folder()
    torch.manual_seed(0)
    model = tagging.new_tagger(folder, tags)
    rows = tagging.tag_rows(load_tokenizer(folder), corpus.entity_sentences("train"), tags)
    batches = tagging.TaskBatches(
        rows, seed=0, batch_size=plan["batch_size"], pad_token_id=0, per_token=("labels",)
    )
    wishes = {"epochs": plan["epochs"], "rate": plan["rate"], "terms": {"loss": "labels"}}
    with stopped_after(len(batches) // 2 + 1):
        tagging.fine_tune(model, batches, seed=0, **wishes)
    yield trainers[0].history[0]["loss"], told["runs"][0]["tagger"]["losses"][0]


@piece(marks=pytest.mark.thorough)
def names_of_verses_by_counted_letters_and_words():
    program = benchmark("verse_names")
    yield program.right(program.verse_names(), program.counted), record_of("verse_names")[
        "right"]["counted"]  # fmt: skip


# --- Other encoders, and the machine -------------------------------------------------------------


@piece(1e-13)
def a_folder_of_the_family_both_ways():
    with TemporaryDirectory() as folder:
        found = benchmark("family_folders").both_ways("ALBERT", "Model", Path(folder))
    yield [*found.values()], [0.0] * len(found)


@piece()
def two_encoders_that_are_asked_for_every_invariant():
    rows = {row["encoder"]: row["answers"] for row in record_of("museum_matrix")["encoders"]}
    for name in ("BERT", "FNet"):
        yield benchmark("museum_matrix").ask(name)["answers"] == rows[name], True


@piece()
def counts_of_the_roofline():
    roofline, parts = benchmark("roofline"), record_of("roofline")["parts"]
    rows, seq = roofline.BATCHES[0]
    for name, part in roofline.parts_of(rows, seq, "cpu").items():
        counted = {"operations": part.operations, "bytes": roofline.NUMBER * part.numbers}
        yield counted, parts[f"{name}, {rows} × {seq}"]


@piece(5e-3)
def the_first_verses_in_eight_bits_and_with_counts_of_pairs():
    page, told = benchmark("english_page"), record_of("english_page")["first verses"]
    tokenizer = load_tokenizer(page.STORED, do_lower_case=True)
    rows = page.rows_of(corpus.kjv_parts().chapters, tokenizer)[: page.FEW]
    model = load_from_eight_bits(BertForPreTraining, page.STORED)
    counts = BigramChain.load(page.STORED, tokenizer.vocab_size)
    for name, answers in (("8 bits", page.answers_of(model)), ("counts", counts.answers)):
        yield page.ask(rows, tokenizer.mask_token_id, answers)[0], told[name]


@piece(0.03, marks=pytest.mark.thorough)
def a_run_of_the_shoot_out():
    shoot_out, name = benchmark("shoot_out"), "DistilBERT, alone"
    runs = [run for run in record_of("shoot_out")["runs"] if run["member"] == name]
    told = next(r for r in runs if (r["part"], r["learning_rate"]) == ("rates", 3e-3))
    again = shoot_out.make_run(name, "rates", told["seed"], 3e-3, told["updates"])
    yield again["masked_lm_loss"], told["masked_lm_loss"]


@pytest.mark.slow
@pytest.mark.parametrize(("measured", "tolerance"), PIECES)
def test_a_piece_of_a_record_comes_out_again(measured, tolerance):
    pairs = [*measured()]
    assert pairs
    for found, told in pairs:
        same(found, told, tolerance)


# --- What follows from a record ------------------------------------------------------------------


def accuracy(answers, truths):
    return statistics.mean(int(a) == t for a, t in zip(answers, truths, strict=True))


def test_scores_follow_from_the_answers():
    truths = {
        "requests": [corpus.REQUEST_LABELS.index(r.label) for r in corpus.service_requests("test")],
        "pairs": [corpus.PAIR_LABELS.index(p.label) for p in corpus.question_pairs("test")],
    }
    classified = [
        (run, truths[method["task"]])
        for method in record_of("classify")["methods"]
        for run in method["runs"]
    ]
    for run, truth in classified:
        assert run["test_accuracy"] == pytest.approx(accuracy(run["test_answers"], truth), abs=1e-4)
    spans = [[span.text for span in asked.answers] for asked in corpus.passage_questions("test")]
    for run in record_of("tag_and_answer")["runs"]:
        told = score_answers(run["reader"]["test_answers"], spans)
        assert run["reader"]["test"]["f1"] == pytest.approx(told.f1, abs=6e-5)


def test_whoever_sees_no_question_answers_all_of_a_passage_alike():
    parts = benchmark("tag_and_answer").asked_questions({"question": False})
    asked = corpus.passage_questions("test")
    assert parts["test"] == [each._replace(question="") for each in asked]
    record = record_of("tag_and_answer")

    def answers_of(run):
        told = zip(asked, run["reader"]["test_best_spans"], strict=True)
        return {(each.context, answer) for each, answer in told}

    passages = len({each.context for each in asked})
    assert [len(answers_of(run)) for run in record["without_question"]["runs"]] == [passages] * 2
    assert min(len(answers_of(run)) for run in record["runs"]) > 5 * passages


def test_a_rate_was_chosen_by_validation_on_other_seeds_than_are_told():
    for method in record_of("classify")["methods"]:
        if choices := method.get("choices"):
            rate = min(choices, key=lambda choice: choice["validation_loss"])["learning_rate"]
            assert {run["learning_rate"] for run in method["runs"]} == {rate}
    own = record_of("own_data")
    assert {choice["seed"] for choice in own["choices"]} == {benchmark("own_data").CHOICE_SEED}
    for run in own["runs"]:
        assert run["learning_rate"] == benchmark("own_data").rate_of(own, run["method"])


def test_nobody_is_better_than_possible():
    floor = corpus.masked_word_ladder(corpus.hundred_sentences()).full
    assert all(min(row["runs"]["loss"]) > floor - 5e-5 for row in record_of("toy_parts")["rows"])
    world = record_of("small_world")
    floor = world["floors"]["corrupted"]["masked_word"]
    for run in world["runs"]:
        assert run["masked_lm_loss"] > floor["value"] - 4 * floor["error"]
        assert run["accuracy"] <= world["floors"]["corrupted"]["accuracy"]["value"]
    shots = record_of("shoot_out")
    limit = shots["floor"]["value"] - 3 * shots["floor"]["error"]
    losses = [run["masked_lm_loss"] for run in shots["runs"] if run.get("masked_lm_loss")]
    assert len(losses) > 50 and min(losses) > limit


def test_no_writer_and_no_story_is_in_two_parts():
    own, search = benchmark("own_data"), benchmark("search")
    early, _ = own.letters_of()
    for seed in own.SEEDS:
        parts = own.parts_of(early, seed)
        writers = [{early.groups[row] for row in part} for part in parts]
        assert not (writers[0] | writers[1]) & writers[2]
    runs = benchmark("search_runs")
    searched = {sentence for pair in search.held_out() for sentence in pair}
    chosen = {sentence for pair in runs.development() for sentence in pair}
    assert searched.isdisjoint(chosen)
    assert all((searched | chosen).isdisjoint(pair) for pair in runs.training())


@pytest.mark.parametrize("name", ["feed-forward", "attention, table"])
def test_operations_are_those_that_torch_counts(name, monkeypatch):
    roofline = benchmark("roofline")
    monkeypatch.setattr(roofline, "LAYERS", 1)
    part = roofline.PARTS[name](16, torch.randn(2, 8, roofline.HIDDEN))
    with FlopCounterMode(display=False) as counter:
        part.run()
    assert counter.get_total_flops() == part.operations


def test_no_nearest_light_hangs_on_a_near_tie():
    one_word = benchmark("one_word")
    same = torch.tensor([[a == b for b in one_word.SENSE] for a in one_word.SENSE])
    others = ~torch.eye(len(same), dtype=torch.bool)
    for matrix in one_word.similarities(benchmark("weights").minilm_folder()).values():
        inside = matrix.where(same & others, -1).max(dim=1).values
        outside = matrix.where(~same, -1).max(dim=1).values
        assert (inside - outside).abs().min() > 1e-3
    for row in record_of("one_word")["by sense"]:
        highest, next_one = sorted(row)[:1:-1]
        assert highest - next_one > 0.02
