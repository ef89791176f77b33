"""BERT on one page: what the chapters of BERT by Hand build, in their order. "8:" is Chapter 8.

python bert.py my-text.txt "the man [MASK] the book" --out my-bert
trains a small one on a text, saves it, and fills the blank.
"""
import argparse, json, math, os, random, re, sys, time, unicodedata
from collections import Counter, defaultdict, namedtuple
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

try:
    import torch
    from safetensors.torch import load_file, save
    from torch import nn
    from torch.nn.functional import gelu, relu
except KeyboardInterrupt:  # torch takes seconds
    sys.exit("stopped")

SPECIAL_TOKENS = "[PAD] [UNK] [CLS] [SEP] [MASK]".split()
CHINESE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
                     "\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]")
CorruptedTokens = namedtuple("CorruptedTokens", "input_ids labels")
BertModelOutput = namedtuple("BertModelOutput", "last_hidden_state pooler_output hidden_states "
                             "attentions", defaults=[None] * 3)
BertForPreTrainingOutput = namedtuple("BertForPreTrainingOutput", "loss prediction_logits "
                                      "seq_relationship_logits masked_lm_loss next_sentence_loss")
ACTIVATIONS = {"gelu": gelu, "gelu_new": lambda x: gelu(x, approximate="tanh"), "relu": relu}

def split_words(text, do_lower_case=True):  # 6: without accents, cut at spaces and punctuation
    kind = unicodedata.category
    kept = (c for c in text if c in "\t\n\r" or (kind(c) not in "Cc Cf Co Cs" and c != "\ufffd"))
    text = CHINESE.sub(r" \g<0> ", "".join(kept))
    if do_lower_case:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if kind(c) != "Mn")
        text = text.replace("Σ", "σ").lower()
    return "".join(f" {c} " if kind(c)[0] == "P" or c in "$+<=>^`|~" else c for c in text).split()

def count_words(documents):  # 6: what stands between spaces is cut once, however often it comes
    chunks = Counter(chunk for lines in documents for line in lines for chunk in line.split(" "))
    words = Counter()
    for chunk, count in chunks.items():
        for word in split_words(chunk):
            words[word] += count
    return words

def tell(news, done, total, started):  # 13: a line, with what the rest takes at this pace
    minutes = (time.time() - started) / done * (total - done) / 60
    print(f"{news}   {minutes:.1f} minutes left", flush=True)

def learn_pieces(word_counts, vocab_size, min_frequency=2):  # 6: merge the pair that gains most
    spelled = {word: f" {'  ##'.join(word)} " for word in word_counts if len(word) <= 100}
    pieces = SPECIAL_TOKENS + sorted({*"".join(word_counts)})
    pieces += sorted({"##" + c for word in word_counts if len(word) > 1 for c in word})
    single, pairs, words_with = Counter(), Counter(), defaultdict(set)

    def count(word, times):
        parts = spelled[word].split()
        for part in parts:
            single[part] += times
        for pair in zip(parts, parts[1:]):
            pairs[pair] += times
            words_with[pair].add(word)

    for word in spelled:
        count(word, word_counts[word])
    started, letters = time.time(), len(pieces)
    while len(pieces) < vocab_size:
        total, gains = single.total(), {}
        for (a, b), n in pairs.items():
            if n >= min_frequency:
                gains[a, b] = n * math.log(n * total / (single[a] * single[b]))
        best = max(gains.values(), default=0)
        if best <= 0:
            break
        a, b = min(pair for pair, gain in gains.items() if gain >= best * (1 - 1e-9))
        piece = a + b.removeprefix("##")
        for word in words_with.pop((a, b)):  # no other word changes
            count(word, -word_counts[word])
            spelled[word] = spelled[word].replace(f" {a}  {b} ", f" {piece} ")
            count(word, word_counts[word])
        if piece not in pieces:
            pieces.append(piece)
        if len(pieces) % 200 == 0:
            tell(f"{len(pieces)} pieces", len(pieces) - letters, vocab_size - letters, started)
    return pieces

def longest_match(word, known_pieces):  # 6: from the left, each piece as long as it can be
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        fits = [e for e in ends if mark + word[start:e] in known_pieces]
        if not fits:
            return ["[UNK]"]
        found.append(mark + word[start:fits[0]])
        start = fits[0]
    return found

