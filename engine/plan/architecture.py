"""The neural network's shape, with Hugging Face's field names."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from engine.plan.base import Contradiction, Section, Whole, declare
from engine.text import N_, Message

Mixer = Literal[
    "attention",
    "cross_attention",
    "mamba",
    "mamba2",
    "gated_delta_net",
    "kimi_delta_attention",
    "lightning_attention",
    "short_convolution",
    "recurrent",
    "matrix_memory",
    "time_mix",
    "linear",
    "none",
]
MlpKind = Literal["dense", "moe", "linear", "none"]

ATTENTIVE: frozenset[str] = frozenset({"attention", "cross_attention"})
"""Mixers that need attention heads."""


class LayerGroup(Section):
    """Layers that are alike. What is empty is as the network's own field says."""

    count: Whole = declare(N_("Layers of this kind"), ge=1, le=10_000)
    mixer: Mixer = declare(N_("Token mixer"), default="attention")
    second_mixer: Mixer = declare(
        N_("Second token mixer"),
        default="none",
        help=N_("Beside the first, or after it as in the decoder of an encoder-decoder network."),
    )
    mlp: MlpKind | None = declare(
        N_("MLP"), default=None, help=N_("Empty: experts where the network has them.")
    )
    num_attention_heads: Whole | None = declare(N_("Attention heads"), default=None, ge=1, le=10_000)
    num_key_value_heads: Whole | None = declare(N_("Key-value heads"), default=None, ge=1, le=10_000)
    head_dim: Whole | None = declare(N_("Head size"), default=None, ge=1, le=65_536)
    sliding_window: Whole | None = declare(
        N_("Sliding window"), unit="tokens", default=None, help=N_("0: the whole context."), ge=0, le=10**9
    )
    intermediate_size: Whole | None = declare(N_("MLP size"), default=None, ge=1, le=10_000_000)
    norms_per_layer: Whole | None = declare(N_("Norms a layer"), default=None, ge=0, le=16)
    keys_are_values: bool = declare(
        N_("Keys are values"), default=False, help=N_("One projection gives both; both are cached.")
    )
    shares_cache: bool = declare(
        N_("Shares the cache"), default=False, help=N_("Reads the KV cache of an earlier layer.")
    )
    borrows_keys: bool = declare(
        N_("Borrows keys"),
        default=False,
        help=N_("Has no key and value projections: it works with those of an earlier layer."),
    )
    is_encoder: bool = declare(
        N_("Encoder layer"), default=False, help=N_("Every token sees every other; nothing is cached.")
    )
    borrows_weights: bool = declare(
        N_("Borrows weights"),
        default=False,
        help=N_("Attention and MLP work with weights of another layer, counted there."),
    )
    compress_ratio: Whole = declare(
        N_("Tokens a compressed entry"),
        default=0,
        help=N_("Beside its window the layer caches one entry for so many tokens. 0: none."),
        ge=0,
        le=1_000_000,
    )
    indexed: bool = declare(
        N_("Picks compressed entries"), default=False, help=N_("An indexer chooses which ones it reads.")
    )
    other_parameters: Whole = declare(N_("Other parameters a layer"), default=0, ge=0, le=10**13)


class StateSpace(Section):
    """Sizes of Mamba layers (inner size, states, heads) and of other recurrent layers; 0 where unused."""

    inner_size: Whole = declare(N_("Inner size"), default=0, ge=0, le=10_000_000)
    state_size: Whole = declare(N_("State size"), default=0, ge=0, le=1_000_000)
    conv_kernel: Whole = declare(N_("Convolution kernel"), default=0, ge=0, le=10_000)
    time_step_rank: Whole = declare(N_("Time-step rank"), default=0, ge=0, le=1_000_000)
    num_heads: Whole = declare(N_("State heads"), default=0, ge=0, le=1_000_000)
    n_groups: Whole = declare(N_("State groups"), default=0, ge=0, le=100_000)
    conv_bias: bool = declare(N_("Convolution bias"), default=True)
    projection_bias: bool = declare(N_("Projection bias"), default=False)
    inner_norms: bool = declare(N_("Norms inside"), default=False)


class LinearAttention(Section):
    """Sizes of linear-attention layers (delta rule, lightning); 0 where unused."""

    num_key_heads: Whole = declare(N_("Key heads"), default=0, ge=0, le=100_000)
    num_value_heads: Whole = declare(N_("Value heads"), default=0, ge=0, le=100_000)
    key_head_dim: Whole = declare(N_("Key head size"), default=0, ge=0, le=65_536)
    value_head_dim: Whole = declare(N_("Value head size"), default=0, ge=0, le=65_536)
    conv_kernel: Whole = declare(N_("Convolution kernel"), default=0, ge=0, le=10_000)
    full_rank_gates: bool = declare(
        N_("Gates of full rank"), default=False, help=N_("Otherwise through the size of one head.")
    )


