"""Layout of the forms, hand-written: sections, order, conditions, words. Qt-free."""

from __future__ import annotations

from collections.abc import Iterator

from engine.plan import Plan, field_specs
from engine.text import N_
from gui.forms.network_sections import ARCHITECTURE, FINE_STRUCTURE, mixture
from gui.forms.sections import Entry, FormSection, entries


def training(plan: Plan) -> bool:
    """For the training kinds."""
    return plan.is_training


def finetuning(plan: Plan) -> bool:
    """Where a part of the weights may be trained."""
    return plan.workload.kind == "finetuning"


def online(plan: Plan) -> bool:
    """For online services."""
    return plan.workload.kind == "online_inference"


def batch(plan: Plan) -> bool:
    """For offline inference jobs."""
    return plan.workload.kind == "batch_inference"


def ends_once(plan: Plan) -> bool:
    """For work that ends by a date of the schedule; a batch job has its own deadline."""
    return not plan.is_batch


def interrupted(plan: Plan) -> bool:
    """Where failures interrupt the work: training and batch jobs."""
    return not plan.is_service


def served(plan: Plan) -> bool:
    """Where the serving section is filled in."""
    return plan.serving is not None and not plan.is_training


def in_sessions(plan: Plan) -> bool:
    """Where requests carry earlier ones."""
    return plan.serving is not None and plan.serving.turns > 1


def drafting(plan: Plan) -> bool:
    """For speculative decoding."""
    return plan.serving is not None and plan.serving.draft_tokens > 0


def with_adapters(plan: Plan) -> bool:
    """Where adapters share the network."""
    return plan.serving is not None and plan.serving.adapters > 0


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
    return plan.is_training and plan.reliability.checkpoint_mode == "async"


def pays_energy(plan: Plan) -> bool:
    """Where energy is paid beside the accelerators."""
    return not plan.operations.energy_included