class WordPieceTokenizer:  # 6: from text to ids
    def __init__(self, pieces, do_lower_case=True):
        self.pieces, self.do_lower_case = pieces, do_lower_case
        self.vocab = {piece: number for number, piece in enumerate(pieces)}
        self.cut = cache(self.cut)  # a text says the same words again and again

    def cut(self, chunk):  # what stands between two spaces
        found = []
        for part in re.split(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])", chunk):
            for word in [part] if part in SPECIAL_TOKENS else split_words(part, self.do_lower_case):
                found += longest_match(word, self.vocab) if len(word) <= 100 else ["[UNK]"]
        return found

    def tokenize(self, text):
        return [piece for chunk in text.split(" ") for piece in self.cut(chunk)]

    def encode(self, *texts, max_length=512):  # [CLS] first [SEP], or also: second [SEP]
        rows = [self.tokenize(text) for text in texts]
        while 1 + sum(len(row) + 1 for row in rows) > max_length:
            max(rows, key=len).pop()
        ids, types = [self.vocab["[CLS]"]], [0]
        for number, row in enumerate(rows):
            ids += [self.vocab[piece] for piece in [*row, "[SEP]"]]
            types += [number] * (len(row) + 1)
        return ids, types

class BertConfig(SimpleNamespace):  # 7: Hugging Face's names; the defaults are bert-base-uncased's
    vocab_size, max_position_embeddings, type_vocab_size, pad_token_id = 30522, 512, 2, 0
    hidden_size, num_hidden_layers, num_attention_heads, intermediate_size = 768, 12, 12, 3072
    hidden_act, layer_norm_eps, initializer_range = "gelu", 1e-12, 0.02
    hidden_dropout_prob, attention_probs_dropout_prob = 0.1, 0.1

class BertEmbeddings(nn.Module):  # 7: what a token is, where it stands, and in which sentence
    def __init__(self, config):
        super().__init__()
        hidden = config.hidden_size
        self.word_embeddings = nn.Embedding(config.vocab_size, hidden, config.pad_token_id)
        self.position_embeddings = nn.Embedding(config.max_position_embeddings, hidden)
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, hidden)
        self.LayerNorm = nn.LayerNorm(hidden, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, input_ids=None, token_type_ids=None, position_ids=None, inputs_embeds=None):
        x = self.word_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        places = torch.arange(x.shape[1], device=x.device)
        x = x + self.position_embeddings(places if position_ids is None else position_ids)
        x = x + self.token_type_embeddings(0 * places if token_type_ids is None else token_type_ids)
        return self.dropout(self.LayerNorm(x))  # (batch, seq, hidden)

def additive_mask(attention_mask, dtype=torch.float32):  # 3: 0 at tokens, the lowest at padding
    return (1 - attention_mask[:, None, None, :].to(dtype)) * torch.finfo(dtype).min

def many_heads(query, key, value, heads, mask, dropout):  # 8: each head by itself, then joined
    query, key, value = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (query, key, value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores + mask  # (batch, heads, seq, seq)
    probs = dropout(scores.softmax(dim=-1))
    return (probs @ value).transpose(1, 2).flatten(2), probs  # (batch, seq, hidden)

class BertSelfAttention(nn.Module):  # 8: every token asks all, in each head about something else
    def __init__(self, config):
        super().__init__()
        hidden, self.heads = config.hidden_size, config.num_attention_heads
        self.query, self.key, self.value = (nn.Linear(hidden, hidden) for _ in range(3))
        self.dropout = nn.Dropout(config.attention_probs_dropout_prob)

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        query, key, value = (layer(hidden_states) for layer in (self.query, self.key, self.value))
        context, probs = many_heads(query, key, value, self.heads, additive_mask, self.dropout)
        return context, probs if output_attentions else None

class BertSelfOutput(nn.Module):  # 8: mix what the heads have found, and add it
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, hidden_states, input_tensor):
        return self.LayerNorm(self.dropout(self.dense(hidden_states)) + input_tensor)

