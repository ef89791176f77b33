"""Mistakes in classes of readers: in which one, what stands there, and what is typed instead."""

SCALE = "math.sqrt(h // self.heads)"
ADDED = "scores if mask is None else scores + mask"
RESULT = "return context, probs if show else None"
FORWARD = "b, s, h = x.shape"
KEPT = "self.LayerNorm(x + self.drop(self.dense(context)))"
POOLED = "torch.tanh(self.dense(x[:, 0]))"

# A promise that is broken in a way of its own, in the reader's file.
BROKEN = [
    ("MySelfAttention", "self.drop(F", "F.dropout(F", "evaluation. What is drawn by chance"),
    ("MySelfAttention", FORWARD, f"{FORWARD}; x += 1", "changes its input"),
    ("MySelfAttention", RESULT, f"context = context + x.mean(0); {RESULT}",
     "another one of the batch"),
    ("MySelfAttention", "probs, v)", "torch.eye(s).to(x).expand_as(probs), v)", "no other one"),
    ("MySelfAttention", RESULT, f"context = context + x[:, :1]; {RESULT}", "another order"),
    ("MySelfAttention", "scores + mask", "scores + mask.clamp(min=-3)", "the real tokens"),
    ("MySelfAttention", RESULT, "return context, scores", "rows of your map do not sum to 1"),
    ("MySelfAttention", RESULT, "return context, F.softmax(scores, -1)",
     "gives padding some probability"),
    ("MySelfAttention", RESULT, "return context * (1 + show), probs", "differ from those without"),
    ("MySelfAttention", RESULT, "return context, probs.roll(1, 1) if show else None",
     "What is done to either of the three?"),
    (
        "MySelfAttention",
        "scores + mask",
        "scores.masked_fill(mask < 0, -math.inf)",
        "nothing but padding gives NaN",
    ),
    ("MySelfAttention", "self.drop(F", "(F", "with attention_probs_dropout_prob = 1"),
    ("MySelfAttention", "config.attention_probs_dropout_prob", "0.3", "dropout rates of 0"),
    ("MySelfOutput", KEPT, "self.LayerNorm(self.drop(x + self.dense(context)))",
     "on what is added to a residual"),
    ("MySelfOutput", "self.dense(context)", "self.dense(context).cumsum(1)", "treats each alone"),
    ("MySelfOutput", "x + self", "self", "input_tensor has no effect"),
    ("MySelfOutput", "self.drop(self.dense(context))", "x", "The first argument has no effect"),
    ("MyBert", "self.encoder(x, mask,", "self.encoder(x * 0, mask,", "the embeddings go through"),
    ("MyBert", "(input_ids, token_type_ids,", "(input_ids, None,", "Another segment gives"),
    ("MyBert", "if attention_mask is not None:", "if attention_mask is None and input_ids is not "
     "None:\n            attention_mask = (input_ids != 4).long()\n        "
     "if attention_mask is not None:", "a mask of ones"),
    ("MyBert", "        initialize_weights(self, config.initializer_range)\n", "", "start as BERT"),
    ("MyBert", "MyPooler(config) if add_pooling_layer else None", "MyPooler(config)",
     "your class still has a pooler"),
    ("MyEmbeddings", "self.word_embeddings(ids)", "self.word_embeddings(ids * 0)", "Another word"),
    ("MyEmbeddings", "if positions is None:", "if True:", "Another position gives"),
    ("MyEmbeddings", "segments = torch.zeros(", "segments = torch.ones(", "those of segment 0"),
    ("MyEmbeddings", "torch.arange(seq, device=x.device)",
     "(torch.arange(seq, device=x.device) + 1)", "positions 0, 1, 2"),
    ("MyEmbeddings", "vectors is None else vectors", "vectors is None else -vectors",
     "inputs_embeds that hold"),
    ("MyPooler", "x[:, 0]", "x[:, 1]", "The first token has no effect"),
    ("MyPooler", "x[:, 0]", "(x[:, 0] + x[:, 1])", "Other tokens than the first"),
    ("MyPredictionHead", "self.decoder.weight, self.decoder.bias = table.weight, self.bias",
     "self.decoder.bias = self.bias", "does not follow the table"),
    ("MyBert", "token_type_ids", "segment_ids", "Called by names"),
    ("MyBert", "        self.config = config\n", "", "self.config is missing"),
    ("MyEncoder", "maps if show else None", "maps", "that nobody has asked for"),
    ("MyPretraining", "mlm + nsp", "(mlm + nsp) / 2", "How are the two put together?"),
    ("MyPretraining", "(pairs, next_sentence_label)", "(pairs, 1 - next_sentence_label)",
     "are reversed. Which number"),
    ("MyPretraining", "x.pooler_output", "x.last_hidden_state[:, 0]", "What stands between"),
    ("MyPretraining", "attention_mask, token_type_ids, position_ids, inputs_embeds)",
     "attention_mask, None, position_ids, inputs_embeds)", "To whom must token_type_ids"),
    ("MyDropout", " / (1 - self.p)", "", "be divided by 0.75"),
]  # fmt: skip

