"""Layout of the forms, hand-written: sections, order, conditions, words. Qt-free."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.plan import Plan, field_specs
from engine.text import N_

Condition = Callable[[Plan], bool]


def always(plan: Plan) -> bool:
    """For every plan."""
    return True


def training(plan: Plan) -> bool:
    """For the training kinds."""
    return plan.is_training


def online(plan: Plan) -> bool:
    """For online services."""
    return plan.workload.kind == "online_inference"


def batch(plan: Plan) -> bool:
    """For offline inference jobs."""
    return plan.workload.kind == "batch_inference"


def inference(plan: Plan) -> bool:
    """For both kinds of inference."""
    return not plan.is_training


def served(plan: Plan) -> bool:
    """Where the serving section is filled in."""
    return plan.serving is not None and not plan.is_training


def mixture(plan: Plan) -> bool:
    """For networks with experts."""
    return plan.architecture.num_experts > 0


def own_accelerator(plan: Plan) -> bool:
    """For an accelerator with its own figures."""
    return plan.cluster.accelerator_spec is not None


def committed(plan: Plan) -> bool:
    """For reserved capacity."""
    return plan.cluster.price_mode == "reserved"


def spot(plan: Plan) -> bool:
    """For spot capacity."""
    return plan.cluster.price_mode == "spot"


def background_writes(plan: Plan) -> bool:
    """For checkpoints written in the background."""
    return plan.reliability.checkpoint_mode == "async"


def pays_energy(plan: Plan) -> bool:
    """Where energy is paid beside the accelerators."""
    return not plan.operations.energy_included


@dataclass(frozen=True, slots=True)
class Entry:
    """One field in a section and when it is shown."""

    path: str
    when: Condition = always


@dataclass(frozen=True, slots=True)
class FormSection:
    """A titled group of fields."""

    key: str
    title: str
    entries: tuple[Entry, ...]
    when: Condition = always

    def shown(self, plan: Plan) -> tuple[str, ...]:
        """Paths of the fields this plan shows, advanced ones included."""
        return tuple(e.path for e in self.entries if e.when(plan)) if self.when(plan) else ()


def _entries(prefix: str, *names: str, when: Condition = always) -> tuple[Entry, ...]:
    return tuple(Entry(f"{prefix}.{name}", when) for name in names)


SECTIONS: tuple[FormSection, ...] = (
    FormSection(
        "plan",
        N_("Plan and workload"),
        (
            Entry("meta.name"),
            Entry("workload.kind"),
            *_entries("meta", "currency", "project", "team", "owner", "organisation"),
        ),
    ),
    FormSection(
        "training",
        N_("Training"),
        _entries(
            "training",
            "tokens",
            "sequence_length",
            "global_batch_tokens",
            "precision",
            "critical_batch_tokens",
            "evaluation_share",
        ),
        training,
    ),
    FormSection(
        "serving",
        N_("Traffic and targets"),
        (
            *_entries("serving", "requests_per_second", "profile", "peak_to_mean", when=online),
            *_entries("serving", "input_tokens", "output_tokens"),
            *_entries("serving", "ttft_slo_ms", "tpot_slo_ms", when=online),
            *_entries("serving", "weight_precision", "kv_precision", "prefix_hit_rate", "prefix_share"),
            *_entries(
                "serving",
                "autoscale",
                "growth_per_month",
                "arrival_cv",
                "availability",
                "cold_start_s",
                "spare_instances",
                "headroom",
                when=online,
            ),
            *_entries("serving", "max_num_seqs", "instances"),
        ),
        served,
    ),
    FormSection("batch", N_("Batch job"), _entries("batch", "requests", "deadline_hours"), batch),
    FormSection(
        "architecture",
        N_("Architecture"),
        (
            *_entries(
                "architecture",
                "model_name",
                "num_hidden_layers",
                "hidden_size",
                "intermediate_size",
                "num_attention_heads",
                "num_key_value_heads",
                "vocab_size",
                "head_dim",
                "gated_mlp",
                "tie_word_embeddings",
                "num_experts",
            ),
            *_entries(
                "architecture",
                "num_experts_per_tok",
                "moe_intermediate_size",
                "shared_expert_intermediate_size",
                "first_k_dense_replace",
                when=mixture,
            ),
        ),
    ),
    FormSection(
        "cluster",
        N_("Cluster"),
        (
            *_entries("cluster", "accelerator", "accelerator_count", "price_mode", "price_per_gpu_hour"),
            *_entries("cluster", "busy_share", "provider", "region"),
            Entry("cluster.commitment_term_months", committed),
            *_entries("cluster", "accelerators_per_node", "nic_gbps_per_gpu", "scale_up_domain"),
            *_entries(
                "cluster.accelerator_spec",
                "name",
                "memory_gib",
                "memory_bandwidth_gb_per_s",
                "peak_tflops",
                "scale_up_gb_per_s",
                "power_w",
                "accelerators_per_node",
                when=own_accelerator,
            ),
        ),
    ),
    FormSection(
        "layout",
        N_("Layout"),
        (
            *_entries("layout", "tensor_parallel", "pipeline_parallel"),
            *_entries("layout", "micro_batch", "sharding", "recompute", "context_parallel", when=training),
            *_entries("layout", "expert_parallel", when=mixture),
            *_entries("layout", "virtual_pipeline", when=training),
        ),
    ),
    FormSection(
        "reliability",
        N_("Reliability"),
        (
            *_entries(
                "reliability",
                "failures_per_node_day",
                "checkpoint_interval_s",
                "checkpoint_mode",
                "checkpoint_write_s",
            ),
            Entry("reliability.checkpoint_stall_s", background_writes),
            *_entries("reliability", "restart_s", "restore_tested", "detection_s"),
            Entry("reliability.preemptions_per_node_hour", spot),
            Entry("reliability.spare_nodes"),
        ),
        training,
    ),
    FormSection(
        "experiments",
        N_("Experiments"),
        _entries("experiments", "runs", "run_share", "failed_share", "rerun_share"),
        training,
    ),
    FormSection("data", N_("Data"), _entries("data", "acquisition_cost", "preparation_cost")),
    FormSection(
        "storage",
        N_("Storage and network"),
        (
            *_entries("storage", "dataset_gb"),
            *_entries("storage", "checkpoints_kept", "months_after_run", "checkpoint_tier", when=training),
            *_entries("storage", "items"),
            *_entries("network", "egress_gb", "cross_region_gb"),
        ),
    ),
    FormSection("people", N_("People"), _entries("people", "roles")),
    FormSection(
        "operations",
        N_("Operations"),
        (
            *_entries("operations", "monthly_cost", "support_share", "energy_included"),
            Entry("operations.energy_price_per_kwh", pays_energy),
        ),
    ),
    FormSection(
        "schedule",
        N_("Schedule"),
        (
            *_entries("schedule", "start_date", "deadline_days"),
            Entry("schedule.horizon_months", inference),
            *_entries("schedule", "cost_of_delay_per_day", "interruptible"),
        ),
    ),
    FormSection(
        "finance", N_("Finance"), _entries("finance", "ask_percentile", "tax_rate", "contingency", "fx_rates")
    ),
    FormSection(
        "governance",
        N_("Governance"),
        _entries(
            "governance",
            "budget",
            "tag_coverage",
            "budget_alerts",
            "idle_reclaim",
            "evaluation_set",
            "rollback_path",
        ),
    ),
    FormSection(
        "scope", N_("Scope"), _entries("scope", "categories", "include_retries", "include_experiments")
    ),
)

EDITORS = {
    "cluster.accelerator": "accelerator",
    "schedule.start_date": "date",
    "people.roles": "rows",
    "storage.items": "rows",
    "finance.fx_rates": "rows",
    "cluster.accelerator_spec.peak_tflops": "rows",
    "scope.categories": "checks",
}
"""Fields whose editor does not follow from their kind."""

HIDDEN_UNITS = frozenset({"date", "share", "ratio", "s"})
"""Units a field's own text already says."""