class BertAttention(nn.Module):  # 8: the first half of a layer
    def __init__(self, config):
        super().__init__()
        self.self, self.output = BertSelfAttention(config), BertSelfOutput(config)

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        context, probs = self.self(hidden_states, additive_mask, output_attentions)
        return self.output(context, hidden_states), probs

class BertIntermediate(nn.Module):  # 9: widen every vector, and activate it
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.intermediate_size)
        self.activation = ACTIVATIONS[config.hidden_act]

    def forward(self, hidden_states):
        return self.activation(self.dense(hidden_states))  # (batch, seq, intermediate)

class BertOutput(nn.Module):  # 9: narrow it again, and add it
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.intermediate_size, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(config.hidden_dropout_prob)

    def forward(self, wide_states, input_tensor):
        return self.LayerNorm(input_tensor + self.dropout(self.dense(wide_states)))

class BertLayer(nn.Module):  # 9: tokens attend to each other, then each is worked on alone
    def __init__(self, config):
        super().__init__()
        self.attention, self.intermediate = BertAttention(config), BertIntermediate(config)
        self.output = BertOutput(config)

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        attended, probs = self.attention(hidden_states, additive_mask, output_attentions)
        return self.output(self.intermediate(attended), attended), probs

class BertEncoder(nn.Module):  # 10: one layer after the other
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([BertLayer(config) for _ in range(config.num_hidden_layers)])

    def forward(self, x, mask=None, output_attentions=False, output_hidden_states=False):
        states, maps = [x], []
        for layer in self.layer:
            x, probs = layer(x, mask, output_attentions)
            states.append(x)
            maps.append(probs)
        return BertModelOutput(x, hidden_states=tuple(states) if output_hidden_states else None,
                               attentions=tuple(maps) if output_attentions else None)

class BertPooler(nn.Module):  # 10: the vector of [CLS] stands for all
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, hidden_states):
        return self.dense(hidden_states[:, 0]).tanh()  # (batch, hidden)

@torch.no_grad()
def initialize_weights(module, initializer_range):  # 10: small and by chance; biases are 0
    for layer in module.modules():
        if isinstance(layer, nn.Linear | nn.Embedding):
            layer.weight.normal_(std=initializer_range)
        if isinstance(layer, nn.Linear):
            layer.bias.zero_()
        if getattr(layer, "padding_idx", None) is not None:
            layer.weight[layer.padding_idx] = 0

class BertModel(nn.Module):  # 10: ids become vectors that know their context
    def __init__(self, config, add_pooling_layer=True):
        super().__init__()
        self.config, self.embeddings = config, BertEmbeddings(config)
        self.encoder = BertEncoder(config)
        self.pooler = BertPooler(config) if add_pooling_layer else None
        initialize_weights(self, config.initializer_range)

    def forward(self, input_ids=None, attention_mask=None, token_type_ids=None, position_ids=None,
                inputs_embeds=None, output_attentions=False, output_hidden_states=False):
        x = self.embeddings(input_ids, token_type_ids, position_ids, inputs_embeds)
        mask = None if attention_mask is None else additive_mask(attention_mask, x.dtype)
        output = self.encoder(x, mask, output_attentions, output_hidden_states)
        return output._replace(pooler_output=self.pooler and self.pooler(output.last_hidden_state))

def corrupt_tokens(input_ids, *, vocab_size, mask_token_id, special_ids, generator,
                   mlm_probability=0.15):  # 11: hide tokens, to be guessed
    shape, device = input_ids.shape, input_ids.device
    special = [mask_token_id, *special_ids]
    draws, fate = (torch.rand(shape, generator=generator).to(device) for _ in range(2))
    draws[torch.isin(input_ids, torch.tensor(special, device=device))] = 2
    drawn = ((draws < mlm_probability) | (draws == draws.min())) & (draws < 2)
    words = torch.tensor([i for i in range(vocab_size) if i not in special])
    lots = words[torch.randint(len(words), shape, generator=generator)].to(device)
    seen = torch.where(fate < 0.8, mask_token_id, torch.where(fate < 0.9, lots, input_ids))
    return CorruptedTokens(torch.where(drawn, seen, input_ids), torch.where(drawn, input_ids, -100))

