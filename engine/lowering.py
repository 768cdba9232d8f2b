"""From a scalar plan to the kernel's inputs: floats, or arrays where overrides stand in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.architecture.kernel_shape import model_shape
from engine.arrays import Array, FloatArray
from engine.catalog import Accelerator
from engine.codes import (
    CHECKPOINT_MODES,
    PRICE_MODES,
    RECOMPUTE_MODES,
    SERVING_PRECISIONS,
    SHARDING_STAGES,
    TRAINING_PRECISIONS,
)
from engine.cost.inputs import MoneyInputs, Purchase, RolePlan, StoragePlan
from engine.defaults import THROUGHPUT_FACTOR, TIME_FACTOR, default_fact
from engine.errors import InputError
from engine.performance.flops import count_parameters
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.serving_constants import PREFIX, ServingConstants
from engine.performance.serving_step import ServingInputs
from engine.performance.training_constants import (
    DEFAULT_STACK,
    TrainingConstants,
    resolve_training_constants,
)
from engine.plan import Plan
from engine.text import N_, Message
from engine.values import UNKNOWN, PlanValues


@dataclass(frozen=True, slots=True)
class ReliabilityPlan:
    """Failures and checkpoints as planned; interval NaN means the optimum."""

    failures_per_node_day: Array
    preemptions_per_node_hour: Array
    checkpoint_interval_s: Array
    checkpoint_write_s: Array
    checkpoint_stall_s: Array
    checkpoint_async: Array
    restart_s: Array
    detection_s: Array
    spare_nodes: Array


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """Everything a training run is computed from."""

    run: TrainingRun
    layout: LayoutInputs
    constants: TrainingConstants
    tokens: Array
    time_factor: Array
    reliability: ReliabilityPlan


@dataclass(frozen=True, slots=True)
class ServiceInputs:
    """Everything an online service is computed from. `instances` NaN means sized by the engine."""

    load: ServingInputs
    constants: ServingConstants
    profile: FloatArray
    peak_to_mean: Array
    growth_per_month: Array
    autoscale: Array
    cold_start_s: Array
    spare_instances: Array
    headroom: Array
    throughput_factor: Array
    instances: Array
    availability: Array
    instance_availability: Array


@dataclass(frozen=True, slots=True)
class KernelInputs:
    """The only carrier of arrays: one row a plan, a draw or a candidate. Built by `lower`, never stored."""

    model: ModelShape
    hardware: Hardware
    money: MoneyInputs
    training: TrainingInputs | None
    service: ServiceInputs | None


def lower(values: PlanValues) -> KernelInputs:
    """Kernel inputs of a plan and its overrides. Errors: InputError for accelerator or precision."""
    plan = values.plan
    model = model_shape(plan.architecture)
    accelerator = resolve_accelerator(values)
    precision = _gemm_precision(plan)
    hardware = _hardware(values, accelerator, precision)
    training = _training(values, model, hardware, accelerator) if plan.is_training else None
    service = _service(values, accelerator) if plan.serving and not plan.is_training else None
    return KernelInputs(model, hardware, _money(values, model, accelerator), training, service)


def resolve_accelerator(values: PlanValues) -> Accelerator:
    """The plan's accelerator: its own figures when given, else the catalogue's."""
    cluster = values.plan.cluster
    spec = cluster.accelerator_spec
    if spec is None:
        return values.catalog.accelerator(cluster.accelerator)
    return Accelerator(
        id=cluster.accelerator,
        name=spec.name or cluster.accelerator,
        vendor="",
        family="",
        memory_bytes=spec.memory_gib * 2**30,
        memory_bandwidth_bytes_per_s=spec.memory_bandwidth_gb_per_s * 1e9,
        peak_flops={precision: peak * 1e12 for precision, peak in spec.peak_tflops.items()},
        scale_up_link="",
        scale_up_bandwidth_bytes_per_s=spec.scale_up_gb_per_s * 1e9,
        scale_up_domain=spec.accelerators_per_node,
        pcie_bandwidth_bytes_per_s=None,
        nic_bandwidth_bytes_per_s=None,
        accelerators_per_node=spec.accelerators_per_node,
        tdp_w=spec.power_w,
        source="cluster.accelerator_spec",
        mark="own",
        date="",
    )


def _gemm_precision(plan: Plan) -> tuple[str, str]:
    """Precision the matrix products run in, and the field that says so."""
    if plan.training is not None and plan.is_training:
        return plan.training.precision, "training.precision"
    if plan.serving is not None:
        return plan.serving.weight_precision, "serving.weight_precision"
    return "bf16", "training.precision"


def _hardware(values: PlanValues, accelerator: Accelerator, precision: tuple[str, str]) -> Hardware:
    cluster = values.plan.cluster
    bf16 = accelerator.peak("bf16")
    name, field = precision
    peak = accelerator.peak(name)
    if (
        peak is None
        and field == "serving.weight_precision"
        and name in ("int4", "mxfp4", "nvfp4", "fp8", "int8")
        and bf16
    ):
        # Weights smaller than the tensor cores take are unpacked: half the bf16 rate, as measured.
        peak = bf16 * (
            values.fact("serving", "weight_only_compute_factor")
            if name in ("int4", "mxfp4", "nvfp4")
            else 1.0
        )
    if peak is None or bf16 is None:
        supported = ", ".join(sorted(accelerator.peak_flops))
        raise InputError(
            field,
            name,
            Message(
                N_("a precision that {accelerator} computes in: {supported}"),
                {"accelerator": accelerator.name, "supported": supported},
            ),
        )
    nic = accelerator.nic_bandwidth_bytes_per_s or values.fact("defaults", "nic_bandwidth")
    return Hardware(
        peak_flops=peak,
        peak_bf16_flops=bf16,
        memory_bytes=accelerator.memory_bytes,
        memory_bandwidth_bytes_per_s=accelerator.memory_bandwidth_bytes_per_s,
        scale_up_bandwidth_bytes_per_s=accelerator.scale_up_bandwidth_bytes_per_s,
        scale_up_domain=float(cluster.scale_up_domain or accelerator.scale_up_domain),
        nic_bandwidth_bytes_per_s=cluster.nic_gbps_per_gpu * 1e9 / 8.0 if cluster.nic_gbps_per_gpu else nic,
        accelerators_per_node=float(cluster.accelerators_per_node or accelerator.accelerators_per_node),
    )


def _training(
    values: PlanValues, model: ModelShape, hardware: Hardware, accelerator: Accelerator
) -> TrainingInputs:
    number = values.number
    count = number("cluster.accelerator_count")
    plan = values.plan
    assert plan.training is not None
    return TrainingInputs(
        run=TrainingRun(
            sequence_length=number("training.sequence_length"),
            global_batch_tokens=number("training.global_batch_tokens"),
            precision_code=values.code("training.precision", TRAINING_PRECISIONS),
            accelerator_count=count,
            weights_frozen=float(plan.training.method == "lora"),
        ),
        layout=layout_inputs(values),
        constants=resolve_training_constants(
            values.catalog,
            accelerator.family,
            plan.training.precision,
            stack=plan.training.stack or DEFAULT_STACK,
            power_w=accelerator.tdp_w,
            release=plan.training.stack_release,
        ),
        tokens=number("training.tokens"),
        time_factor=number(TIME_FACTOR),
        reliability=_reliability(values, model, hardware, count),
    )


def layout_inputs(values: PlanValues) -> LayoutInputs:
    """The layout's sizes and codes; fields left to the engine arrive as NaN or -1 and are searched first."""
    return LayoutInputs(
        tensor_parallel=values.number_or("layout.tensor_parallel", UNKNOWN),
        pipeline_parallel=values.number_or("layout.pipeline_parallel", UNKNOWN),
        context_parallel=values.number_or("layout.context_parallel", UNKNOWN),
        expert_parallel=values.number_or("layout.expert_parallel", UNKNOWN),
        virtual_pipeline=values.number_or("layout.virtual_pipeline", UNKNOWN),
        micro_batch=values.number_or("layout.micro_batch", UNKNOWN),
        sharding_code=values.code("layout.sharding", SHARDING_STAGES),
        recompute_code=values.code("layout.recompute", RECOMPUTE_MODES),
    )


