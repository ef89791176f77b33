"""Common mistakes in self-attention. Chapter 8."""

from .mutation import NO_BIAS

_BY_VIEW = "self.split_heads → (lambda x: x.reshape(len(x), -1, x.shape[1], self.head_size))"
_JOINED_BY_VIEW = "self.join_heads → (lambda x: x.reshape(len(x), x.shape[2], -1))"
SELF_ATTENTION = {
    "self.head_size → self.query.in_features": "You divide the scores by √hidden. How long are the "
        "vectors that a head multiplies?",
    "/ math.sqrt(self.head_size) →": "You do not divide the scores. How large does a sum of "
        "head_size products grow, and what does the softmax make of it?",
    "math.sqrt(self.head_size) → self.head_size": "You divide the scores by head_size. Does the "
        "spread of a sum of head_size products grow as head_size, or as its root?",
    "self.head_size → self.query.in_features / self.head_size": "You divide the scores by the root "
        "of the number of heads. How long are the vectors that a head multiplies?",
    ("scores + additive_mask → scores || scores.softmax(dim=-1) → "
     "scores.softmax(dim=-1) * (1 if additive_mask is None else additive_mask == 0)"): "You hide "
        "the padding after the softmax. Do the rows of the map still sum to 1? What must be hidden "
        "before the softmax, and how?",
    ("scores + additive_mask → scores || self.dropout(scores.softmax(dim=-1)) → "
     "self.dropout(scores.softmax(dim=-1)) + (0 if additive_mask is None else additive_mask)"):
        "The mask is added to the probabilities. To what is it to be added?",
    "scores + additive_mask → scores + (1 - additive_mask) * -1e9": "The mask is "
        "turned once more. What stands in it where a query may look, and what where not?",
    "scores + additive_mask → scores": "The mask has no effect. To what is it to "
        "be added?",
    ("scores + additive_mask → scores.masked_fill(additive_mask == 0, "
     "-1e9)"): "You hide where the additive mask is 0, and that is where a query may look. To what "
        "is it to be added?",
    ("scores + additive_mask → (scores if additive_mask is None else "
     "scores.masked_fill(additive_mask < 0, torch.finfo(scores.dtype).min)) ¦ (scores if "
     "additive_mask is None else scores.masked_fill(additive_mask != 0, "
     "torch.finfo(scores.dtype).min)) ¦ (scores if additive_mask is None else "
     "scores.where(additive_mask == 0, torch.finfo(scores.dtype).min))"): "You hide where the mask "
        "is not 0, or below it. Its other numbers count as well: in Chapter 7 it holds one for "
        "each distance. To what is it to be added?",
    ("/ math.sqrt(self.head_size) → || scores + additive_mask → (scores + "
     "additive_mask) / math.sqrt(self.head_size)"): "The mask is divided along "
        "with the scores. Which of the two steps comes first?",
    "scores + additive_mask → scores - additive_mask": "You subtract the mask. It is "
        "very negative already where nobody may look: what does adding it do?",
    "scores + additive_mask → scores * additive_mask": "You multiply the scores by "
        "the mask. To what is it to be added?",
    "probs if output_attentions else None → None": "No map is returned, though it is asked for. "
        "scaled_dot_product_attention gives none: where output_attentions is true, write the "
        "softmax out.",
    "self.join_heads(probs @ value) → (probs @ value).flatten(2)": "The heads are flattened before "
        "the tokens. Which two axes must change places back first?",
    "self.key(hidden_states) → self.query(hidden_states)": "Your keys are made by the layer of the "
        "queries. Which layer makes them?",
    "dim=-1 → dim=-2": "Your softmax runs over the queries. Which axis must sum to 1: to whom does "
        "one token share out its attention?",
    "dim=-1 → dim=1": "Your softmax runs over the heads. Which axis must sum to 1: to whom does "
        "one token share out its attention?",
    _BY_VIEW: "The shape is right, but a head holds several pieces of one token. Cut the last axis "
        "in two first. Which two axes must then change places?",
    f"{_BY_VIEW} || {_JOINED_BY_VIEW}": "The shapes are right, but a head holds several pieces of "
        "one token. Cut the last axis in two first. Which two axes must then change places, and "
        "back again at the end?",
    ("self.split_heads → (lambda x: x.unflatten(-1, (self.head_size, -1)).permute(0, 3, 1, "
     "2))"): "You deal the numbers out like cards, one to each head in turn. Which numbers does "
        "the first head take?",
    _JOINED_BY_VIEW: "The heads are right, but their contexts are joined wrongly. Which two axes "
        "must change places back, before the last two are flattened?",
    "self.query( → self.key( || self.key( → self.query(": "Your queries and keys have changed "
        "places. Whose is a row of the map, the one who looks or the one who is looked at?",
    "self.value( → self.key(": "You mix the keys. What does a token take from those it looks at?",
    "self.value(hidden_states) → hidden_states": "You mix the hidden states. What makes the "
        "values?",
    "self.join_heads(probs @ value) → hidden_states + self.join_heads(probs @ value)": "A residual "
        "is added. Which part of the block does that?",
    **NO_BIAS,
}  # fmt: skip
