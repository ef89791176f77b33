"""Epoch after epoch, from any place on, whatever kind of data it is."""

import shutil

import pytest
import torch
from small_model import end_of, make_trainer, ragged_batches

from minibert.training.batch_stream import BatchStream, seed_torch


class Epochs:
    """Data that know their epochs, as PretrainingBatches does."""

    def __init__(self):
        self.asked = []

    def epoch(self, number, start=0):
        self.asked.append((number, start))
        for batch in range(start, 4):
            yield {"x": torch.tensor([number, batch])}

    def __iter__(self):
        return self.epoch(0)


class Drawing:
    """Data that draw from torch's global generator, order and contents."""

    def __iter__(self):
        for number in torch.randperm(6).tolist():
            yield {"x": torch.cat([torch.tensor([float(number)]), torch.rand(2)])}


def take(batches, count, epoch=0, batch=0):
    stream = BatchStream(batches, seed=5, epoch=epoch, batch=batch)
    return [batch["x"].tolist() for batch in stream.take(count)], (stream.epoch, stream.batch)


@pytest.mark.parametrize("make", [Epochs, Drawing])
def test_epochs_follow_each_other_from_any_place_on(make):
    whole, end = take(make(), 14)
    for first in (1, 3, 4, 6, 7, 12):
        before, (epoch, batch) = take(make(), first)
        torch.rand(3)  # what others draw in between does not matter
        after, place = take(make(), 14 - first, epoch, batch)
        assert before + after == whole
        assert place == end


def test_data_that_know_their_epochs_are_asked_for_the_place():
    data = Epochs()
    assert take(data, 2, epoch=7, batch=3) == ([[7, 3], [8, 0]], (8, 1))
    assert data.asked == [(7, 3), (8, 0)]


def test_chance_depends_on_seed_purpose_and_place():
    def draw(*place):
        seed_torch(*place)
        return torch.rand(1).item()

    places = [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]
    assert len({draw(*place) for place in places}) == 5
    assert draw(*places[2]) == draw(*places[2])


ONE = torch.ones(1)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("batches", "error", "sentence"),
    [
        ([], ValueError, "epoch 0 holds no batch; give at least one"),
        ([[ONE]], TypeError, "a batch must be a dictionary of tensors, .* not a list"),
        ([{"x": ONE, "words": ["a"]}], TypeError, "'words' in a batch must be a tensor, not a li"),
        ((batch for batch in [{}]), TypeError, "are a generator, which .* only once"),
    ],
)
def test_what_is_no_batch(batches, error, sentence):
    with pytest.raises(error, match=sentence):
        BatchStream(batches, seed=0).take(1)


def test_a_run_that_goes_on_in_the_middle_of_an_epoch_ends_as_if_it_had_not_stopped(tmp_path):
    class Shuffled:
        def __iter__(self):
            batches = ragged_batches()
            return (batches[n] for n in torch.randperm(len(batches)).tolist())

    options = {"max_steps": 9, "gradient_accumulation_steps": 2, "save_steps": 6}
    make_trainer(tmp_path / "whole", **options).fit(Shuffled())
    shutil.copytree(tmp_path / "whole", tmp_path / "parts")
    shutil.rmtree(tmp_path / "parts" / "step-00000009")
    trainer = make_trainer(tmp_path / "parts", **options)
    assert trainer.resume() == 6 and trainer.batch == 2
    torch.rand(5)
    trainer.fit(Shuffled())
    assert end_of(tmp_path / "parts") == end_of(tmp_path / "whole")
    with pytest.raises(TypeError, match="only once"):
        make_trainer().fit(ragged_batches(), eval_batches=iter(ragged_batches()))