def _reliability(values: PlanValues, model: ModelShape, hardware: Hardware, count: Array) -> ReliabilityPlan:
    number = values.number
    nodes = np.ceil(np.asarray(count) / hardware.accelerators_per_node)
    size = count_parameters(model).total * values.fact("failures", "checkpoint_bytes_per_parameter")
    bandwidth = np.minimum(
        nodes * values.fact("failures", "checkpoint_write_bytes_per_s_per_node"),
        values.fact("failures", "checkpoint_write_bytes_per_s_total"),
    )
    spot = values.code("cluster.price_mode", PRICE_MODES) == PRICE_MODES.index("spot")
    write_path = "reliability.checkpoint_write_s"
    write = values.number(write_path) if _is_given(values, write_path) else size / bandwidth
    return ReliabilityPlan(
        failures_per_node_day=number("reliability.failures_per_node_day"),
        preemptions_per_node_hour=np.where(spot, number("reliability.preemptions_per_node_hour"), 0.0),
        checkpoint_interval_s=values.number_or("reliability.checkpoint_interval_s", UNKNOWN),
        checkpoint_write_s=write,
        checkpoint_stall_s=np.minimum(number("reliability.checkpoint_stall_s"), write),
        checkpoint_async=values.code("reliability.checkpoint_mode", CHECKPOINT_MODES),
        restart_s=number("reliability.restart_s"),
        detection_s=number("reliability.detection_s"),
        spare_nodes=number("reliability.spare_nodes"),
    )