SECTIONS: tuple[FormSection, ...] = (
    FormSection(
        "plan",
        N_("Plan and workload"),
        (
            Entry("meta.name"),
            Entry("workload.kind"),
            *entries("meta", "currency", "project", "team", "owner", "organisation"),
        ),
    ),
    FormSection(
        "training",
        N_("Training"),
        (
            *entries("training", "tokens", "sequence_length", "global_batch_tokens", "precision"),
            Entry("training.method", finetuning),
            *entries("training", "stack", "stack_release", "measured_runs"),
            *entries("training", "critical_batch_tokens", "evaluation_share"),
        ),
        training,
    ),
    FormSection(
        "serving",
        N_("Requests and targets"),
        (
            *entries("serving", "requests_per_second", "profile", "peak_to_mean", when=online),
            *entries("serving", "input_tokens", "output_tokens", "prefix_hit_rate", "prefix_share"),
            *entries("serving", "ttft_slo_ms", "tpot_slo_ms", "slo_percentile", when=online),
            *entries("serving", "growth_per_month", "arrival_cv", when=online),
            *entries("serving", "retrieved_tokens", "reasoning_tokens", "turns"),
            Entry("serving.session_hit_rate", in_sessions),
            *entries(
                "serving",
                "api_input_price_per_million",
                "api_output_price_per_million",
                "api_cached_input_price_per_million",
                when=online,
            ),
        ),
        served,
    ),
    FormSection(
        "fleet",
        N_("Fleet"),
        entries(
            "serving",
            "autoscale",
            "availability",
            "headroom",
            "spare_instances",
            "zones",
            "instances",
            "other_models",
        ),
        online,
    ),
    FormSection(
        "engine",
        N_("Engine and precision"),
        (
            *entries("serving", "weight_precision", "kv_precision", "engine", "max_num_seqs"),
            *entries("serving", "prefill_chunk_tokens", "disaggregated", when=online),
            Entry("serving.draft_tokens"),
            *entries("serving", "draft_acceptance", "draft_step_share", when=drafting),
            Entry("serving.adapters"),
            Entry("serving.adapter_rank", with_adapters),
            Entry("serving.accelerator_share", online),
            Entry("serving.cold_start_s"),
        ),
        served,
    ),
    FormSection(
        "batch",
        N_("Batch job"),
        entries("batch", "requests", "deadline_hours", "max_batch", "idle_gpu_hours_per_week"),
        batch,
    ),
    ARCHITECTURE,
    FINE_STRUCTURE,
    FormSection(
        "cluster",
        N_("Cluster"),
        (
            *entries("cluster", "accelerator", "accelerator_count", "price_mode", "price_per_gpu_hour"),
            *entries("cluster", "busy_share", "provider", "region"),
            Entry("cluster.commitment_term_months", committed),
            *entries(
                "cluster",
                "committed_accelerators",
                "committed_term_months",
                "committed_price_per_gpu_hour",
                "spot_share",
                "spot_price_per_gpu_hour",
                when=online,
            ),
            *entries("cluster", "accelerators_per_node", "nic_gbps_per_gpu", "scale_up_domain"),
            *entries(
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
            *entries("layout", "tensor_parallel", "pipeline_parallel"),
            *entries("layout", "micro_batch", "sharding", "recompute", "context_parallel", when=training),
            *entries("layout", "expert_parallel", when=mixture),
            *entries("layout", "virtual_pipeline", when=training),
            *entries("layout", "attention_data_parallel", when=served),
        ),
    ),
    FormSection(
        "reliability",
        N_("Reliability"),
        (
            Entry("reliability.failures_per_node_day"),
            *entries(
                "reliability",
                "checkpoint_interval_s",
                "checkpoint_mode",
                "checkpoint_write_s",
                when=training,
            ),
            Entry("reliability.checkpoint_stall_s", background_writes),
            *entries("reliability", "restart_s", "restore_tested", when=training),
            Entry("reliability.detection_s"),
            Entry("reliability.preemptions_per_node_hour", spot),
            Entry("reliability.spare_nodes", training),
        ),
        interrupted,
    ),
    FormSection(
        "experiments",
        N_("Experiments"),
        entries("experiments", "runs", "run_share", "failed_share", "rerun_share"),
        training,
    ),
    FormSection("data", N_("Data"), entries("data", "acquisition_cost", "preparation_cost")),
    FormSection(
        "storage",
        N_("Storage and network"),
        (
            *entries("storage", "dataset_gb"),
            *entries("storage", "checkpoints_kept", "months_after_run", "checkpoint_tier", when=training),
            *entries("storage", "items"),
            *entries("storage", "vector_store_gb", "vectors", "vector_dimensions", when=served),
            *entries("network", "egress_gb", "cross_region_gb"),
            *entries(
                "network", "egress_from_traffic", "answer_bytes_per_token", "load_balancers", when=online
            ),
        ),
    ),
    FormSection("people", N_("People"), entries("people", "roles")),
    FormSection(
        "operations",
        N_("Operations"),
        (
            *entries("operations", "monthly_cost", "support_share", "energy_included"),
            Entry("operations.energy_price_per_kwh", pays_energy),
        ),
    ),
    FormSection(
        "schedule",
        N_("Schedule"),
        (
            Entry("schedule.start_date"),
            Entry("schedule.deadline_days", ends_once),
            Entry("schedule.horizon_months", online),
            *entries("schedule", "cost_of_delay_per_day", "interruptible"),
        ),
    ),
    FormSection(
        "finance", N_("Finance"), entries("finance", "ask_percentile", "tax_rate", "contingency", "fx_rates")
    ),
    FormSection(
        "governance",
        N_("Governance"),
        entries(
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
        "scope", N_("Scope"), entries("scope", "categories", "include_retries", "include_experiments")
    ),
)

EDITORS = {
    "cluster.accelerator": "accelerator",
    "schedule.start_date": "date",
    "architecture.layer_groups": "rows",
    "training.measured_runs": "rows",
    "serving.other_models": "rows",
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
    "api": N_("API of many customers"),
    "flat": N_("Flat"),
    "ml_engineer": N_("Machine-learning engineer"),
    "infra_engineer": N_("Infrastructure engineer"),
    "data_engineer": N_("Data engineer"),
    "manager": N_("Project lead"),
    "decoder": N_("Decoder"),
    "encoder": N_("Encoder"),
    "encoder_decoder": N_("Encoder and decoder"),
    "head": N_("A channel of a head"),
    "heads": N_("A channel of every head"),
    "width": N_("The whole width"),
    "attention": N_("Attention"),
    "cross_attention": N_("Cross-attention"),
    "mamba": N_("Mamba"),
    "mamba2": N_("Mamba-2"),
    "gated_delta_net": N_("Gated DeltaNet"),
    "kimi_delta_attention": N_("Kimi delta attention"),
    "lightning_attention": N_("Lightning attention"),
    "short_convolution": N_("Short convolution"),
    "recurrent": N_("Recurrent"),
    "linear": N_("Linear"),
    "lora": N_("Low-rank adapters (LoRA)"),
    "megatron": N_("Megatron-Core (2026)"),
    "megatron_2025": N_("Megatron-Core (2025)"),
    "megatron_2024": N_("Megatron-Core (2024)"),
    "megatron_2021": N_("Megatron-LM (2021)"),
    "megatron_deepspeed": N_("Megatron-DeepSpeed"),
    "fsdp": N_("PyTorch FSDP"),
    "jax": N_("JAX, MaxText"),
    "p95": N_("95 % of requests"),
    "p99": N_("99 % of requests"),
    "vllm": "vLLM",
    "sglang": "SGLang",
    "trtllm": "TensorRT-LLM",
    "lmdeploy": "LMDeploy",
    "dense": N_("Dense"),
    "moe": N_("Mixture of experts"),
}
"""Words of the plan's choices; codes without an entry (bf16) are shown as they are."""

EMPTY_WORDS = {
    "cluster.price_per_gpu_hour": N_("from the catalogue"),
    "cluster.committed_accelerators": N_("none"),
    "cluster.committed_price_per_gpu_hour": N_("from the catalogue"),
    "cluster.spot_price_per_gpu_hour": N_("from the catalogue"),
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
    "architecture.max_position_embeddings": N_("not known"),
    "architecture.v_head_dim": N_("head size"),
    "training.critical_batch_tokens": N_("from the tokens"),
    "training.stack": N_("not known"),
    "training.stack_release": N_("from the stack"),
    "serving.peak_to_mean": N_("from the profile"),
    "serving.engine": N_("any"),
    "serving.prefill_chunk_tokens": N_("whole prompts"),
    "batch.max_batch": N_("as many as fit"),
    "serving.api_input_price_per_million": N_("not compared"),
    "serving.api_output_price_per_million": N_("not compared"),
    "serving.api_cached_input_price_per_million": N_("as other input"),
    "storage.dataset_gb": N_("from the tokens"),
    "storage.vector_store_gb": N_("from the vectors"),
    "network.answer_bytes_per_token": N_("from the catalogue"),
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
