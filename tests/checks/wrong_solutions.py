"""What readers type in place of a line of the solutions: where, what, and what they are told."""

SUM = "scores = scores + mask"
MAP = "return context, probs if output_attentions else None"
MIXED = "(probs @ value).transpose(1, 2).flatten(2), probs"
FUSED = (
    "torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, "
    "dropout_p=dropout.p if dropout.training else 0.0).transpose(1, 2).flatten(2), None"
)
BLOCK = "return self.output(context, hidden_states), probs"
MIX = "mixed = self.dropout(self.dense(hidden_states))"
NORM = "return self.LayerNorm(mixed + input_tensor)"
FRAME = "return self.LayerNorm(input_tensor + narrow)"
HANDED = "hidden_states, additive_mask, output_attentions\n"
END = "return self.output(wide, attended), probs"
TAKEN = "x, probs = layer(x, mask, output_attentions)"
COLLECT = f"            {TAKEN}\n            states.append(x)"
LATE = f"            states.append(x)\n            {TAKEN}"
STATES = "hidden_states=tuple(states) if output_hidden_states"
MAPS = "attentions=tuple(maps) if output_attentions"
RESULT = f"""        return BertModelOutput(
            x, {STATES} else None,
            {MAPS} else None)"""
COUNT = "config.num_hidden_layers"
IDS = "input_ids, token_type_ids, position_ids, inputs_embeds)"
MASK = """(None if attention_mask is None
                else additive_mask(attention_mask, x.dtype))"""
FLAGS = "x, mask, output_attentions, output_hidden_states)"
POOLED = "self.pooler and self.pooler(output.last_hidden_state)"
REPLACED = "return output._replace(pooler_output=pooled)"
BARE = " if add_pooling_layer else None"
START = "        initialize_weights(self, config.initializer_range)\n"
BIAS = "torch.nn.Parameter(torch.zeros(config.vocab_size))"
TIED = "        self.decoder.weight = word_embeddings.weight\n"
SCORED = "self.decoder(self.transform(hidden_states))"
WORDS = "masked_lm_loss(words, mlm)"
PAIRS = "next_sentence_loss(pairs, nsp)"
TOTAL = "sum(both) if both else None"
FIELDS = "words, pairs, mlm, nsp)"
INSIDE = "x.last_hidden_state, x.pooler_output"

