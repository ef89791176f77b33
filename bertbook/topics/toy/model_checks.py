"""Exercises of Chapter 5: the first half of the toy BERT, and the loop that trains it."""

import math

import torch
from torch import nn

from bertbook.core.exercises.exercise import Exercise
from minibert.losses import masked_lm_loss


class _Tables(nn.Module):
    """The tables of a small toy BERT, with a dropout that has no chance in it."""

    def __init__(self, vocab: int, hidden: int, positions: int, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)

        def table(*shape: int) -> nn.Parameter:
            numbers = torch.randn(*shape, generator=generator, dtype=torch.float64)
            return nn.Parameter(0.7 * numbers)

        self.word_embeddings = table(vocab, hidden)
        self.position_embeddings = table(positions, hidden)
        self.query, self.key, self.value = (table(hidden, hidden) for _ in range(3))
        self.norm = nn.LayerNorm(hidden, eps=1e-12, dtype=torch.float64)
        with torch.no_grad():
            self.norm.weight.copy_(table(hidden) + 1)
            self.norm.bias.copy_(table(hidden))

    def __repr__(self) -> str:
        return "model"

    def dropout(self, x: torch.Tensor) -> torch.Tensor:
        """Drop every third number while training."""
        kept = torch.arange(x.numel()).reshape(x.shape) % 3 > 0
        return x * kept / (2 / 3) if self.training else x


def _encode(model, input_ids, additive_mask):
    x = model.word_embeddings[input_ids]
    if len(model.position_embeddings):
        x = x + model.position_embeddings[: input_ids.shape[-1]]
    query, key, value = x @ model.query, x @ model.key, x @ model.value
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if additive_mask is not None:
        scores = scores + additive_mask
    context = scores.softmax(dim=-1) @ value
    return model.norm(model.dropout(context) + x)


def _encode_case(shape, hidden, positions, *, training=True, hidden_from=None):
    ids = torch.arange(math.prod(shape)).reshape(shape) * 5 % 7
    mask = None
    if hidden_from is not None:
        mask = torch.zeros(*shape[:-1], 1, shape[-1], dtype=torch.float64)
        mask[..., hidden_from:] = torch.finfo(torch.float64).min
    return _Tables(7, hidden, positions, hidden).train(training), ids, mask


check_encode = Exercise(
    "Encode the ids of a text: embeddings, attention, residual and LayerNorm.",
    _encode,
    cases=[_encode_case((3,), 4, 0), _encode_case((5,), 6, 9, training=False),
           _encode_case((2, 4), 5, 4, hidden_from=3), _encode_case((2, 3), 4, 0, hidden_from=2)],
    in_place=True,  # a model is compared by what it answers
    mistakes={
        "+ x) → )": "The residual is missing: X is added to what attention brings.",
        "model.norm(…) → …": "The sum is not normalized. What does step 3 end with?",
        "model.dropout(…) → …": "While training, numbers of Z are dropped: model.dropout does it.",
        ("model.dropout(context) + x → model.dropout(context + x)", "return model.norm(…) → return "
            "model.dropout(model.norm(context + x))", "scores.softmax(dim=-1) → "
            "model.dropout(scores.softmax(dim=-1)) || model.dropout(context) → context"): "Numbers "
            "of Z are dropped, and not those of X. Drop first, and add then.",
        "model.norm(…) → model.norm(model.dropout(context)) + x ¦ "
            "model.norm(model.dropout(context)) + model.norm(x)": "LayerNorm is of the sum.",
        ("/ math.sqrt(key.shape[-1]) →", "/ math.sqrt → * math.sqrt", "math.sqrt(…) → "
            "math.sqrt(input_ids.shape[-1])"): "The scores are divided by the root of what size?",
        "scores + additive_mask → scores * additive_mask ¦ scores - additive_mask ¦ "
            "scores.masked_fill(additive_mask == 0, -1e9)": "The mask is added: its 0 leaves a "
            "score as it is, its lowest number hides it.",
        "[: input_ids.shape[-1]] → [input_ids] ¦ [: len(input_ids)]": "Positions count along a "
            "text: 0, 1, 2, … How many are there?",
        "math.sqrt( → (": "The scores are divided by the root of the size.",
        "dim=-1) → dim=-2)": "The probabilities of each query sum to 1, over the keys.",
        "if additive_mask is not None → if False": "Padding is seen. Where is the mask added?",
        "scores = scores + additive_mask → return model.norm(model.dropout((scores.softmax(-1) + "
            "additive_mask.clamp(min=-1)).clamp(min=0) @ value) + x)": "The mask comes before the "
            "softmax: otherwise padding has had its share of the sum.",
        "@ value → @ x": "Each word gives its value, x @ model.value.",
        "key.mT → query.mT": "A query meets keys, not queries.",
        "x = x + model.position_embeddings[: input_ids.shape[-1]] → pass": "A model that has a "
            "table of positions adds its rows: the first one to the first word.",
        "+ x) → + model.word_embeddings[input_ids])": "X has the positions in it, where there are "
            "some.",
    },
)  # fmt: skip


