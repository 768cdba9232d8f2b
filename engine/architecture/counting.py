"""Parameters and operations of any network, by component: exact whole numbers from its shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from engine.architecture.layers import Attention, LayerKind, layer_kinds
from engine.plan.architecture import Architecture


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters [count] by component; they add up to `total`. `prediction` (MTP) stands beside it.

    `attention` holds every token mixer's projections (state-space and linear layers too); `small` what no
    GEMM reads: norms, biases of norms, gates, convolutions, positions, decay rates.
    """

    embedding: int
    output_head: int
    attention: int
    mlp: int
    experts: int
    shared_experts: int
    router: int
    small: int
    vision: int
    active_experts: int
    prediction: int

    @property
    def total(self) -> int:
        """All parameters of the network and its vision tower, without layers that predict further tokens."""
        return self.dense + self.experts

    @property
    def active(self) -> int:
        """Parameters one text token meets: both embedding matrices and the experts it is routed to."""
        return self.dense - self.vision + self.active_experts

    @property
    def dense(self) -> int:
        """All but the routed experts."""
        return (
            self.embedding
            + self.output_head
            + self.attention
            + self.mlp
            + self.shared_experts
            + self.router
            + self.small
            + self.vision
        )


@dataclass(frozen=True, slots=True)
class _LayerParameters:
    attention: int = 0
    mlp: int = 0
    experts: int = 0
    active_experts: int = 0
    shared_experts: int = 0
    router: int = 0
    small: int = 0


def count_parameters(a: Architecture, *, owned: bool = True) -> Parameters:
    """Count a network's parameters by component; `owned` False counts borrowed weights in every layer.

    Errors: none for a valid Architecture. Equations: sums of the matrices of each layer, see the functions
    below. Source: the published network definitions; Meta-Llama-3.1-8B: 8,030,261,248.
    """
    layers = [(kind.count, _layer(a, kind, owned=owned)) for kind in layer_kinds(a)]
    sums = {
        item.name: sum(count * getattr(layer, item.name) for count, layer in layers)
        for item in fields(_LayerParameters)
    }
    width, d = a.hidden_size, a.details
    embedded = d.embedding_size or width
    # Decoders project in and out again and place positions inside; encoders project once, after positions.
    encoder = a.kind == "encoder"
    projected = (1 if encoder else 2) * embedded * width if embedded != width else 0
    positions = d.position_embeddings * (embedded if encoder else width)
    outside = d.final_norms * d.norm_weights * width + positions + d.token_types * embedded
    sums["small"] += outside + d.other_parameters + d.lm_head_bias * a.vocab_size
    untied = d.has_output_head and not a.tie_word_embeddings
    return Parameters(
        embedding=a.vocab_size * embedded + projected,
        output_head=a.vocab_size * embedded if untied else 0,
        vision=d.vision_parameters,
        prediction=_prediction(a),
        **sums,
    )


def _layer(a: Architecture, kind: LayerKind, *, owned: bool = False) -> _LayerParameters:
    """One layer: its mixers, its MLP, its norms; `owned` leaves out weights it borrows of another layer."""
    mixed, small = 0, 0
    attention = iter(kind.attention)
    borrows = owned and kind.borrows_weights
    for mixer in kind.mixers:
        if mixer in ("attention", "cross_attention"):
            found = next(attention)
            weights, rest = (0, 0) if borrows else _attention(a, found)
        else:
            weights, rest = _MIXERS[mixer](a)
        mixed, small = mixed + weights, small + rest
    norms = kind.norms * a.details.norm_weights * a.hidden_size + kind.other_parameters
    mlp = _LayerParameters() if borrows else _mlp(a, kind)
    return _LayerParameters(
        attention=mixed,
        mlp=mlp.mlp,
        experts=mlp.experts,
        active_experts=mlp.active_experts,
        shared_experts=mlp.shared_experts,
        router=mlp.router,
        small=small + norms + mlp.small,
    )


def _attention(a: Architecture, layer: Attention) -> tuple[int, int]:
    return _latent_attention(a, layer) if layer.latent else _plain_attention(a, layer)