# For each class: what stands there, what is typed instead (several between bars), and the hint.
WRONG = {
    "MyEmbeddings": [
        ("if token_type_ids is None:", "if True:", "Another segment gives the same vector"),
        ("if position_ids is None:", "if True:", "Another position gives the same vector"),
        (" = 0 * places", " = places.clamp(max=1)", "are not those of segment 0"),
        (", config.pad_token_id)", ")", "in the row of the padding token"),
        (", config.layer_norm_eps)", ")", "PyTorch's own ε, 1e-5"),
        ("x + self.token_type_embeddings(token_type_ids)", "x", "Segments have no effect"),
        ("self.dropout(self.LayerNorm(x))", "self.LayerNorm(self.dropout(x))",
         "on the embeddings after LayerNorm"),
        ("config.hidden_dropout_prob", "0.1", "Do the rates come from the config?"),
        ("self.position_embeddings(position_ids)", "self.token_type_embeddings(position_ids)",
         "row that it has not got"),
        ("places = torch.arange(x.shape[1], device=x.device)",
         "places = torch.arange(1, x.shape[1] + 1, device=x.device)", "With what do you"),
        ("config.type_vocab_size, hidden", "2, hidden", "instead of (5, 6), (types, hidden)"),
    ],
    "MySelfAttention": [
        (SUM, "scores = scores.masked_fill(mask == 0, -1e9)", "hide where the additive"),
        (SUM, "scores = scores.masked_fill(mask < 0, -1e9)", "too large for half precision"),
        (SUM, "scores = scores - mask", "You subtract the mask"),
        (SUM, "scores = scores * mask", "You multiply the scores by the mask"),
        (MIXED, FUSED, "scaled_dot_product_attention gives none"),
        ("@ value).transpose(1, 2)", "@ value)", "The heads are flattened before the tokens"),
        ("(self.query, self.key,", "(self.query, self.query,", "made by the layer of the queries"),
        ("key.transpose(-1, -2)", "key", "In attention, the heads stand before the tokens"),
        ("config.attention_probs", "config.hidden", "on the embeddings after LayerNorm"),
        (MAP, "return context, context if output_attentions else None", "the shape"),
        (", probs", ", scores", "do not sum to 1"),
        ("self.key, self.value = (|range(3))",
         "self.dense, self.value = (|range(3))\n        self.key = self.dense",
         "dense.bias, which self_attention has not"),
    ],
    "MySelfOutput": [
        (NORM, "return self.LayerNorm(mixed)", "The residual has no effect"),
        (NORM, "return self.LayerNorm(mixed) + input_tensor", "normalize and then add"),
        (NORM, "return mixed + input_tensor", "that go into LayerNorm"),
        (NORM, "return self.LayerNorm(mixed + 2 * input_tensor)", "The residual is added twice"),
        (NORM, "return self.LayerNorm(mixed + hidden_states)", "input_tensor has no effect"),
        (MIX, "mixed = self.dropout(hidden_states)", "dense is built and never used"),
        (MIX, "mixed = self.dense(input_tensor)", "The first argument has no effect"),
        (MIX, "mixed = self.dense(self.dropout(hidden_states))", "on what is added to a residual"),
        (MIX, "mixed = self.dense(hidden_states)", "on what is added to a residual"),
        (MIX, "mixed = nn.functional.gelu(self.dense(hidden_states))", "after the linear layer"),
        ("(hidden, config.layer_norm_eps)", "(hidden)", "PyTorch's own ε, 1e-5"),
        ("self.LayerNorm = ", "self.norm = ", "the names that the contract gives them"),
    ],
    "MyAttention": [
        (BLOCK, "return self.output(hidden_states, context), probs",
         "found and what went into the block"),
        (BLOCK, "return self.output(hidden_states, hidden_states), probs", "is not used"),
        (BLOCK, "return self.output(context, context), probs", "is also your residual"),
        (BLOCK, "return context, probs", "Your block ends after self-attention"),
        (BLOCK, "return self.output(context, hidden_states) + hidden_states, probs",
         "The residual is added once more"),
        (BLOCK, "return self.output(context, hidden_states)",
         "should be a tuple of context, probs"),
        (BLOCK, "return self.output(context, hidden_states), None", "is what comes back returned"),
        ("hidden_states, additive_mask, output_attentions)\n", "hidden_states, None, "
         "output_attentions)\n", "does not get the mask"),
        ("hidden_states, additive_mask, output_attentions)\n", "hidden_states, "
         "output_attentions, additive_mask)\n", "have changed places"),
        ("hidden_states, additive_mask, output_attentions)\n", "hidden_states, "
         "additive_mask)\n", "The map is missing"),
        ("context, probs = self.self(", "context = probs = self.self(",
         "A tuple of context and map is handed on"),
        ("self.self", "self.attention",
         "the names that the contract gives them"),
        ("super().__init__()\n", "pass\n", "Does __init__ begin with super"),
    ],
    "MyIntermediate": [
        ("ACTIVATIONS[config.hidden_act]", "nn.GELU()", "or the one that config.hidden_act names"),
        ("ACTIVATIONS[config.hidden_act]", "nn.SiLU()", "Your activation is SiLU"),
        ("ACTIVATIONS[config.hidden_act]", "config.hidden_act", "config.hidden_act is a name"),
        ("self.activation(self.dense(hidden_states))",
         "self.dense(self.activation(hidden_states))", "before the linear layer"),
        ("self.dense(hidden_states)", "self.activation(self.dense(hidden_states))",
         "The activation comes twice"),
    ],
    "MyOutput": [
        (FRAME, "return self.LayerNorm(input_tensor + narrow) + input_tensor",
         "once more after LayerNorm"),
        (FRAME, "return self.LayerNorm(2 * input_tensor + narrow)", "The residual is added twice"),
        (FRAME, "return self.LayerNorm(nn.functional.gelu(narrow) + input_tensor)",
         "after the linear layer"),
        (FRAME, "return self.LayerNorm(nn.functional.gelu(narrow + input_tensor))",
         "after the sum"),
        (FRAME, "return self.dropout(self.LayerNorm(input_tensor + self.dense(wide_states)))",
         "on what is added to a residual"),
    ],
    "MyLayer": [
        (END, "return self.output(wide, attended) + attended, probs",
         "What attention returns is added once more"),
        (END, "return self.output(wide, attended) + hidden_states, probs", "added at the end"),
        (END, "return self.output(attended, wide), probs",
         "output does not get the wide vectors first"),
        (END, "return self.output(attended, attended), probs",
         "output does not get the wide vectors first"),
        (END, "return self.output(wide, attended), None", "is what comes back returned?"),
        ("self.intermediate(attended)|(wide, attended)",
         "self.intermediate(hidden_states)|(wide, hidden_states)",
         "What attention has found is not used"),
        ("self.intermediate(attended)|(wide, attended)",
         "self.intermediate(hidden_states)|(wide, hidden_states) + attended",
         "halves stand side by side"),
        ("(attended)", "(attended + hidden_states)", "Which part has added them already?"),
        ("        wide =", "        attended = attended + hidden_states; wide =",
         "to what attention returns. Which"),
        (HANDED, "hidden_states, output_attentions, additive_mask\n",
         "The mask and output_attentions have changed places"),
        (HANDED, "hidden_states, None, output_attentions\n", "Attention does not get the mask"),
        ("attended, probs = self", "attended = probs = self",
         "A tuple of vectors and map is handed on"),
        ("self.attention(\n", "self.attention.self(\n", "Your first half is self-attention alone"),
        (HANDED, "hidden_states, additive_mask.to(hidden_states.dtype), output_attentions\n",
         "Which argument may be None"),
        ("self.attention", "self.attn", "the names that the contract gives them"),
    ],
    "MyEncoder": [
        (TAKEN + "|maps.append(probs)",
         "x, mask = layer(x, mask, output_attentions)|maps.append(mask)",
         "The map of one layer is the mask of the next"),
        (TAKEN + "|maps.append(probs)", "x, mask = layer(x, mask)|maps.append(mask)",
         "takes the place of the mask"),
        (TAKEN, "x = probs = layer(x, mask, output_attentions)",
         "A tuple of vectors and map is handed on"),
        (TAKEN, "x, probs = layer(x, output_attentions, mask)",
         "The mask and output_attentions have changed places"),
        (TAKEN, "x, probs = layer(x, mask)", "The maps are missing"),
        (TAKEN, "x, probs = layer(states[0], mask, output_attentions)",
         "Every layer gets the embeddings"),
        (TAKEN, "y, probs = layer(x, mask, output_attentions); x = x + y",
         "You add what went into a layer"),
        ("maps.append(probs)", "maps.append(probs); mask = None",
         "Only the first layer gets the mask"),
        ("maps.append(probs)", "maps = [probs]", "Only the map of the last layer"),
        ("[x], []", "[], []", "With what does the list begin?"),
        (COLLECT, LATE, "the first one stands twice"),
        (COLLECT + "|[x], []", LATE + "|[], []", "When does your loop collect?"),
        (STATES + "|" + MAPS,
         "hidden_states=tuple(maps) if output_attentions|attentions=tuple(states) if "
         "output_hidden_states", "have changed places in the result"),
        ("hidden_states=tuple|attentions=tuple", "tuple|tuple", "Without their names the fields"),
        ("if output_hidden_states else|(maps) if output_attentions",
         "if output_attentions else|(maps) if output_hidden_states",
         "output_attentions and output_hidden_states have changed"),
        ("in self.layer:", "in self.layer[:-1]:", "Your loop stops before the last layer"),
        (RESULT, "    " + RESULT, "how far is the return indented?"),
        ("            x, hidden", "            states[0], hidden",
         "what went into the first layer"),
        ("            x, hidden", "            states[-2], hidden",
         "what went into the last layer"),
        ("torch.nn.ModuleList", "list", "Do the layers stand in an nn.ModuleList?"),
        ("self.layer", "self.layers", "the names that the contract gives them"),
        (COUNT, "12", "How many layers does config.num_hidden_layers ask for"),
        (COUNT, "config.num_attention_heads",
         "How many layers does config.num_hidden_layers ask for"),
        ('[\n            part("layer")(config) for _ in range(config.num_hidden_layers)]',
         '[part("layer")(config)] * config.num_hidden_layers', "each of them built anew"),
    ],
    "MyBert": [
        (MASK, "None if attention_mask is None else additive_mask(attention_mask)",
         "in torch.bfloat16, the encoder gets a mask in torch.float32"),
        (MASK, "None if attention_mask is None else (1.0 - attention_mask[:, None, None]) * -1e9",
         "in torch.bfloat16, the encoder gets a mask in torch.float32"),
        (MASK, "additive_mask(attention_mask, x.dtype)", "Which argument may be None"),
        (MASK, "attention_mask", "The layers get attention_mask as it is"),
        (MASK, "None if attention_mask is None else additive_mask(1 - attention_mask, x.dtype)",
         "Your mask is inverted"),
        (MASK, "additive_mask((input_ids != 0).long(), x.dtype)", "Is the mask made from the ids?"),
        (MASK, "additive_mask(input_ids.ne(0).long(), x.dtype)", "Is the mask made from the ids?"),
        (MASK,
         "None if input_ids is None else additive_mask(input_ids != self.config.pad_token_id, "
         "x.dtype)", "Your mask is made from the ids"),
        (IDS, "input_ids, position_ids, token_type_ids, inputs_embeds)",
         "Segments and positions have changed places"),
        (IDS, "input_ids, attention_mask, position_ids, inputs_embeds)",
         "where the segments belong"),
        (IDS, "input_ids, attention_mask, token_type_ids, position_ids)",
         "the first four arguments of forward"),
        (IDS, "input_ids, token_type_ids, position_ids)", "The embeddings get no inputs_embeds"),
        (IDS, "input_ids, token_type_ids, None, inputs_embeds)",
         "The positions that are given have no effect"),
        (IDS, "input_ids)", "The embeddings get nothing but ids"),
        (FLAGS, "x, None, output_attentions, output_hidden_states)",
         "The mask does not reach the encoder"),
        (FLAGS, "x, mask, output_hidden_states, output_attentions)",
         "output_attentions and output_hidden_states have changed"),
        (FLAGS, "x, mask)", "Are both flags handed on"),
        (POOLED, "output.last_hidden_state[:, 0]", "the vector of [CLS] as the encoder gives it"),
        (POOLED, "self.pooler and output.last_hidden_state[:, 0]",
         "the vector of [CLS] as the encoder gives it"),
        (POOLED, "self.pooler and self.pooler(output.last_hidden_state[:, 0])",
         "The pooler gets one vector for each sentence"),
        (POOLED, "self.pooler and self.pooler(x)", "The pooler gets the embeddings"),
        (POOLED, "self.pooler and self.pooler(output)", "Which of its fields does it need?"),
        (POOLED, "self.pooler(output.last_hidden_state)", "Which argument may be None"),
        (REPLACED, "return output", "who fills it in?"),
        (REPLACED, "output.pooler_output = pooled; return output", "makes another one of it"),
        (REPLACED, "return BertModelOutput(output.last_hidden_state, pooled)",
         "keep what it returns?"),
        (START, "", "start as BERT"),
        (BARE, "", "your class still has a pooler"),
        (BARE, " if add_pooling_layer else torch.nn.Identity()",
         "your class returns a pooler_output"),
    ],
    "MyPredictionHead": [
        (BIAS, "torch.nn.Parameter(torch.randn(config.vocab_size))",
         "Your bias does not start at 0"),
        ("self.decoder.bias = self.bias", "self.bias = self.decoder.bias",
         "Your bias does not start at 0"),
        (BIAS, "torch.zeros(config.vocab_size)", "neither a tensor nor a module"),
        (TIED, "        self.decoder.weight = word_embeddings\n", "neither a tensor nor a module"),
        (TIED, "", "does not follow the table"),
        (TIED, "        self.decoder.weight.data = word_embeddings.weight.data.clone()\n",
         "does not follow the table"),
        (SCORED, f"{SCORED} + self.bias", "The bias is added twice"),
        (SCORED, f"{SCORED}.softmax(-1)", "You return probabilities"),
        (SCORED, f"{SCORED}.log_softmax(-1)", "You return log-probabilities"),
        (SCORED, "self.decoder(self.transform(self.transform(hidden_states)))",
         "The vectors are transformed twice"),
        (SCORED, "self.transform(hidden_states) @ self.decoder.weight",
         "what does each part take?"),
    ],
    "MyPreTraining": [
        (WORDS,
         "torch.nn.functional.cross_entropy(words.flatten(0, 1), mlm.flatten(), ignore_index=0)",
         "unless ignore_index names another"),
        (WORDS, "masked_lm_loss(words, mlm.clamp(min=0))", "you take word 0 for the answer"),
        (WORDS, "masked_lm_loss(words, mlm.masked_fill(mlm == 0, -100))", "Word 0 is left out"),
        (WORDS, "masked_lm_loss(words.softmax(-1), mlm)",
         "The loss of the words takes probabilities"),
        (PAIRS, "next_sentence_loss(pairs.softmax(-1), nsp)",
         "The loss of the pairs takes probabilities"),
        (WORDS + "|" + PAIRS,
         "masked_lm_loss(words.softmax(-1), mlm)|next_sentence_loss(pairs.softmax(-1), nsp)",
         "Both losses take probabilities"),
        (WORDS,
         "torch.nn.functional.cross_entropy(words.flatten(0, 1), mlm.flatten(), reduction='sum')",
         "Over what is the mean taken?"),
        ("words, pairs = self", "pairs, words = self", "The two scores have changed places"),
        (INSIDE, "x.pooler_output, x.last_hidden_state", "The two heads have each other's vectors"),
        (FIELDS, "words, pairs, nsp, mlm)", "The two losses have changed places"),
        (TOTAL, "mlm", "The loss of the pairs is not added"),
        (TOTAL, "nsp", "The loss of the words is not added"),
        (TOTAL, "sum(both)", "What is the sum of no losses"),
        ("attention_mask, token_type_ids,\n   ", "None, token_type_ids,\n   ",
         "The mask does not reach the encoder"),
        ("(self.cls.predictions.transform, self.cls.seq_relationship)",
         "(self.cls.seq_relationship,)", "start as BERT"),
    ],
}  # fmt: skip