class BertPredictionHeadTransform(nn.Module):  # 11: prepare a vector for the comparison
    def __init__(self, config):
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.activation = ACTIVATIONS[config.hidden_act]
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)

    def forward(self, hidden_states):
        return self.LayerNorm(self.activation(self.dense(hidden_states)))

class BertLMPredictionHead(nn.Module):  # 11: compare it with all words, in the table they come from
    def __init__(self, config, word_embeddings):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        self.transform = BertPredictionHeadTransform(config)
        self.decoder = nn.Linear(config.hidden_size, config.vocab_size)
        self.decoder.weight, self.decoder.bias = word_embeddings.weight, self.bias

    def forward(self, hidden_states):
        return self.decoder(self.transform(hidden_states))  # (batch, seq, vocab)

class BertPreTrainingHeads(nn.Module):  # 12: which words, and is B the next sentence?
    def __init__(self, config, word_embeddings):
        super().__init__()
        self.predictions = BertLMPredictionHead(config, word_embeddings)
        self.seq_relationship = nn.Linear(config.hidden_size, 2)

    def forward(self, hidden_states, pooled_output):
        return self.predictions(hidden_states), self.seq_relationship(pooled_output)

def cross_entropy(logits, labels):  # 5: the mean of -log p(label); -100 is no label
    labeled = labels != -100
    return -logits.log_softmax(dim=-1)[labeled, labels[labeled].long()].mean()

class BertForPreTraining(nn.Module):  # 12: the model of BERT's training, with both of its losses
    def __init__(self, config):
        super().__init__()
        self.config, self.bert = config, BertModel(config)
        self.cls = BertPreTrainingHeads(config, self.bert.embeddings.word_embeddings)
        for new in (self.cls.predictions.transform, self.cls.seq_relationship):
            initialize_weights(new, config.initializer_range)

    def forward(self, input_ids=None, attention_mask=None, token_type_ids=None, position_ids=None,
                inputs_embeds=None, labels=None, next_sentence_label=None):
        x = self.bert(input_ids, attention_mask, token_type_ids, position_ids, inputs_embeds)
        words, pairs = self.cls(x.last_hidden_state, x.pooler_output)
        mlm = None if labels is None else cross_entropy(words, labels)
        nsp = None if next_sentence_label is None else cross_entropy(pairs, next_sentence_label)
        both = [loss for loss in (mlm, nsp) if loss is not None]
        return BertForPreTrainingOutput(sum(both) if both else None, words, pairs, mlm, nsp)

def read_documents(path):  # 13: a sentence on each line, a blank line between documents
    texts = re.split(r"\n\s*\n", Path(path).read_text(encoding="utf-8-sig").strip())
    documents = [lines for lines in map(str.splitlines, texts) if len(lines) > 1]
    if len(documents) < 2:
        raise ValueError(f"{path} needs two documents of two lines each, with a blank line between")
    return documents

def choose_device():  # 13: a GPU if there is one, unless MINIBERT_DEVICE names another device
    backends = {"cuda": torch.cuda, "mps": torch.backends.mps}
    there = [name for name in backends if backends[name].is_available()] + ["cpu"]
    wanted = os.environ.get("MINIBERT_DEVICE") or there[0]
    if wanted.split(":")[0] not in there:
        raise ValueError(f"MINIBERT_DEVICE is {wanted}, but here is only {' and '.join(there)}")
    return torch.device(wanted)

def draw_pair(documents, rng):  # 12: the next sentence, or one of another document
    document, elsewhere = rng.sample(documents, 2)
    place = rng.randrange(len(document) - 1)
    first, second = document[place:place + 2]
    other = rng.choice(elsewhere)
    stranger = rng.random() < 0.5 and other.casefold().split() != second.casefold().split()
    return first, other if stranger else second, int(stranger)

def draw_batch(tokenizer, documents, size, max_length, rng, generator):  # 13: pairs, masked
    rows, types, strangers = [], [], []
    for _ in range(size):
        first, second, stranger = draw_pair(documents, rng)
        ids, segments = tokenizer.encode(first, second, max_length=max_length)
        rows.append(torch.tensor(ids))
        types.append(torch.tensor(segments))
        strangers.append(stranger)
    ids, types = (nn.utils.rnn.pad_sequence(each, batch_first=True) for each in (rows, types))
    special = [tokenizer.vocab[token] for token in SPECIAL_TOKENS]
    seen, labels = corrupt_tokens(ids, vocab_size=len(tokenizer.pieces), mask_token_id=special[4],
                                  special_ids=special, generator=generator)
    return {"input_ids": seen, "attention_mask": ids != special[0], "token_type_ids": types,
            "labels": labels, "next_sentence_label": torch.tensor(strangers)}