# Other numbers, another gradient, or nothing that could be compared.
FAULTS = [
    ("MyIntermediate", "self.dense(x)", "1.5 * self.dense(x)", "differs from ours with the same"),
    ("MySelfAttention", "\", probs, v)", "\", probs.detach(), v)",
     "gradient of query.weight is not"),
    ("MyPooler", POOLED, POOLED + ".detach()", "no gradient reaches dense.weight"),
    ("MyEmbeddings", ", config.pad_token_id)", ")", "the padding token, 4, which must not learn"),
    ("MyEmbeddings", "position_embeddings(positions)", "position_embeddings(ids)",
     "asked for a row that it has not got"),
    ("MyEmbeddings", "super().__init__()", "pass", "Does __init__ begin with super().__init__()?"),
    ("MySelfAttention", RESULT, "return context", "should be a tuple of context, probs"),
    ("MySelfAttention", RESULT, "pass", "forward returns nothing yet"),
    ("MySelfAttention", "if show else None", "if not show else None",
     "probs is None; it should be"),
    ("MySelfAttention", ".reshape(b, s, h)", "",
     "context has the shape (6, 5, 3, 4); it should be (6, 5, 12)"),
    ("MySelfAttention", ".reshape(b, s, h)", ".reshape(b, s, h).float()",
     "context is torch.float32"),
    ("MySelfAttention", "scores + mask", "scores + mask.float()", "in torch.bfloat16, it stopped"),
    ("MySelfAttention", "bihd,bjhd->bhij", "bihd,bigd->bihg", "heads stand before the tokens"),
    ("MySelfAttention", "def forward", "def foward", "a method of the name forward"),
    ("MySelfAttention", "self.heads = config.num_attention_heads", "pass", "Is it set in __init__"),
    ("MySelfAttention", "x, mask=None, show=False", "x",
     "must take (self, hidden_states, additive_mask"),
    ("MySelfAttention", "(f(x)", "(f(x).transpose(0, 1)", "view cannot"),
    ("MyPooler", "self.dense", "self.linear", "it lacks dense.weight (hidden, hidden)"),
    ("MyPooler", "x[:, 0]", "x[:, 0].squeeze()",
     "has the shape (12,); it should be (1, 12). squeeze takes away each axis of length 1"),
    ("MyEncoder", "states, maps = (x,), ()", "states, maps = (), ()",
     "hidden_states is a tuple of 2; it should be a tuple of 3 values"),
    ("MyEncoder", "return BertModelOutput(x, None", "return (x, None", "without last_hidden_state, "
     "pooler_output, hidden_states, attentions; return a BertModelOutput"),
    ("MyBert", "if attention_mask is not None:", "if True:\n            attention_mask = "
     "attention_mask if attention_mask is not None else torch.ones_like(input_ids)",
     "Which argument may be None"),
    ("MyPretrainingHeads", "nn.Linear(config.hidden_size, 2)", "nn.Linear(config.hidden_size, 1)",
     "For how many answers does the softmax need a score?"),
    ("MyPredictionHead", "self.decoder(self.transform(x))",
     "self.decoder(self.transform(x.flatten(0, 1))).unflatten(0, x.shape[:2])", "So it is called "
     "with hidden_states of shape (6, 12)"),
]  # fmt: skip