def _plain_attention(a: Architecture, layer: Attention) -> tuple[int, int]:
    """Projections, and biases, norms, gates and sinks: h*(q + k + v) + o*h, or q and o in low rank."""
    width, d = a.hidden_size, a.details
    query = layer.heads * layer.head_dim
    key = layer.key_value_heads * layer.head_dim
    value = layer.key_value_heads * layer.value_dim
    output = layer.heads * layer.value_dim
    stored = 0 if layer.borrows_keys else key if layer.keys_are_values else key + value
    gate = {"none": 0, "full": output, "head": layer.heads}[d.attention_output_gate]
    queries = (width + query) * a.q_lora_rank if a.q_lora_rank else width * query
    outputs = (output + d.o_groups * width) * d.o_lora_rank if d.o_lora_rank else output * width
    weights = queries + width * (stored + gate) + outputs
    small = d.attention_bias * (query + stored) + d.attention_output_bias * width + a.q_lora_rank
    small += d.norm_weights * _head_norms(a, layer) + d.attention_sinks * layer.heads
    return weights, small


def _head_norms(a: Architecture, layer: Attention) -> int:
    owned = not layer.borrows_keys
    heads = layer.heads + owned * layer.key_value_heads
    return {"none": 0, "head": 1 + owned, "heads": heads, "width": heads}[a.details.qk_norm] * layer.head_dim


def _latent_attention(a: Architecture, layer: Attention) -> tuple[int, int]:
    """MLA: queries through q_lora_rank, keys and values through kv_lora_rank, and the sparse indexer."""
    width, d, rank = a.hidden_size, a.details, a.kv_lora_rank
    query = layer.heads * layer.head_dim
    queries = (width + query) * a.q_lora_rank if a.q_lora_rank else width * query
    latents = width * (rank + a.qk_rope_head_dim)
    keys_values = rank * layer.heads * (a.qk_nope_head_dim + layer.value_dim)
    output = layer.heads * layer.value_dim
    gate = {"none": 0, "full": output, "head": layer.heads}[d.attention_output_gate]
    weights = queries + latents + keys_values + (output + gate) * width
    small = a.q_lora_rank + rank
    small += d.attention_bias * ((a.q_lora_rank or 0) + rank + a.qk_rope_head_dim)
    small += d.attention_output_bias * width
    if d.index_n_heads:
        source = a.q_lora_rank or width
        weights += source * d.index_n_heads * d.index_head_dim + width * (d.index_head_dim + d.index_n_heads)
        small += 2 * d.index_head_dim
    return weights, small


def _mamba(a: Architecture) -> tuple[int, int]:
    """Mamba-1: in, x, time-step and out projections; convolution, decay and skip."""
    width, s = a.hidden_size, a.state_space
    inner, states, rank = s.inner_size, s.state_size, s.time_step_rank
    weights = width * 2 * inner + inner * (rank + 2 * states) + rank * inner + inner * width
    small = inner * (s.conv_kernel + s.conv_bias) + inner + inner * states + inner
    small += s.projection_bias * (2 * inner + width) + s.inner_norms * (rank + 2 * states)
    return weights, small


def _mamba2(a: Architecture) -> tuple[int, int]:
    """Mamba-2: one projection to gate, input, B, C and time steps, and one out."""
    width, s = a.hidden_size, a.state_space
    inner, mixed = s.inner_size, s.inner_size + 2 * s.n_groups * s.state_size
    projected = inner + mixed + s.num_heads
    small = mixed * (s.conv_kernel + s.conv_bias) + 3 * s.num_heads + s.inner_norms * inner
    small += s.projection_bias * (projected + width)
    return width * projected + inner * width, small


def _gated_delta_net(a: Architecture) -> tuple[int, int]:
    """Queries, keys, values, output gate; write strength and decay a value head; short convolution."""
    width, n = a.hidden_size, a.linear_attention
    keys, values = n.num_key_heads * n.key_head_dim, n.num_value_heads * n.value_head_dim
    weights = width * (2 * keys + 2 * values + 2 * n.num_value_heads) + values * width
    return weights, (2 * keys + values) * n.conv_kernel + 2 * n.num_value_heads + n.value_head_dim


def _kimi_delta_attention(a: Architecture) -> tuple[int, int]:
    """Delta rule with decay a channel: low-rank decay and output gates, three short convolutions."""
    width, n = a.hidden_size, a.linear_attention
    keys, values = n.num_key_heads * n.key_head_dim, n.num_value_heads * n.value_head_dim
    weights = width * (2 * keys + values + n.num_value_heads) + values * width
    if n.full_rank_gates:
        weights += width * (keys + values)
    else:
        weights += n.key_head_dim * (width + keys) + n.value_head_dim * (width + values)
    small = (2 * keys + values) * n.conv_kernel + n.num_value_heads + keys + n.value_head_dim
    return weights, small