def log_frequencies(tokenizer, documents):  # 11: the scores of a guesser who only counts pieces
    counts = Counter(piece for lines in documents for piece in tokenizer.tokenize(" ".join(lines)))
    return torch.tensor([math.log(counts[piece] + 1) for piece in tokenizer.pieces])

def losses(model, input_ids, attention_mask, token_type_ids, labels, next_sentence_label):  # 12
    output = model.bert(input_ids, attention_mask, token_type_ids)
    asked = labels != -100  # the others need no scores
    words, pairs = model.cls(output.last_hidden_state[asked], output.pooler_output)
    return cross_entropy(words, labels[asked]), cross_entropy(pairs, next_sentence_label)

@torch.no_grad()
def measure(model, batch, by_frequency):  # 13: both losses, and that of frequencies between them
    pieces, pairs = losses(model.eval(), **batch)
    model.train()
    guess = cross_entropy(by_frequency.expand(*batch["labels"].shape, -1), batch["labels"])
    return pieces.item(), guess.item(), pairs.item()

def train(model, tokenizer, documents, held_out, steps, size=16, max_length=64, peak=2e-3,
          seed=0):  # 13: and tell every hundred steps what is lost on documents held out
    device = next(model.parameters()).device
    rng, generator = random.Random(seed), torch.Generator().manual_seed(seed)
    by_frequency = log_frequencies(tokenizer, documents).to(device)

    def draw(source):
        batch = draw_batch(tokenizer, source, size, max_length, rng, generator)
        return {name: rows.to(device) for name, rows in batch.items()}

    optimizer = torch.optim.AdamW(model.train().parameters(), weight_decay=0.01)
    started, found = time.time(), []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = peak * min(10 * step, (steps - step) / 0.9) / steps
        pieces, pairs = losses(model, **draw(documents))
        optimizer.zero_grad()
        (pieces + pairs).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        done = step + 1
        if done % 10 == 0 or done == steps:
            found.append(measure(model, draw(held_out), by_frequency))
        if done % 100 == 0 or done in (10, steps):
            pieces, guess, pairs = (sum(column) / len(found) for column in zip(*found))
            tell(f"step {done:5}   pieces {pieces:.2f} (frequencies alone {guess:.2f})   "
                 f"pairs {pairs:.2f} (a coin {math.log(2):.2f})", done, steps, started)
            found = []
    return model.eval()

def save_pretrained(model, tokenizer, folder):  # 15: Hugging Face's layout, whole or not at all
    weights = {name: tensor.cpu() for name, tensor in model.state_dict().items()
               if "decoder" not in name}  # which are the table, and the bias beside it
    fields = {"architectures": [type(model).__name__], "model_type": "bert", **vars(model.config)}
    cuts = {"tokenizer_class": "BertTokenizer", "do_lower_case": tokenizer.do_lower_case}
    files = {
        "model.safetensors": save(weights, {"format": "pt"}),
        "config.json": json.dumps(fields, indent=2).encode(),
        "vocab.txt": "".join(f"{piece}\n" for piece in tokenizer.pieces).encode(),
        "tokenizer_config.json": json.dumps(cuts).encode(),
    }
    with TemporaryDirectory(dir=Path(folder).parent) as draft:
        made = Path(draft, "model")
        made.mkdir()
        for name, content in files.items():
            Path(made, name).write_bytes(content)
        made.rename(folder)  # which fails where something is already