# Right for itself, and stopped by what a later chapter does.
LATER = [
    ("MyLayer", "mask=None, show=False", "mask, show", "Which defaults do the other arguments"),
    ("MyEmbeddings", "ids=None, segments=None, positions=None, vectors=None",
     "ids, segments, positions, vectors", "Which defaults do the other arguments"),
    ("MyPooler", POOLED, "torch.tanh(F.linear(x[:, 0], self.dense.weight, self.dense.bias))",
     "is built but not called itself"),
    ("MyAttention", "self.self(x, mask, show)", "self.self(x, mask, show=show)",
     "without names, in the order of the contract"),
    ("MyEmbeddings", "self.dropout = nn.Dropout(config.hidden_dropout_prob)",
     "self.dropout = nn.Dropout(config.hidden_dropout_prob)\n        self.register_buffer("
     "'position_ids', torch.arange(config.max_position_embeddings))", "Is there a buffer?"),
    ("MySelfAttention", RESULT, f"self.probs = probs\n        {RESULT}",
     "Is a result kept, as in self.probs = probs?"),
    ("MyEncoder", "self.layer = |for layer in self.layer:",
     "self.count = config.num_hidden_layers\n        self.layer = |"
     "for layer in [self.layer[n] for n in range(self.count)]:", "Over what does its loop go"),
    ("MyEncoder", "(*states, x)", "(*states, x.clone())", "not the tensor that goes on"),
    ("MyEmbeddings", "torch.arange(seq, device=x.device)", "torch.arange(seq)",
     "Is it made with device=hidden_states.device"),
    ("MySelfAttention", RESULT, f"{RESULT.replace('return ', 'return [')}]",
     "the result is a list of 2; it should be a tuple of context, probs"),
    ("MySelfAttention", "probs, v).reshape(b, s, h)", "probs, v); out = torch.empty_like(x).view("
     "b, s, self.heads, -1); out[torch.arange(b, device=x.device)] = context; "
     "context = out.reshape(b, s, h)", "Which line asks for two tensors of one dtype?"),
    ("MySelfAttention", "scores + mask", "scores.masked_fill(mask < 0, torch.finfo(x.dtype).min)",
     "in Chapter 7 it holds one for each distance"),
    ("MyPretrainingHeads", "self.predictions(x), self", "self.predictions(x.view(-1, x.shape[1], "
     "x.shape[2])), self", "Print the shapes before that line|IndexError"),
]  # fmt: skip

SUM = "scores = scores + mask"
BLOCK = "return self.output(context, hidden_states), probs"
HANDED = "hidden_states, additive_mask, output_attentions\n"
COUNT = "config.num_hidden_layers"
SOLVED_MASK = """(None if attention_mask is None
                else additive_mask(attention_mask, x.dtype))"""
REPLACED = "return output._replace(pooler_output=pooled)"
BARE = " if add_pooling_layer else None"
BIAS = "torch.nn.Parameter(torch.zeros(config.vocab_size))"
WORDS = "masked_lm_loss(words, mlm)"
TOTAL = "sum(both) if both else None"