def _is_given(values: PlanValues, path: str) -> bool:
    return path in values.overrides or values.plan.reliability.checkpoint_write_s is not None


def _service(values: PlanValues, accelerator: Accelerator) -> ServiceInputs:
    plan, number = values.plan, values.number
    serving = plan.serving
    assert serving is not None
    profile = serving.profile
    # An encoder answers with its first and only forward pass.
    encoder = plan.architecture.kind == "encoder"
    factors = values.catalog.traffic_profile(profile) if isinstance(profile, str) else _weekly(profile)
    return ServiceInputs(
        load=ServingInputs(
            requests_per_second=number("serving.requests_per_second"),
            input_tokens=number("serving.input_tokens"),
            output_tokens=1.0 if encoder else number("serving.output_tokens"),
            prefix_hit_rate=number("serving.prefix_hit_rate"),
            weight_precision_code=values.code("serving.weight_precision", SERVING_PRECISIONS),
            kv_precision_code=values.code("serving.kv_precision", SERVING_PRECISIONS),
            tensor_parallel=values.number_or("layout.tensor_parallel", UNKNOWN),
            pipeline_parallel=values.number_or("layout.pipeline_parallel", UNKNOWN),
            ttft_slo_s=number("serving.ttft_slo_ms") / 1000.0,
            tpot_slo_s=np.inf if encoder else number("serving.tpot_slo_ms") / 1000.0,
            arrival_cv=number("serving.arrival_cv"),
            max_num_seqs=number("serving.max_num_seqs"),
            software_factor=values.fact("serving", "amd_compute_factor")
            if accelerator.vendor == "AMD"
            else 1.0,
        ),
        constants=ServingConstants.from_facts(values.catalog.constants(PREFIX)),
        profile=np.asarray(factors, dtype=float),
        peak_to_mean=values.number_or("serving.peak_to_mean", UNKNOWN),
        growth_per_month=number("serving.growth_per_month"),
        autoscale=number("serving.autoscale"),
        cold_start_s=number("serving.cold_start_s"),
        spare_instances=number("serving.spare_instances"),
        headroom=number("serving.headroom"),
        throughput_factor=number(THROUGHPUT_FACTOR),
        instances=values.number_or("serving.instances", UNKNOWN),
        availability=number("serving.availability"),
        instance_availability=_instance_availability(values),
    )


def _instance_availability(values: PlanValues) -> Array:
    """Share of time an instance's node is up: failures a day times the time to replace the instance."""
    failures = values.number("reliability.failures_per_node_day")
    away_s = values.number("serving.cold_start_s") + values.number("reliability.detection_s")
    return 1.0 / (1.0 + failures * away_s / 86400.0)


def _weekly(factors: tuple[float, ...]) -> tuple[float, ...]:
    mean = sum(factors) / len(factors) if factors else 0.0
    if len(factors) != 168 or mean <= 0:
        raise InputError(
            "serving.profile", f"{len(factors)} numbers", Message(N_("168 hourly factors, not all 0"))
        )
    return tuple(factor / mean for factor in factors)