class _Model(_Tables):
    """A small toy BERT that scores words."""

    def encode(self, input_ids: torch.Tensor) -> torch.Tensor:
        """Ids to hidden states."""
        return _encode(self, input_ids, None)

    def predict(self, hidden_states: torch.Tensor) -> torch.Tensor:
        """Hidden states to logits."""
        return hidden_states @ self.word_embeddings.T


def _train(model, optimizer, batches):
    model.train()
    losses = []
    for input_ids, labels in batches:
        logits = model.predict(model.encode(input_ids))
        loss = masked_lm_loss(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class _SGD(torch.optim.SGD):
    def __repr__(self) -> str:
        return "optimizer"


class _Adam(torch.optim.Adam):
    def __repr__(self) -> str:
        return "optimizer"


def _train_case(kind, steps, **options):
    model = _Model(7, 4, 6, steps).eval()
    batches = []
    for step in range(steps):
        labels = torch.full((4,), -100)
        labels[step % 4] = (3 * step + 1) % 7
        ids = (torch.arange(4) + step) * 3 % 7
        batches.append((ids.masked_fill(labels >= 0, 6), labels))
    return model, kind(model.parameters(), **options), batches


check_train_epoch = Exercise(
    "Train a model on the batches of an epoch, and return the loss of each step.",
    _train,
    cases=[_train_case(_SGD, 3, lr=0.3), _train_case(_Adam, 5, lr=0.05)],
    in_place=True,  # the model is to change
    rtol=1e-7,
    mistakes={
        "optimizer.zero_grad() →": "A gradient is added to the one that is there. Who clears the "
            "gradients of the step before?",
        ("optimizer.step() →", "loss.backward() →",
            "optimizer.zero_grad() → || loss.backward() → loss.backward(); optimizer.zero_grad()",
            "loss.backward() → || optimizer.step() → optimizer.step(); loss.backward()"):
            "The weights never move: every loss is that of the model as it came. backward() fills "
            "the gradients, step() uses them, zero_grad() clears them. In which order?",
        "model.train() → || return losses → model.eval(); return losses": "Nothing is dropped. "
            "Which method says that this is training?",
        "masked_lm_loss(logits, → masked_lm_loss(logits.softmax(dim=-1),": "The loss takes logits.",
        "loss.backward() → (-loss).backward()": "The loss grows. Which sign has the gradient?",
        "optimizer.step() → optimizer.step(); optimizer.step()": "One step for each batch.",
        ("losses.append(…) → losses = […]", "in batches → in batches[:1]"):
            "One loss for each step.",
        "return losses → return sum(losses) / len(losses)": "One loss for each step.",
        "masked_lm_loss(logits, labels) → torch.nn.functional.cross_entropy(logits, "
            "labels.clamp(min=0))": "You count −100 as if it were id 0.",
        "masked_lm_loss(logits, labels) → torch.nn.functional.cross_entropy(logits, labels, "
            "reduction='sum') / len(labels)": "The mean is over the labeled positions.",
    },
)  # fmt: skip
