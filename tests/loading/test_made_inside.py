"""Tensors that a class makes itself, and no file holds, are there after loading."""

import torch
from bert_pairs import draw_batch
from saved_folders import same_weights, small_folder

from minibert.embeddings import BertEmbeddings
from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.parts import override


class Counting(BertEmbeddings):
    """Counts once, as the library does, and keeps a number as a tensor."""

    def __init__(self, config):
        super().__init__(config)
        counted = torch.arange(config.max_position_embeddings)[None]
        self.register_buffer("position_ids", counted, persistent=False)
        self.one = torch.tensor(1.0)

    def forward(self, ids=None, segments=None, positions=None, vectors=None):
        if positions is None:
            positions = self.position_ids[:, : (vectors if ids is None else ids).shape[1]]
        return self.one * super().forward(ids, segments, positions, vectors)


def test_what_no_file_holds_is_made_and_draws_nothing(tmp_path):
    saved = small_folder(tmp_path, BertModel)
    plain = load_pretrained(BertModel, tmp_path)
    before = torch.get_rng_state()
    with override({BertEmbeddings: Counting}):
        model = load_pretrained(BertModel, tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    same_weights(model, saved)
    batch = draw_batch(model.config, seed=3)
    found, wanted = (one(**batch).last_hidden_state for one in (model, plain))
    torch.testing.assert_close(found, wanted)