# The same in the chapters' solutions.
SOLVED = [
    ("MyEmbeddings", "self.dropout(self.LayerNorm(x))", "self.LayerNorm(self.dropout(x))",
     "on the embeddings after LayerNorm"),
    ("MySelfAttention", SUM, "scores = scores.masked_fill(mask < 0, -1e9)",
     "too large for half precision"),
    ("MySelfAttention", "self.dropout)\n", "dropout)\n", "is called by self. and its name"),
    ("MySelfAttention", "self.key, self.value = (|range(3))",
     "self.dense, self.value = (|range(3))\n        self.key = self.dense",
     "dense.bias, which BertSelfAttention has not"),
    ("MySelfOutput", "self.LayerNorm = ", "self.norm = ", "the names that the contract gives them"),
    ("MyAttention", BLOCK, "return self.output(context), probs",
     "says how each is built and called"),
    ("MyAttention", "context, probs = self.self(", "context, probs = self(", "It calls itself"),
    ("MyAttention", "context, probs = self.self(", "context = probs = self.self(",
     "Something else stands there than you think"),
    ("MyAttention", BLOCK, "return self.output(hidden_states, hidden_states), probs",
     "Does what attention finds reach the result?"),
    ("MyAttention", 'part(BertSelfAttention)', "__import__('minibert').attention.BertSelfAttention",
     "is built by its name in your class"),
    ("MyIntermediate", "ACTIVATIONS[config.hidden_act]", "nn.GELU()",
     "or the one that config.hidden_act names"),
    ("MyIntermediate", "ACTIVATIONS[config.hidden_act]", "ACTIVATIONS(config.hidden_act)",
     "how is it looked up"),
    ("MyIntermediate", "config.hidden_size, config.intermediate_size",
     "config.intermediate_size, config.hidden_size", "What does the config call the two?"),
    ("MyLayer", 'part(BertAttention)', 'part(BertSelfAttention)',
     "where the block `attention` belongs"),
    ("MyLayer", HANDED, "hidden_states, additive_mask.to(hidden_states.dtype), output_attentions\n",
     "Which argument may be None"),
    ("MyEncoder", "torch.nn.ModuleList", "list", "Do the layers stand in an nn.ModuleList?"),
    ("MyEncoder", COUNT, "12", "How many layers does config.num_hidden_layers ask for"),
    ("MyBert", SOLVED_MASK, "None if attention_mask is None else additive_mask(attention_mask)",
     "in torch.bfloat16, the encoder gets a mask in torch.float32"),
    ("MyBert", SOLVED_MASK, "additive_mask((input_ids != 0).long(), x.dtype)",
     "Is the mask made from the ids?"),
    ("MyBert", REPLACED, "output.pooler_output = pooled; return output", "makes another one of it"),
    ("MyBert", BARE, " if add_pooling_layer else torch.nn.Identity()",
     "your class returns a pooler_output"),
    ("MyPredictionHeadTransform", "torch.nn.LayerNorm", "torch.nn.BatchNorm1d",
     "BatchNorm normalizes over the batch"),
    ("MyPredictionHead", BIAS, "torch.nn.Parameter(torch.randn(config.vocab_size))",
     "Your bias does not start at 0"),
    ("MyPredictionHead", BIAS, "torch.zeros(config.vocab_size)", "neither a tensor nor a module"),
    ("MyPredictionHead", "self.decoder(self", "torch.nn.Embedding(9, 9)(self",
     "with all its rows?"),
    ("MyPreTraining", WORDS,
     "torch.nn.functional.cross_entropy(words.flatten(0, 1), mlm.flatten(), ignore_index=0)",
     "unless ignore_index names another"),
    ("MyPreTraining", "= self.bert.embeddings.word_embeddings", "= self.bert.embeddings",
     "The head takes the"),
    ("MyPreTraining", "None if mlm is None else", "None if not mlm else", "neither true nor false"),
    ("MyPreTraining", "attention_mask, token_type_ids,\n   ",
     "token_type_ids, attention_mask,\n   ",
     "What stands where the mask belongs?"),
    ("MyPreTraining", "self.bert.embeddings.word_embeddings",
     "torch.nn.Embedding(config.vocab_size, config.hidden_size)",
     "Which table does the decoder share?"),
    ("MyPreTraining", TOTAL, "sum(both)", "What is the sum of no losses"),
]  # fmt: skip