class Details(Section):
    """Small parts of a network that only exact counts need; set by an import."""

    attention_bias: bool = declare(N_("Query, key and value biases"), default=False)
    attention_output_bias: bool = declare(N_("Attention output bias"), default=False)
    mlp_bias: bool = declare(N_("MLP biases"), default=False)
    expert_bias: bool = declare(N_("Expert biases"), default=False)
    router_bias: bool = declare(N_("Router bias"), default=False)
    shared_expert_gate: bool = declare(N_("Shared expert gate"), default=False)
    lm_head_bias: bool = declare(N_("Output head bias"), default=False)
    norm_weights: Whole = declare(
        N_("Norm weights a channel"),
        default=1,
        help=N_("1 RMS norm, 2 layer norm with bias, 0 none."),
        ge=0,
        le=2,
    )
    norms_per_layer: Whole = declare(N_("Norms a layer"), default=2, ge=0, le=16)
    final_norms: Whole = declare(N_("Norms outside the layers"), default=1, ge=0, le=16)
    qk_norm: Literal["none", "head", "heads", "width"] = declare(
        N_("Query and key norms"),
        default="none",
        help=N_("One weight a channel of a head, of every head, or of the whole projection."),
    )
    attention_output_gate: Literal["none", "full", "head"] = declare(
        N_("Attention output gate"), default="none"
    )
    attention_sinks: bool = declare(N_("Attention sinks"), default=False)
    position_embeddings: Whole = declare(N_("Learned positions"), default=0, ge=0, le=10**9)
    token_types: Whole = declare(N_("Token types"), default=0, ge=0, le=1_000_000)
    embedding_size: Whole = declare(
        N_("Embedding size"), default=0, help=N_("0: the hidden size."), ge=0, le=1_000_000
    )
    moe_latent_size: Whole = declare(
        N_("Latent size of experts"),
        default=0,
        help=N_("0: experts see the hidden size."),
        ge=0,
        le=1_000_000,
    )
    index_n_heads: Whole = declare(N_("Indexer heads"), default=0, ge=0, le=100_000)
    index_head_dim: Whole = declare(N_("Indexer head size"), default=0, ge=0, le=65_536)
    index_topk: Whole = declare(N_("Tokens the indexer picks"), default=0, ge=0, le=10**9)
    o_lora_rank: Whole = declare(
        N_("Output rank"), default=0, help=N_("0: the output is one matrix."), ge=0, le=1_000_000
    )
    o_groups: Whole = declare(N_("Output groups"), default=0, ge=0, le=100_000)
    has_output_head: bool = declare(N_("Output head"), default=True)
    num_nextn_predict_layers: Whole = declare(
        N_("Layers that predict further tokens"),
        default=0,
        help=N_("Counted apart: not part of the total."),
        ge=0,
        le=1000,
    )
    other_parameters: Whole = declare(N_("Other parameters"), default=0, ge=0, le=10**15)
    vision_parameters: Whole = declare(N_("Parameters of the vision tower"), default=0, ge=0, le=10**13)


