"""Common mistakes in sublayers, layers and the encoder. Chapter 8."""

from functools import partial

from torch import nn
from torch.nn import functional

from .mutation import NO_BIAS, NO_NORM, epsilons, replacing

FRAME = {
    "+ input_tensor →": "The residual has no effect: LayerNorm gets only what is new.",
    "→ self.LayerNorm(self.dense(hidden_states)) + input_tensor": "You normalize and then add. In "
        "which order does BERT do it?",
    "+ input_tensor → - input_tensor": "The residual is subtracted. What does a residual "
        "connection do with it?",
    "→ self.LayerNorm(self.dense(input_tensor) + hidden_states)": "dense gets the residual. Which "
        "of the two arguments of forward comes first, and which one goes through dense?",
    "+ input_tensor → + 2 * input_tensor": "The residual is added twice. How often does BERT add "
        "it?",
    "+ input_tensor) → + input_tensor) + input_tensor": "The residual is added once more after "
        "LayerNorm. How often does BERT add it?",
    "self.dense(hidden_states) → -self.dense(hidden_states)": "What is new is subtracted. What "
        "does a residual connection do with it?",
    "self.dense(hidden_states) → nn.functional.gelu(self.dense(hidden_states))": "There is an "
        "activation after the linear layer. Which part of the layer has the only one?",
    "→ self.LayerNorm(nn.functional.gelu(self.dense(hidden_states) + input_tensor))": "There is an "
        "activation after the sum. Which part of the layer has the only one?",
    ("→ self.dense(hidden_states) + self.LayerNorm(input_tensor)",
     "→ self.dense(self.LayerNorm(hidden_states)) + input_tensor"): "You normalize before the sum. "
        "That is the other order, pre-norm or near it; when does BERT normalize?",
    **NO_NORM,
    **NO_BIAS,
    **epsilons("LayerNorm.eps"),
}  # fmt: skip
SELF_OUTPUT = {
    "self.dense(hidden_states) → hidden_states": "dense is built and never used. What mixes what "
        "the heads found?",
    "→ self.LayerNorm(self.dense(hidden_states + input_tensor))": "dense gets the sum. What goes "
        "past it?",
    **FRAME,
}  # fmt: skip
ACTIVATION = {
    replacing("activation", partial(functional.gelu, approximate="tanh")): "Your GELU goes by "
        "tanh: near, but not the exact one. Which of the two is \"gelu\", and which "
        "is \"gelu_new\"?",
    replacing("activation", functional.relu): "Your activation is ReLU. Which one does "
        "config.hidden_act ask for?",
    replacing("activation", functional.silu): "Your activation is SiLU, x times its sigmoid. Which "
        "one does config.hidden_act ask for?",
    "self.dense(hidden_states) → self.activation(self.dense(hidden_states))": "The activation "
        "comes twice. How often does BERT apply it?",
    ("self.activation(self.dense(hidden_states)) → "
     "self.dense(self.activation(hidden_states))"): "Your activation comes before the linear "
        "layer. Which of them is first?",
    replacing("activation", nn.Identity()): "There is no activation. What stands after the linear "
        "layer?",
}  # fmt: skip
INTERMEDIATE = {
    **ACTIVATION,
    replacing("activation", nn.Softmax(-1)): "Your activation is a softmax. Which one does "
        "config.hidden_act ask for?",
    ("self.activation(self.dense(hidden_states)) → nn.functional.layer_norm("
     "self.activation(self.dense(hidden_states)), [self.dense.out_features])"): "You normalize the "
        "wide vectors. Which part has the LayerNorm?",
    **NO_BIAS,
}  # fmt: skip
ATTENTION = {
    ("→ normalized = self.output.LayerNorm(hidden_states); context, probs = "
     "self.self(normalized, additive_mask, output_attentions); return hidden_states + "
     "self.output.dense(context), probs"): "LayerNorm comes first in your class, and nothing comes "
        "after the sum: pre-norm. When does BERT normalize?",
    "(context, hidden_states) → (hidden_states, context)": "What the heads found and what went "
        "into the block have changed places. Which of them goes through dense, and which is the "
        "residual?",
    "(context, hidden_states) → (context, context)": "What the heads found is also your residual. "
        "What went into the block?",
    "(context, hidden_states) → (hidden_states, hidden_states)": "What the heads found is not "
        "used. What goes through dense?",
    "self.output(context, hidden_states) → context": "Your block ends after self-attention. What "
        "mixes the heads, and where is the residual?",
    "additive_mask, output_attentions → None, output_attentions": "Self-attention does not get the "
        "mask. Is it handed on?",
    "additive_mask, output_attentions → output_attentions, additive_mask": "The mask and "
        "output_attentions have changed places. In which order does self-attention take them?",
    ", output_attentions) →  )": "The map is missing. Is output_attentions handed on to "
        "self-attention, and is what comes back returned?",
    "context, probs = → context = probs =": "A tuple of context and map is handed on as if it were "
        "the context. Are both taken apart?",
    **NO_BIAS,
}  # fmt: skip
LAYER = {
    ("→ first, second = self.attention, self.output; normalized = "
     "first.output.LayerNorm(hidden_states); context, probs = first.self(normalized, "
     "additive_mask, output_attentions); x = hidden_states + first.output.dense(context); "
     "return x + second.dense(self.intermediate(second.LayerNorm(x))), probs"): "LayerNorm comes "
        "first in both halves of your layer: pre-norm. When does BERT normalize?",
    ("→ x = self.output(self.intermediate(hidden_states), hidden_states); return "
     "self.attention(x, additive_mask, output_attentions)"): "Your halves have changed places. "
        "Which of them comes first?",
    ("wide = self.intermediate(attended) → attended, probs = self.attention(attended, "
     "additive_mask, output_attentions); wide = self.intermediate(attended)"): "The tokens attend "
        "twice. How often does each half act in a layer?",
    ("return self.output(wide, attended) → x = self.output(wide, attended); return "
     "self.output(self.intermediate(x), x)"): "The feed-forward network acts twice. How often does "
        "each half act in a layer?",
    "return self.output(wide, attended), probs → return probs, self.output(wide, attended)": "The "
        "map comes first in what you return. In which order does the contract name the two?",
    "(wide, attended) → (wide, hidden_states)": "What your second half keeps is the input of the "
        "layer. What went into the feed-forward network?",
    "(attended) → (hidden_states)": "Your feed-forward network gets the input of the layer. What "
        "is it to think about?",
    "(attended) → (hidden_states) || wide, attended → wide, hidden_states": "What attention has "
        "found is not used. What goes into the second half, and what does it keep?",
    "(attended) → (hidden_states) || wide, attended) → wide, hidden_states) + attended": "Your "
        "halves stand side by side and are added. What does the second half of BERT's layer take?",
    "self.output(wide, attended) → attended": "Your layer ends after attention. Where is the "
        "feed-forward network?",
    "wide, attended) → wide, attended) + attended": "What attention returns is added once more. "
        "Which part adds the residual already?",
    "wide, attended) → wide, attended) + hidden_states": "The input of the layer is added at the "
        "end. Which parts add the residuals already?",
    ("(attended) → (attended + hidden_states) || wide, attended → wide, attended + "
     "hidden_states"): "The input of the layer is added to what attention returns. Which part has "
        "added it already?",
    "(attended) → (attended + hidden_states)": "The feed-forward network gets what attention "
        "returns and the input of the layer. Which part has added them already?",
    "(wide, attended) → (attended, wide)": "output does not get the wide vectors first. Which of "
        "its arguments is wide, and which is the residual?",
    "self.attention( → self.attention.self(": "Your first half is self-attention alone. What else "
        "does the block `attention` do?",
    "additive_mask → None": "Attention does not get the mask. Is it handed on?",
    "additive_mask, output_attentions → output_attentions, additive_mask": "The mask and "
        "output_attentions have changed places. In which order do they go in?",
    ", output_attentions →": "The map is missing. Is output_attentions handed on to attention, and "
        "is what comes back returned?",
    "attended, probs = → attended = probs =": "A tuple of vectors and map is handed on as if it "
        "were the vectors. Are both taken apart?",
    **NO_BIAS,
}  # fmt: skip
_LATE = (  # collected before each layer, in any case
    "states.append(hidden_states) → pass || hidden_states, probs = layer → "
    "states.append(hidden_states); hidden_states, probs = layer"
)
ENCODER = {
    "additive_mask → None": "The mask does not reach the layers. Is it handed on to each of them?",
    "(probs) → (probs); additive_mask = None": "Only the first layer gets the mask. What becomes "
        "of it in your loop?",
    ", probs = → , additive_mask = || (probs) → (additive_mask)": "The map of one layer is the "
        "mask of the next. Which name does your loop give twice?",
    (", probs = → , additive_mask = || , output_attentions) → ) || (probs) → (additive_mask)"):
        "What a layer returns beside the vectors takes the place of the mask. Which name does your "
        "loop give twice?",
    ", output_attentions) →  )": "The maps are missing. Is output_attentions handed on to the "
        "layers?",
    "additive_mask, output_attentions → output_attentions, additive_mask": "The mask and "
        "output_attentions have changed places. In which order do they go in?",
    "hidden_states, probs = → hidden_states = probs =": "A tuple of vectors and map is handed on "
        "as if it were the vectors. Are both taken apart?",
    "if output_hidden_states: → if True: || layer(hidden_states → layer(states[0]": "Every layer "
        "gets the embeddings. What should the second layer get?",
    "= layer( → = self.layer[0](": "All layers compute with the weights of the first. Does each "
        "have its own turn?",
    "in self.layer: → in self.layer[::-1]:": "Your layers run from the last to the first. In which "
        "order is the stack passed?",
    "in self.layer: → in self.layer[:-1]:": "Your loop stops before the last layer. Does it go "
        "through all of self.layer, and how far is the return indented?",
    ("hidden_states, probs = → x, probs = || (probs) → (probs); hidden_states = "
     "hidden_states + x"): "You add what went into a layer to what comes out. Who has added the "
        "residuals already?",
    "[hidden_states], [] → [], []": "What goes into the first layer is a hidden state, too. With "
        "what does the list begin?",
    f"{_LATE} || [hidden_states], [] → [], []": "What comes out of the last layer is a hidden "
        "state, too. When does your loop collect?",
    _LATE: "Each hidden state is collected before its layer, so the first one stands twice and the "
        "last one is missing.",
    ("hidden_states=tuple(states) if output_hidden_states → hidden_states=tuple(attentions) "
     "if output_attentions || attentions=tuple(attentions) if output_attentions → "
     "attentions=tuple(states) if output_hidden_states"): "Maps and hidden states have changed "
        "places in the result. Which belong under hidden_states?",
    "hidden_states=tuple → pooler_output=tuple || attentions=tuple → hidden_states=tuple":
        "Without their names the fields of a BertModelOutput are filled in turn, and the second is "
        "pooler_output. Write hidden_states=… and attentions=….",
    ("if output_hidden_states else → if output_attentions else || if output_attentions else "
     "→ if output_hidden_states else"): "output_attentions and output_hidden_states have changed "
        "places. Which of them asks for the maps?",
    "attentions.append(probs) → attentions = [probs]": "Only the map of the last layer is there. "
        "Does the list grow?",
    ("hidden_states,\n        hidden_states= → "
     "nn.functional.layer_norm(hidden_states, hidden_states.shape[-1:]),\n        hidden_states="):
        "You normalize once more at the top. Which part has normalized already?",
    ("if output_hidden_states: → if True: || hidden_states,\n        hidden_states= → "
     "states[0],\n        hidden_states="): "last_hidden_state is what went into the first layer. "
        "What comes out of the last one?",
    ("if output_hidden_states: → if True: || hidden_states,\n        hidden_states= → "
     "states[-2],\n        hidden_states="): "last_hidden_state is what went into the last layer. "
        "What comes out of it?",
}  # fmt: skip
