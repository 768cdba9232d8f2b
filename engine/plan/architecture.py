"""The neural network's shape, with Hugging Face's field names."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from engine.plan.base import Contradiction, Section, Whole, declare
from engine.text import N_, Message


class Architecture(Section):
    """Shape of a decoder network; counts unless a unit is given."""

    model_name: str = declare(N_("Model"), default="", help=N_("Name shown on pages."), max_length=200)
    hidden_size: Whole = declare(N_("Hidden size"), ge=8, le=1_000_000)
    num_hidden_layers: Whole = declare(N_("Layers"), ge=1, le=10_000)
    num_attention_heads: Whole = declare(N_("Attention heads"), ge=1, le=10_000)
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
    intermediate_size: Whole = declare(N_("MLP size"), ge=1, le=10_000_000)
    vocab_size: Whole = declare(N_("Vocabulary"), unit="tokens", ge=2, le=10_000_000)
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

    @property
    def key_value_heads(self) -> int:
        """Key-value heads, filled in when the field is empty."""
        return self.num_key_value_heads or self.num_attention_heads

    @property
    def head_size(self) -> int:
        """Size of one head, filled in when the field is empty."""
        return self.head_dim or max(1, self.hidden_size // self.num_attention_heads)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        heads, experts, layers = self.num_attention_heads, self.num_experts, self.num_hidden_layers
        if heads % self.key_value_heads:
            raise Contradiction(
                "num_key_value_heads",
                Message(N_("a divisor of the {heads} attention heads"), {"heads": heads}),
            )
        if self.num_experts_per_tok > experts or (experts and not self.num_experts_per_tok):
            some = Message(N_("1 to {experts}, the number of experts"), {"experts": experts})
            raise Contradiction("num_experts_per_tok", some if experts else Message(N_("0 without experts")))
        if self.first_k_dense_replace > layers:
            raise Contradiction(
                "first_k_dense_replace", Message(N_("at most the {layers} layers"), {"layers": layers})
            )
        return self