class Architecture(Section):
    """Shape of a network; counts unless a unit is given."""

    model_name: str = declare(N_("Model"), default="", help=N_("Name shown on pages."), max_length=200)
    kind: Literal["decoder", "encoder", "encoder_decoder"] = declare(
        N_("Kind of network"), default="decoder", advanced=True
    )
    hidden_size: Whole = declare(N_("Hidden size"), ge=8, le=1_000_000)
    num_hidden_layers: Whole = declare(N_("Layers"), ge=1, le=10_000)
    num_attention_heads: Whole = declare(
        N_("Attention heads"), help=N_("0 only for networks without attention."), ge=0, le=10_000
    )
    num_key_value_heads: Whole | None = declare(
        N_("Key-value heads"),
        default=None,
        help=N_("Empty means one for each attention head."),
        ge=1,
        le=10_000,
    )
    head_dim: Whole | None = declare(
        N_("Head size"),
        default=None,
        help=N_("Empty means hidden size divided by heads."),
        advanced=True,
        ge=1,
        le=65_536,
    )
    intermediate_size: Whole = declare(
        N_("MLP size"), help=N_("0 only for networks without dense MLPs."), ge=0, le=10_000_000
    )
    vocab_size: Whole = declare(N_("Vocabulary"), unit="tokens", ge=2, le=10_000_000)
    max_position_embeddings: Whole | None = declare(
        N_("Longest context"), unit="tokens", default=None, advanced=True, ge=1, le=10**9
    )
    gated_mlp: bool = declare(
        N_("Gated MLP"), default=True, help=N_("Three matrices (SwiGLU) instead of two."), advanced=True
    )
    tie_word_embeddings: bool = declare(
        N_("Tied embeddings"),
        default=False,
        help=N_("Input and output embeddings share weights."),
        advanced=True,
    )
    num_experts: Whole = declare(
        N_("Experts"), default=0, help=N_("0 means a dense network."), advanced=True, ge=0, le=100_000
    )
    num_experts_per_tok: Whole = declare(N_("Experts per token"), default=0, advanced=True, ge=0, le=100_000)
    moe_intermediate_size: Whole | None = declare(
        N_("Expert MLP size"),
        default=None,
        help=N_("Empty means the MLP size."),
        advanced=True,
        ge=1,
        le=10_000_000,
    )
    shared_expert_intermediate_size: Whole = declare(
        N_("Shared expert MLP size"), default=0, advanced=True, ge=0, le=10_000_000
    )
    first_k_dense_replace: Whole = declare(
        N_("Leading dense layers"), default=0, advanced=True, ge=0, le=10_000
    )
    q_lora_rank: Whole = declare(
        N_("Query rank"),
        default=0,
        help=N_("0 means queries without a low-rank form."),
        advanced=True,
        ge=0,
        le=1_000_000,
    )
    kv_lora_rank: Whole = declare(
        N_("Latent cache rank"),
        default=0,
        help=N_("Above 0 means multi-head latent attention."),
        advanced=True,
        ge=0,
        le=1_000_000,
    )
    qk_nope_head_dim: Whole = declare(
        N_("Key size without position"), default=0, advanced=True, ge=0, le=65_536
    )
    qk_rope_head_dim: Whole = declare(N_("Key size with position"), default=0, advanced=True, ge=0, le=65_536)
    v_head_dim: Whole | None = declare(
        N_("Value head size"),
        default=None,
        help=N_("Empty means the head size."),
        advanced=True,
        ge=1,
        le=65_536,
    )
    sliding_window: Whole = declare(
        N_("Sliding window"),
        unit="tokens",
        default=0,
        help=N_("0 means every layer sees the whole context."),
        advanced=True,
        ge=0,
        le=10**9,
    )
    layer_groups: Annotated[tuple[LayerGroup, ...], Field(strict=False)] = declare(
        N_("Kinds of layers"),
        default=(),
        help=N_("Empty: all layers are as the fields above say."),
        advanced=True,
        max_length=10_000,
    )
    state_space: StateSpace = Field(default_factory=StateSpace)
    linear_attention: LinearAttention = Field(default_factory=LinearAttention)
    details: Details = Field(default_factory=Details)

    @property
    def key_value_heads(self) -> int:
        """Key-value heads, filled in when the field is empty."""
        return self.num_key_value_heads or self.num_attention_heads

    @property
    def head_size(self) -> int:
        """Size of one head, filled in when the field is empty; 0 without attention."""
        if not self.num_attention_heads:
            return self.head_dim or 0
        return self.head_dim or max(1, self.hidden_size // self.num_attention_heads)

    @property
    def is_latent(self) -> bool:
        """Whether attention caches one latent vector instead of keys and values (MLA)."""
        return self.kv_lora_rank > 0

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        _check_heads(self)
        _check_experts(self)
        _check_layers(self)
        return self


def _check_heads(a: Architecture) -> None:
    heads = a.num_attention_heads
    mixers = {m for g in a.layer_groups for m in (g.mixer, g.second_mixer)} or {"attention"}
    if not heads and mixers & ATTENTIVE:
        raise Contradiction("num_attention_heads", Message(N_("a whole number from 1: some layers attend")))
    if heads and heads % a.key_value_heads:
        raise Contradiction(
            "num_key_value_heads", Message(N_("a divisor of the {heads} attention heads"), {"heads": heads})
        )
    if a.is_latent and not (a.qk_nope_head_dim + a.qk_rope_head_dim and a.v_head_dim):
        needed = Message(N_("0, or qk_nope_head_dim, qk_rope_head_dim and v_head_dim are needed too"))
        raise Contradiction("kv_lora_rank", needed)


def _check_experts(a: Architecture) -> None:
    experts = a.num_experts
    if a.num_experts_per_tok > experts or (experts and not a.num_experts_per_tok):
        some = Message(N_("1 to {experts}, the number of experts"), {"experts": experts})
        raise Contradiction("num_experts_per_tok", some if experts else Message(N_("0 without experts")))
    if experts and not (a.moe_intermediate_size or a.intermediate_size):
        raise Contradiction(
            "moe_intermediate_size", Message(N_("a whole number from 1: the experts have no size"))
        )


def _check_layers(a: Architecture) -> None:
    layers = a.num_hidden_layers
    if a.first_k_dense_replace > layers:
        raise Contradiction(
            "first_k_dense_replace", Message(N_("at most the {layers} layers"), {"layers": layers})
        )
    listed = sum(group.count for group in a.layer_groups)
    if a.layer_groups and listed != layers:
        accepted = Message(
            N_("{listed}, the layers listed in layer_groups, or an empty list of those"), {"listed": listed}
        )
        raise Contradiction("num_hidden_layers", accepted)
    dense = [g for g in a.layer_groups if _group_mlp(a, g) == "dense" and not g.intermediate_size]
    plain = not a.layer_groups and (not a.num_experts or a.first_k_dense_replace)
    if not a.intermediate_size and (dense or plain):
        raise Contradiction(
            "intermediate_size", Message(N_("a whole number from 1: some layers have a dense MLP"))
        )


def _group_mlp(a: Architecture, group: LayerGroup) -> str:
    return group.mlp or ("moe" if a.num_experts else "dense")