def _money(values: PlanValues, model: ModelShape, accelerator: Accelerator) -> MoneyInputs:
    plan, number = values.plan, values.number
    tariff = values.catalog.find("network", "egress_internet")
    energy = default_fact(plan, values.catalog, "operations.energy_price_per_kwh")
    training = plan.is_training
    return MoneyInputs(
        purchase=_purchase(values),
        storage=_storage(values, model),
        roles=_roles(values),
        egress_gb=number("network.egress_gb"),
        egress_price=values.fact_number(tariff),
        cross_region_gb=number("network.cross_region_gb"),
        cross_region_price=values.fact("network", "cross_region"),
        network_source=tariff.source if tariff else "",
        network_date=tariff.date if tariff else "",
        data_acquisition=number("data.acquisition_cost"),
        data_preparation=number("data.preparation_cost"),
        operations_monthly=number("operations.monthly_cost"),
        energy_excluded=1.0 - number("operations.energy_included"),
        energy_price_per_kwh=number("operations.energy_price_per_kwh"),
        energy_source=energy.source if energy else "",
        accelerator_power_w=accelerator.tdp_w if accelerator.tdp_w is not None else UNKNOWN,
        power_usage_effectiveness=values.fact("energy", "pue"),
        deadline_days=number("schedule.deadline_days"),
        cost_of_delay_per_day=number("schedule.cost_of_delay_per_day"),
        tax_rate=number("finance.tax_rate"),
        experiment_runs=number("experiments.runs"),
        experiment_run_share=number("experiments.run_share"),
        experiment_failed_share=number("experiments.failed_share"),
        experiment_rerun_share=number("experiments.rerun_share"),
        evaluation_share=number("training.evaluation_share") if training else 0.0,
        horizon_months=number("schedule.horizon_months"),
    )


def _purchase(values: PlanValues) -> Purchase:
    plan = values.plan
    fact = default_fact(plan, values.catalog, "cluster.price_per_gpu_hour")
    entered = plan.cluster.price_per_gpu_hour is not None or fact is None
    reserved = values.code("cluster.price_mode", PRICE_MODES) == PRICE_MODES.index("reserved")
    return Purchase(
        price_per_gpu_hour=values.number("cluster.price_per_gpu_hour"),
        price_source="" if entered or fact is None else fact.source,
        price_date="" if entered or fact is None else fact.date,
        reserved=np.where(reserved, 1.0, 0.0),
        term_months=values.number_or("cluster.commitment_term_months", 0.0),
        busy_share=values.number("cluster.busy_share"),
        support_share=values.number("operations.support_share"),
    )


def _storage(values: PlanValues, model: ModelShape) -> StoragePlan:
    plan, number = values.plan, values.number
    tier = values.catalog.find("storage", plan.storage.checkpoint_tier)
    if tier is None:
        tiers = sorted(key for key in values.catalog.group("storage") if not key[1:].isdigit())
        raise InputError("storage.checkpoint_tier", plan.storage.checkpoint_tier, ", ".join(tiers))
    tokens = number("training.tokens") if plan.is_training else 0.0
    gb_months = sum(item.size_gb * item.copies * item.months for item in plan.storage.items)
    cost = sum(
        item.size_gb * item.copies * item.months * values.fact("storage", item.tier)
        for item in plan.storage.items
    )
    dataset = plan.storage.dataset_gb
    size = count_parameters(model).total * values.fact("failures", "checkpoint_bytes_per_parameter") / 1e9
    kept = values.overrides.get("storage.checkpoints_kept")
    if kept is None:
        kept = np.inf if plan.storage.checkpoints_kept == "all" else float(plan.storage.checkpoints_kept)
    return StoragePlan(
        dataset_gb=tokens * values.fact("defaults", "dataset_bytes_per_token") / 1e9
        if dataset is None
        else dataset,
        dataset_price=values.fact("storage", "hot_object"),
        checkpoint_gb=size,
        checkpoints_kept=kept,
        checkpoint_price=values.fact_number(tier),
        months_after=number("storage.months_after_run") if plan.is_training else 0.0,
        item_gb_months=gb_months,
        item_price=cost / gb_months if gb_months else 0.0,
        tariff_source=tier.source,
        tariff_date=tier.date,
    )


def _roles(values: PlanValues) -> tuple[RolePlan, ...]:
    roles = []
    for index, role in enumerate(values.plan.people.roles):
        path = f"people.roles.{index}.monthly_cost"
        fact = default_fact(values.plan, values.catalog, path)
        own = role.monthly_cost
        roles.append(
            RolePlan(
                role=role.role,
                fte=role.fte,
                months=UNKNOWN if role.months is None else role.months,
                monthly_cost=values.number(path),
                source="" if own is not None or fact is None else fact.source,
                date="" if own is not None or fact is None else fact.date,
            )
        )
    return tuple(roles)
