"""The encoder: embeddings, a stack of layers, and a summary of the whole sequence. Chapter 10."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from .attention import additive_mask
from .config import BertConfig
from .embeddings import BertEmbeddings
from .inputs import require_tensor
from .layer import BertLayer
from .parts import part


class BertModelOutput(NamedTuple):
    """What the encoder returns.

    Args:
        last_hidden_state: One vector per token, out of the last layer.
        pooler_output: One vector per sequence, each number between -1 and 1; None without a pooler.
        hidden_states: On request, what goes into the first layer and what comes out of each.
        attentions: On request, the attention weights that each layer has used.

    >>> model = BertModel(BertConfig.tiny(vocab_size=9))
    >>> output = model(torch.tensor([[2, 5, 3]]), output_attentions=True)
    >>> output.last_hidden_state.shape, output.pooler_output.shape, len(output.attentions)
    (torch.Size([1, 3, 128]), torch.Size([1, 128]), 2)
    """

    last_hidden_state: Float[Tensor, "batch seq hidden"]
    pooler_output: Float[Tensor, "batch hidden"] | None = None
    hidden_states: tuple[Float[Tensor, "batch seq hidden"], ...] | None = None
    attentions: tuple[Float[Tensor, "batch heads seq seq"], ...] | None = None


class BertEncoder(nn.Module):
    """Send the vectors through all layers, one after the other, with the same mask for each.

    Source: Devlin et al. (2019), section 3.

    >>> BertEncoder(BertConfig.tiny())(torch.randn(1, 5, 128)).last_hidden_state.shape
    torch.Size([1, 5, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.layer = nn.ModuleList(part(BertLayer)(config) for _ in range(config.num_hidden_layers))

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertModelOutput:
        """Return the vectors after the stack; the output has no `pooler_output`.

        `hidden_states`, `additive_mask`, `output_attentions`: as `BertSelfAttention` takes them.
        `output_hidden_states` adds the vectors before, between and after the layers.
        """
        states, attentions = [hidden_states], []
        for layer in self.layer:
            hidden_states, probs = layer(hidden_states, additive_mask, output_attentions)
            attentions.append(probs)
            if output_hidden_states:
                states.append(hidden_states)
        return BertModelOutput(
            hidden_states,
            hidden_states=tuple(states) if output_hidden_states else None,
            attentions=tuple(attentions) if output_attentions else None,
        )


class BertPooler(nn.Module):
    """Summarize a sequence by the vector of its first token, [CLS].

    ``tanh(dense(hidden_states[:, 0]))``.

    >>> BertPooler(BertConfig.tiny())(torch.randn(1, 5, 128)).shape
    torch.Size([1, 128])
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(
        self, hidden_states: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch hidden"]:
        """Return one vector per sequence of `hidden_states`, each number between -1 and 1."""
        first = hidden_states[:, 0]  # (batch, hidden)
        return self.dense(first).tanh()


class BertModel(nn.Module):
    """Turn token ids into vectors that know their context: BERT without any head.

    ``pooler(encoder(embeddings(input_ids)))``, the pooler if `add_pooling_layer` is True. The names
    of all parameters are Hugging Face's.

    Source: Devlin et al. (2019), section 3.

    >>> model = BertModel(BertConfig.tiny(vocab_size=89)).eval()
    >>> output = model(torch.tensor([[1, 5, 2, 0]]), torch.tensor([[1, 1, 1, 0]]))
    >>> output.last_hidden_state.shape, output.pooler_output.shape
    (torch.Size([1, 4, 128]), torch.Size([1, 128]))
    """

    def __init__(self, config: BertConfig, add_pooling_layer: bool = True) -> None:
        super().__init__()
        self.config = config
        self.embeddings = part(BertEmbeddings)(config)
        self.encoder = part(BertEncoder)(config)
        self.pooler = part(BertPooler)(config) if add_pooling_layer else None
        initialize_weights(self, config.initializer_range)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
        output_attentions: bool | None = False,
        output_hidden_states: bool | None = False,
        return_dict: bool | None = True,
    ) -> BertModelOutput:
        """Encode a batch of sequences.

        Args:
            input_ids: Ids from 0 to ``vocab_size - 1``. Give these or `inputs_embeds`, not both.
            attention_mask: 1 for tokens, 0 for padding; all 1 by default. A row of zeros is no
                error: its numbers are finite but mean nothing.
            token_type_ids: Segment of each token; all 0 by default.
            position_ids: Place of each token; by default 0, 1, 2, ….
            inputs_embeds: One vector for each token instead of the one from the table of words.
            output_attentions: Whether to return the attention weights of every layer.
            output_hidden_states: Whether to return what goes into each layer and comes out last.
            return_dict: Changes nothing: what is returned has names and is a tuple as well.

        Returns:
            The vectors; what stands at padding is to be ignored.
        """
        hidden_states = self.embeddings(
            input_ids, token_type_ids, position_ids, inputs_embeds
        )  # (batch, seq, hidden)
        mask = self._additive_mask(attention_mask, hidden_states)  # (batch, 1, 1, seq)
        output = self.encoder(hidden_states, mask, output_attentions, output_hidden_states)
        if self.pooler is None:
            return output
        pooled = self.pooler(output.last_hidden_state)  # (batch, hidden)
        return output._replace(pooler_output=pooled)

    def _additive_mask(self, attention_mask: Tensor | None, hidden_states: Tensor) -> Tensor | None:
        """Return the mask in the precision of the vectors, if it has an entry for each of them."""
        if attention_mask is None:
            return None
        require_tensor("attention_mask", attention_mask, (), [hidden_states.shape[:2]])
        lowest = torch.finfo(hidden_states.dtype).min
        mask = additive_mask(attention_mask, hidden_states.dtype)
        return mask.clamp(min=lowest / 2)  # the lowest of float16 plus a score would be infinite


@torch.no_grad()
def initialize_weights(module: nn.Module, initializer_range: float) -> None:
    """Give `module` and all its parts the weights with which BERT's training starts.

    Linear layers and embeddings draw from a normal distribution with mean 0 and standard deviation
    `initializer_range`, by torch's global generator; biases and the row of the padding token are 0;
    LayerNorm starts with weight 1 and bias 0.

    >>> _ = torch.manual_seed(0)
    >>> dense = nn.Linear(1000, 1000)
    >>> initialize_weights(dense, 0.02)
    >>> round(dense.weight.std().item(), 4), dense.bias.abs().max().item()
    (0.02, 0.0)
    """
    if any(parameter.is_meta for parameter in module.parameters()):
        return  # sizes without numbers
    for layer in module.modules():
        if isinstance(layer, nn.Linear | nn.Embedding):
            nn.init.normal_(layer.weight, std=initializer_range)
        if isinstance(layer, nn.LayerNorm):
            nn.init.ones_(layer.weight)
        bias = getattr(layer, "bias", None)
        if isinstance(bias, Tensor):  # of the prediction head, too
            nn.init.zeros_(bias)
        if isinstance(layer, nn.Embedding) and layer.padding_idx is not None:
            nn.init.zeros_(layer.weight[layer.padding_idx])
