"""A reader's file: plain classes, each typed after its chapter, independent of ours."""

import math

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from minibert.model import BertModelOutput, initialize_weights
from minibert.pretraining import BertForPreTrainingOutput


class MyEmbeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        size = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, size, config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, size)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, size)
        self.LayerNorm = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, ids=None, segments=None, positions=None, vectors=None):
        x = self.word_embeddings(ids) if vectors is None else vectors
        batch, seq, _ = x.shape
        if segments is None:
            segments = torch.zeros(batch, seq, dtype=torch.long, device=x.device)
        if positions is None:
            positions = torch.arange(seq, device=x.device).expand(batch, seq)
        x = x + self.position_embeddings(positions) + self.token_type_embeddings(segments)
        return self.dropout(self.LayerNorm(x))


class MySelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)
        self.drop = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, x, mask=None, show=False):
        b, s, h = x.shape
        q, k, v = (f(x).view(b, s, self.heads, -1) for f in (self.query, self.key, self.value))
        scores = torch.einsum("bihd,bjhd->bhij", q, k) / math.sqrt(h // self.heads)
        probs = self.drop(F.softmax(scores if mask is None else scores + mask, dim=-1))
        context = torch.einsum("bhij,bjhd->bihd", probs, v).reshape(b, s, h)
        return context, probs if show else None


class MySelfOutput(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.drop = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, context, x):
        return self.LayerNorm(x + self.drop(self.dense(context)))


class MyAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.self = MySelfAttention(config)
        self.output = MySelfOutput(config)

    def forward(self, x, mask=None, show=False):
        context, probs = self.self(x, mask, show)
        return self.output(context, x), probs


class MyIntermediate(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.bend = {"gelu": F.gelu, "relu": F.relu}.get(
            config.hidden_act, nn.GELU(approximate="tanh")
        )

    def forward(self, x):
        return self.bend(self.dense(x))


class MyOutput(MySelfOutput):
    def __init__(self, config):
        super().__init__(config)
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)


class MyLayer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.attention = MyAttention(config)
        self.intermediate = MyIntermediate(config)
        self.output = MyOutput(config)

    def forward(self, x, mask=None, show=False):
        x, probs = self.attention(x, mask, show)
        return self.output(self.intermediate(x), x), probs


class MyEncoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([MyLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, x, mask=None, show=False, all_states=False):
        states, maps = (x,), ()
        for layer in self.layer:
            x, probs = layer(x, mask, show)
            states, maps = (*states, x), (*maps, probs)
        return BertModelOutput(x, None, states if all_states else None, maps if show else None)


class MyPooler(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x):
        return torch.tanh(self.dense(x[:, 0]))


class MyBert(nn.Module):
    def __init__(self, config, add_pooling_layer=True):
        super().__init__()
        self.config = config
        self.embeddings = MyEmbeddings(config)
        self.encoder = MyEncoder(config)
        self.pooler = MyPooler(config) if add_pooling_layer else None
        initialize_weights(self, config.initializer_range)

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        token_type_ids=None,
        position_ids=None,
        inputs_embeds=None,
        output_attentions=False,
        output_hidden_states=False,
    ):
        x = self.embeddings(input_ids, token_type_ids, position_ids, inputs_embeds)
        mask = None
        if attention_mask is not None:
            mask = (1 - attention_mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        output = self.encoder(x, mask, output_attentions, output_hidden_states)
        if self.pooler is None:
            return output
        return output._replace(pooler_output=self.pooler(output.last_hidden_state))


class MyPredictionHeadTransform(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.bend = MyIntermediate(config).bend
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, x):
        return self.LayerNorm(self.bend(self.dense(x)))


class MyPredictionHead(nn.Module):
    def __init__(self, config, table):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.transform = MyPredictionHeadTransform(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.decoder.weight, self.decoder.bias = table.weight, self.bias

    def forward(self, x):
        return self.decoder(self.transform(x))


class MyMlmHead(nn.Module):
    def __init__(self, config, table):
        super().__init__()
        self.predictions = MyPredictionHead(config, table)

    def forward(self, x):
        return self.predictions(x)


class MyPretrainingHeads(nn.Module):
    def __init__(self, config, table):
        super().__init__()
        self.predictions = MyPredictionHead(config, table)
        self.seq_relationship = nn.Linear(config.hidden_size, 2)

    def forward(self, x, pooled):
        return self.predictions(x), self.seq_relationship(pooled)


class MyPretraining(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.bert = MyBert(config)
        self.cls = MyPretrainingHeads(config, self.bert.embeddings.word_embeddings)
        initialize_weights(self.cls.predictions.transform, config.initializer_range)
        initialize_weights(self.cls.seq_relationship, config.initializer_range)

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        token_type_ids=None,
        position_ids=None,
        inputs_embeds=None,
        labels=None,
        next_sentence_label=None,
    ):
        x = self.bert(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds)
        words, pairs = self.cls(x.last_hidden_state, x.pooler_output)
        mlm = nsp = loss = None
        if labels is not None:
            loss = mlm = F.cross_entropy(words.flatten(0, 1), labels.flatten())
        if next_sentence_label is not None:
            loss = nsp = F.cross_entropy(pairs, next_sentence_label)
        if mlm is not None and nsp is not None:
            loss = mlm + nsp
        return BertForPreTrainingOutput(loss, words, pairs, mlm, nsp)


class MyLayerNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, x):
        x = x - x.mean(-1, keepdim=True)
        return x / (x.pow(2).mean(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias


class MyDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1 - self.p)