def _lightning_attention(a: Architecture) -> tuple[int, int]:
    """Queries, keys, values, output gate and output, with one norm of the output."""
    n = a.linear_attention
    inner = n.num_value_heads * n.value_head_dim
    return 5 * a.hidden_size * inner, inner


def _matrix_memory(a: Architecture) -> tuple[int, int]:
    """Queries, keys, values, output gate and output; an input and a forget gate a head; one norm."""
    width, n = a.hidden_size, a.linear_attention
    keys, values = n.num_key_heads * n.key_head_dim, n.num_value_heads * n.value_head_dim
    weights = width * (2 * keys + 3 * values + 2 * n.num_value_heads)
    return weights, 2 * n.num_value_heads + values


def _time_mix(a: Architecture) -> tuple[int, int]:
    """Receptance, key, value, output and the MLP's receptance; decay, bonus and five mixing ratios."""
    return 5 * a.hidden_size * a.hidden_size, 7 * a.hidden_size


def _short_convolution(a: Architecture) -> tuple[int, int]:
    """Gated short convolution: h to 3h, a kernel a channel, h to h."""
    width, s = a.hidden_size, a.state_space
    return 4 * width * width, width * (s.conv_kernel + s.conv_bias) + s.projection_bias * 4 * width


def _recurrent(a: Architecture) -> tuple[int, int]:
    """Real-gated linear recurrent unit: two inputs, one output, convolution, two block-diagonal gates."""
    width, s = a.hidden_size, a.state_space
    inner = s.inner_size
    gates = 2 * (inner * inner // max(s.num_heads, 1))
    small = inner * (s.conv_kernel + 1) + 3 * inner + 2 * inner + width
    return 3 * width * inner + gates, small


def _linear(a: Architecture) -> tuple[int, int]:
    return a.hidden_size * a.hidden_size, 0


_MIXERS: Mapping[str, Callable[[Architecture], tuple[int, int]]] = {
    "mamba": _mamba,
    "mamba2": _mamba2,
    "gated_delta_net": _gated_delta_net,
    "kimi_delta_attention": _kimi_delta_attention,
    "lightning_attention": _lightning_attention,
    "short_convolution": _short_convolution,
    "recurrent": _recurrent,
    "matrix_memory": _matrix_memory,
    "time_mix": _time_mix,
    "linear": _linear,
}


def _mlp(a: Architecture, kind: LayerKind) -> _LayerParameters:
    """The MLP of a layer: dense, routed experts with what is shared, one matrix, or none."""
    width, d = a.hidden_size, a.details
    matrices = 3 if a.gated_mlp else 2
    if kind.mlp == "linear":
        return _LayerParameters(mlp=width * width)
    if kind.mlp == "dense":
        inner = kind.intermediate_size
        return _LayerParameters(
            mlp=matrices * width * inner, small=d.mlp_bias * ((matrices - 1) * inner + width)
        )
    if kind.mlp != "moe":
        return _LayerParameters()
    inner, seen = a.moe_intermediate_size or kind.intermediate_size, d.moe_latent_size or width
    expert = matrices * seen * inner + d.expert_bias * ((matrices - 1) * inner + seen)
    latent = 2 * width * seen if d.moe_latent_size else 0
    common = a.shared_expert_intermediate_size
    shared = matrices * width * common
    shared_bias = (matrices - 1) * common + width if common and d.mlp_bias else 0
    return _LayerParameters(
        experts=expert * a.num_experts,
        active_experts=expert * a.num_experts_per_tok,
        shared_experts=shared + latent,
        router=width * a.num_experts,
        small=d.router_bias * a.num_experts + d.shared_expert_gate * width + shared_bias,
    )


def _prediction(a: Architecture) -> int:
    """Layers that predict further tokens: the last layer again, a projection of 2h to h, three norms."""
    if not a.details.num_nextn_predict_layers:
        return 0
    last = _layer(a, layer_kinds(a)[-1])
    whole = last.attention + last.mlp + last.experts + last.shared_experts + last.router + last.small
    joined = 2 * a.hidden_size * a.hidden_size + 3 * a.details.norm_weights * a.hidden_size
    return a.details.num_nextn_predict_layers * (whole + joined)
