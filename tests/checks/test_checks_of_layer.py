"""Pre-norm, in Chapter 9, is judged by what it must do, and not by its names."""

import pytest
from torch import nn

from bertbook.topics.layer.checks import check_pre_norm
from minibert.attention import BertSelfAttention
from minibert.layer import BertIntermediate
from minibert.parts import part


class PreNorm(nn.Module):
    """Right, with names of its own."""

    own_parameters = True

    def __init__(self, config):
        super().__init__()
        hidden = config.hidden_size
        self.look = part(BertSelfAttention)(config)
        self.mix = nn.Linear(hidden, hidden)
        self.widen = part(BertIntermediate)(config)
        self.narrow = nn.Linear(config.intermediate_size, hidden)
        self.one, self.two = (nn.LayerNorm(hidden, config.layer_norm_eps) for _ in range(2))
        self.drop = nn.Dropout(config.hidden_dropout_prob)

    def first(self, x, mask, maps):
        context, probs = self.look(self.one(x), mask, maps)
        return self.drop(self.mix(context)), probs

    def second(self, x):
        return self.drop(self.narrow(self.widen(self.two(x))))

    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return x + new + self.second(x + new), probs


class Named(PreNorm):
    own_parameters = False


class PostNorm(PreNorm):
    def forward(self, x, mask=None, maps=False):
        x, probs = super().forward(x, mask, maps)
        return self.two(x), probs


class Forgetful(PreNorm):
    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return new + self.second(x + new), probs


class Undropped(PreNorm):
    def second(self, x):
        return self.narrow(self.widen(self.two(x)))


class Raw(PreNorm):
    def second(self, x):
        return self.drop(self.narrow(self.widen(x)))


class Linear(PreNorm):
    def second(self, x):
        return self.drop(self.narrow(self.widen.dense(self.two(x))))


class OneNorm(PreNorm):
    def __init__(self, config):
        super().__init__(config)
        self.two = self.one


class Unmixed(PreNorm):
    def __init__(self, config):
        super().__init__(config)
        self.mix = nn.Identity()


class OwnEpsilon(PreNorm):
    def __init__(self, config):
        super().__init__(config)
        self.two = nn.LayerNorm(config.hidden_size)


class Idle(PreNorm):
    def second(self, x):
        return self.drop(self.narrow(self.widen(self.one(x))))


class SideBySide(PreNorm):
    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return x + new + self.second(x), probs


class Shortcut(PreNorm):
    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return x + self.second(x + new), probs


class FeedForwardFirst(PreNorm):
    def forward(self, x, mask=None, maps=False):
        x = x + self.second(x)
        new, probs = self.first(x, mask, maps)
        return x + new, probs


class OnWhatIsAdded(PreNorm):
    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return x + new + self.second(new), probs


class OnNormalized(PreNorm):
    def forward(self, x, mask=None, maps=False):
        new, probs = self.first(x, mask, maps)
        return x + new + self.second(self.one(x) + new), probs


def test_pre_norm_passes_whatever_its_names():
    verdict = check_pre_norm(PreNorm)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (Named, "needs own_parameters = True"),
        (PostNorm, "yours comes out normalized"),
        (Forgetful, "Where is the residual"),
        (Undropped, "Does dropout hit what each half adds"),
        (Raw, "Which half gets vectors that are not normalized"),
        (Linear, "hidden_act has no effect"),
        (OneNorm, "Has each half its own LayerNorm"),
        (Unmixed, "Which one mixes the heads?"),
        (OwnEpsilon, "A LayerNorm has an ε of its own"),
        (Idle, "two.weight has no effect"),
        (Shortcut, "On which vectors does yours work?"),
        (SideBySide, "On which vectors does yours work?"),
        (FeedForwardFirst, "On which vectors does yours work?"),
        (OnWhatIsAdded, "On which vectors does yours work?"),
        (OnNormalized, "On which vectors does yours work?"),
    ],
)
def test_what_is_no_pre_norm_is_told_why(layer, words):
    verdict = check_pre_norm(layer)
    assert not verdict.passed
    assert words in verdict.message
