"""Form sections of the network: what a planner types, and the fine structure an import brings. Qt-free."""

from __future__ import annotations

from engine.plan import Plan, field_specs, get_value
from engine.text import N_
from gui.forms.sections import Entry, FormSection, entries

FINE = ("architecture.state_space.", "architecture.linear_attention.", "architecture.details.")
"""Parts of the network nobody types: they are shown where an import has set them."""


def mixture(plan: Plan) -> bool:
    """For networks with experts."""
    return plan.architecture.num_experts > 0


def several_kinds(plan: Plan) -> bool:
    """For networks whose layers differ."""
    return bool(plan.architecture.layer_groups)


def attentive(plan: Plan) -> bool:
    """For networks whose layers are not listed one kind at a time."""
    return not plan.architecture.layer_groups


def _fine(path: str) -> Entry:
    default = field_specs()[path].default
    return Entry(path, lambda plan: bool(get_value(plan, path) != default))


ARCHITECTURE = FormSection(
    "architecture",
    N_("Architecture"),
    (
        *entries(
            "architecture",
            "model_name",
            "num_hidden_layers",
            "hidden_size",
            "intermediate_size",
            "num_attention_heads",
            "num_key_value_heads",
            "vocab_size",
            "kind",
            "head_dim",
            "max_position_embeddings",
        ),
        *entries("architecture", "layer_groups", when=several_kinds),
        *entries("architecture", "sliding_window", when=attentive),
        *entries(
            "architecture",
            "gated_mlp",
            "tie_word_embeddings",
            "num_experts",
        ),
        *entries(
            "architecture",
            "num_experts_per_tok",
            "moe_intermediate_size",
            "shared_expert_intermediate_size",
            "first_k_dense_replace",
            when=mixture,
        ),
        *entries(
            "architecture",
            "q_lora_rank",
            "kv_lora_rank",
            "qk_nope_head_dim",
            "qk_rope_head_dim",
            "v_head_dim",
        ),
    ),
)
FINE_STRUCTURE = FormSection(
    "fine_structure",
    N_("Fine structure"),
    tuple(_fine(path) for path in field_specs() if path.startswith(FINE)),
)
