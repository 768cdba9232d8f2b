"""Plans the tests start from: a run, a service and a batch job with nothing to mend, a small network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.catalog import Catalog
from engine.errors import FlopwiseError, InputError
from engine.plan import Plan, PlanErrors, apply_patch, plan_from_data
from engine.recommend.pricing import Pricer
from rules.base import Context, Outcome, Rule
from rules.evaluation import run_rule, thresholds
from rules.registry import RULES

LLAMA_70B: dict[str, Any] = {
    "model_name": "70B",
    "hidden_size": 8192,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "intermediate_size": 28672,
    "vocab_size": 128256,
}
LLAMA_8B: dict[str, Any] = {
    "model_name": "8B",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
}
SMALL: dict[str, Any] = {
    "model_name": "small",
    "hidden_size": 2048,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "intermediate_size": 5632,
    "vocab_size": 32000,
}

# About ten months of 64 H100 of one's own: nothing planted, and long enough that a bought year would pay.
_TRAINING: dict[str, Any] = {
    "workload": {"kind": "pretraining"},
    "architecture": LLAMA_70B,
    "training": {
        "tokens": 2.4e12,
        "sequence_length": 8192,
        "global_batch_tokens": 4194304.0,
        "precision": "fp8",
        "critical_batch_tokens": 5e6,
    },
    "cluster": {
        "accelerator": "h100-sxm",
        "accelerator_count": 64,
        "price_mode": "owned",
        "busy_share": 0.95,
    },
    "layout": {
        "tensor_parallel": 4,
        "pipeline_parallel": 4,
        "context_parallel": 2,
        "expert_parallel": 1,
        "virtual_pipeline": 5,
        "micro_batch": 1,
        "sharding": "zero1",
        "recompute": "none",
    },
    "reliability": {
        "failures_per_node_day": 0.02,
        "checkpoint_write_s": 20.0,
        "restart_s": 600.0,
        "restore_tested": True,
    },
    "governance": {
        "budget": 1e9,
        "tag_coverage": 1.0,
        "budget_alerts": True,
        "evaluation_set": True,
    },
}
_SERVING: dict[str, Any] = {
    "workload": {"kind": "online_inference"},
    "architecture": LLAMA_8B,
    "serving": {
        "requests_per_second": 20.0,
        "input_tokens": 1000.0,
        "output_tokens": 300.0,
        "profile": "flat",
        "weight_precision": "fp8",
        "kv_precision": "fp8",
        "prefix_share": 0.1,
    },
    "cluster": {
        "accelerator": "h100-sxm",
        "price_mode": "reserved",
        "commitment_term_months": 12.0,
        "price_per_gpu_hour": 2.0,
        "busy_share": 0.95,
    },
    "layout": {"tensor_parallel": 1, "pipeline_parallel": 1},
    "governance": _TRAINING["governance"],
}


def training_plan(patch: dict[str, Any] | None = None, /, **fields: Any) -> Plan:
    """The clean training run with some fields changed; keywords spell a dot as two underscores."""
    return _patched(plan_from_data(_TRAINING), patch, fields)


def serving_plan(patch: dict[str, Any] | None = None, /, **fields: Any) -> Plan:
    """The clean service with some fields changed."""
    return _patched(plan_from_data(_SERVING), patch, fields)


def small_plan(patch: dict[str, Any] | None = None, /, **fields: Any) -> Plan:
    """A network of about 1 B parameters on two nodes, bought by the hour."""
    data = {
        **_TRAINING,
        "architecture": SMALL,
        "training": {
            "tokens": 2e10,
            "sequence_length": 2048,
            "global_batch_tokens": 524288.0,
            "precision": "bf16",
        },
        "reliability": {"restore_tested": True},
        "cluster": {"accelerator": "h100-sxm", "accelerator_count": 16, "busy_share": 0.95},
        "layout": {
            **_TRAINING["layout"],
            "tensor_parallel": 1,
            "pipeline_parallel": 1,
            "context_parallel": 1,
            "virtual_pipeline": 1,
            "micro_batch": 16,
            "sharding": "zero3",
        },
    }
    return _patched(plan_from_data(data), patch, fields)


def batch_plan(patch: dict[str, Any] | None = None, /, **fields: Any) -> Plan:
    """An offline job on three single-GPU instances that ends well before its deadline."""
    data = {
        **_SERVING,
        "workload": {"kind": "batch_inference"},
        "serving": {"input_tokens": 1000.0, "output_tokens": 300.0, "weight_precision": "fp8"},
        "batch": {"requests": 1e6, "deadline_hours": 24.0},
        "cluster": {"accelerator": "h100-sxm", "accelerator_count": 3, "price_per_gpu_hour": 2.0},
    }
    return _patched(plan_from_data(data), patch, fields)


def _patched(plan: Plan, patch: dict[str, Any] | None, fields: dict[str, Any]) -> Plan:
    return apply_patch(plan, {**(patch or {}), **{name.replace("__", "."): v for name, v in fields.items()}})


def rule_named(rule_id: str) -> Rule:
    """The registered rule of this id."""
    return next(rule for rule in RULES if rule.id == rule_id)


def context_of(rule_id: str, plan: Plan, catalog: Catalog, *, draws: int = 50) -> Context:
    """What the rule would see of this plan."""
    return Context(Pricer(plan, catalog, draws=draws), thresholds().get(rule_id, {}))


def outcome_of(rule_id: str, plan: Plan, catalog: Catalog, *, draws: int = 50) -> Outcome:
    """What one rule says of this plan."""
    return run_rule(rule_named(rule_id), context_of(rule_id, plan, catalog, draws=draws))


def named_fields(error: FlopwiseError) -> set[str]:
    """Fields that an error names."""
    if isinstance(error, PlanErrors):
        return {item.field for item in error.errors}
    return {error.field} if isinstance(error, InputError) else set()


def refusal(call: Callable[[], object]) -> FlopwiseError | None:
    """The error of ours that a call raises, None when it answers; any other exception passes through."""
    try:
        call()
    except FlopwiseError as error:
        return error
    return None