def load_pretrained(folder):  # 15: Hugging Face's layout; a file without heads is an encoder
    model = BertForPreTraining(BertConfig(**json.loads(Path(folder, "config.json").read_text())))
    weights = {}
    for name, tensor in load_file(Path(folder, "model.safetensors")).items():
        if not re.search("decoder|position_ids", name):
            name = name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias")
            weights[name] = tensor
    if "pooler.dense.weight" not in weights:
        model.bert.pooler = None
    if "cls.seq_relationship.weight" not in weights:
        del model.cls.seq_relationship
        model.cls.seq_relationship = lambda pooled_output: None
    model = model if "cls.predictions.bias" in weights else model.bert
    names = {name.removeprefix("bert."): name for name in model.state_dict() if "deco" not in name}
    if strange := names.keys() ^ weights.keys():
        raise ValueError(f"{folder} is no BERT of this page: {min(strange)} is missing or unknown")
    model.load_state_dict({names[name]: weights[name] for name in names}, strict=False)
    return model.eval()

def load_tokenizer(folder, do_lower_case=True):  # 15: False for a cased model
    text = Path(folder, "vocab.txt").read_text(encoding="utf-8")
    return WordPieceTokenizer(text.removesuffix("\n").split("\n"), do_lower_case)

@torch.no_grad()
def fill(model, tokenizer, text, top=5):  # 11: the likeliest pieces for the first [MASK]
    ids, _ = tokenizer.encode(text, max_length=math.inf)  # nothing is cut, not even a [MASK]
    room, mask = model.config.max_position_embeddings, tokenizer.vocab["[MASK]"]
    if mask not in ids or len(ids) > room:
        raise ValueError(f"ask with a [MASK] in at most {room - 2} tokens, not {len(ids) - 2}")
    row = torch.tensor([ids], device=next(model.parameters()).device)
    logits = model(row).prediction_logits[0, ids.index(mask)]
    probs, best = logits.softmax(-1).topk(top)
    return [(tokenizer.pieces[number], prob) for number, prob in zip(best, probs.tolist())]

def main(text, question, out, steps):  # 14: pre-train on a text, save the model, and ask it
    if "[MASK]" not in question:
        raise ValueError(f"{question!r} has no [MASK] to fill")
    if steps < 1:
        raise ValueError(f"--steps {steps} is below 1")
    if os.path.lexists(out):
        raise ValueError(f"{out} is there already; name a new folder after --out")
    TemporaryDirectory(dir=Path(out).parent).cleanup()  # raises now if nothing can be saved there
    device, documents = choose_device(), read_documents(text)
    words = count_words(documents)
    print(f"{len(documents)} documents, {words.total()} words, {len(words)} different; on {device}",
          flush=True)
    long = sum(count for word, count in words.items() if len(word) > 100)
    if long >= 0.2 * words.total():
        raise ValueError(f"{text} has {words.total()} words, {long} of more than 100 characters, "
                         "which become [UNK], nothing to learn; put spaces between the words")
    tokenizer = WordPieceTokenizer(learn_pieces(words, vocab_size=2000))
    config = BertConfig(vocab_size=len(tokenizer.pieces), hidden_size=128, num_hidden_layers=2,
                        num_attention_heads=4, intermediate_size=512, max_position_embeddings=32,
                        initializer_range=0.09, hidden_dropout_prob=0.0,
                        attention_probs_dropout_prob=0.0)  # for a run of minutes
    torch.manual_seed(0)
    model = BertForPreTraining(config).to(device)
    fill(model, tokenizer, question)  # which raises if the question is too long
    learned, held_out = documents, documents  # of a short text, nothing is held out
    if len(documents) >= 20:
        learned, held_out = [d for n, d in enumerate(documents) if n % 10], documents[::10]
    train(model, tokenizer, learned, held_out, steps, max_length=32)
    save_pretrained(model, tokenizer, out)
    for piece, prob in fill(model, tokenizer, question):
        print(f"{prob:.3f}  {piece}")

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train a small BERT on a text, and ask it.")
    parser.add_argument("text", help="a sentence on each line, a blank line between documents")
    parser.add_argument("question", help='such as "the man [MASK] the book"')
    parser.add_argument("--out", default="my-bert", help="a new folder for the model")
    parser.add_argument("--steps", type=int, default=5000, help="of training; 5000 if not said")
    try:
        main(**vars(parser.parse_args()))
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        sys.exit(f"line {line} of the text is not UTF-8; save the text as UTF-8")
    except (KeyboardInterrupt, OSError, ValueError) as error:
        sys.exit(re.sub(r"^\[\w+ \d+\] ", "", f"{error}") or "stopped")