CHOICE_WORDS = {
    "pretraining": N_("Pre-training"),
    "continued_pretraining": N_("Continued pre-training"),
    "finetuning": N_("Fine-tuning and alignment"),
    "multimodal_training": N_("Multimodal training"),
    "online_inference": N_("Online inference"),
    "batch_inference": N_("Batch inference"),
    "on_demand": N_("On demand"),
    "reserved": N_("Reserved"),
    "spot": N_("Spot"),
    "owned": N_("Owned"),
    "auto": N_("auto"),
    "all": N_("all"),
    "none": N_("None"),
    "selective": N_("Selective"),
    "full": N_("Full"),
    "zero0": N_("None (ZeRO-0)"),
    "zero1": N_("Optimizer states (ZeRO-1)"),
    "zero2": N_("Optimizer states and gradients (ZeRO-2)"),
    "zero3": N_("Everything (ZeRO-3)"),
    "sync": N_("Training waits"),
    "async": N_("In the background"),
    "chat": N_("Chat"),
    "code": N_("Code completion"),
    "flat": N_("Flat"),
    "ml_engineer": N_("Machine-learning engineer"),
    "infra_engineer": N_("Infrastructure engineer"),
    "data_engineer": N_("Data engineer"),
    "manager": N_("Project lead"),
}
"""Words of the plan's choices; codes without an entry (bf16) are shown as they are."""

EMPTY_WORDS = {
    "cluster.price_per_gpu_hour": N_("from the catalogue"),
    "cluster.provider": N_("any"),
    "cluster.region": N_("any"),
    "cluster.accelerators_per_node": N_("from the catalogue"),
    "cluster.nic_gbps_per_gpu": N_("from the catalogue"),
    "cluster.scale_up_domain": N_("from the catalogue"),
    "reliability.failures_per_node_day": N_("from the catalogue"),
    "reliability.checkpoint_write_s": N_("from its size"),
    "reliability.checkpoint_stall_s": N_("from the catalogue"),
    "reliability.restart_s": N_("from the catalogue"),
    "reliability.detection_s": N_("from the catalogue"),
    "reliability.preemptions_per_node_hour": N_("from the catalogue"),
    "architecture.num_key_value_heads": N_("one a head"),
    "architecture.head_dim": N_("hidden size / heads"),
    "architecture.moe_intermediate_size": N_("MLP size"),
    "training.critical_batch_tokens": N_("from the tokens"),
    "serving.peak_to_mean": N_("from the profile"),
    "storage.dataset_gb": N_("from the tokens"),
    "schedule.start_date": N_("not set"),
    "schedule.deadline_days": N_("none"),
}
"""What an empty field means; fields without an entry are "not known"."""


def advanced(path: str) -> bool:
    """Whether a field is folded away at first. Own accelerator figures never are: they must be given."""
    return field_specs()[path].advanced and not path.startswith("cluster.accelerator_spec.")


def laid_out_paths() -> Iterator[str]:
    """Every path that some section places."""
    return (entry.path for section in SECTIONS for entry in section.entries)


def section_key(path: str) -> str | None:
    """Key of the section that places `path`."""
    return next((s.key for s in SECTIONS if any(entry.path == path for entry in s.entries)), None)
