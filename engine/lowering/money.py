"""Prices and quantities beside performance."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.catalog import Accelerator
from engine.codes import (
    PRICE_MODES,
)
from engine.cost.inputs import CommittedBase, MoneyInputs, Purchase, RolePlan, StoragePlan
from engine.defaults import default_fact
from engine.errors import InputError
from engine.lowering.traffic import lower_answers, lower_vectors
from engine.performance.flops import count_parameters
from engine.performance.inputs import ModelShape
from engine.plan import get_value
from engine.values import UNKNOWN, PlanValues


def lower_money(values: PlanValues, model: ModelShape, accelerator: Accelerator) -> MoneyInputs:
    """Prices and quantities in the plan's currency."""
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
        deadline_days=deadline_days(values),
        cost_of_delay_per_day=number("schedule.cost_of_delay_per_day"),
        tax_rate=number("finance.tax_rate"),
        experiment_runs=number("experiments.runs"),
        experiment_run_share=number("experiments.run_share"),
        experiment_failed_share=number("experiments.failed_share"),
        experiment_rerun_share=number("experiments.rerun_share"),
        evaluation_share=number("training.evaluation_share") if training else 0.0,
        horizon_months=number("schedule.horizon_months"),
        answers=lower_answers(values),
    )


def deadline_days(values: PlanValues) -> Array:
    """When the work must have ended [d]; NaN for no deadline. A batch job has its own: the earlier counts."""
    days = values.number("schedule.deadline_days")
    return np.fmin(values.number("batch.deadline_hours") / 24.0, days) if values.plan.is_batch else days


def _purchase(values: PlanValues) -> Purchase:
    source, date = _origin(values, "cluster.price_per_gpu_hour")
    reserved = values.code("cluster.price_mode", PRICE_MODES) == PRICE_MODES.index("reserved")
    return Purchase(
        price_per_gpu_hour=values.number("cluster.price_per_gpu_hour"),
        price_source=source,
        price_date=date,
        reserved=np.where(reserved, 1.0, 0.0),
        term_months=values.number_or("cluster.commitment_term_months", 0.0),
        busy_share=values.number("cluster.busy_share"),
        support_share=values.number("operations.support_share"),
        base=_base(values),
    )


def _base(values: PlanValues) -> CommittedBase:
    committed, spot = "cluster.committed_price_per_gpu_hour", "cluster.spot_price_per_gpu_hour"
    source, date = _origin(values, committed)
    spot_source, spot_date = _origin(values, spot)
    return CommittedBase(
        accelerators=values.number_or("cluster.committed_accelerators", 0.0),
        term_months=values.number("cluster.committed_term_months"),
        price_per_gpu_hour=values.number(committed),
        price_source=source,
        price_date=date,
        spot_share=values.number("cluster.spot_share"),
        spot_price_per_gpu_hour=values.number(spot),
        spot_source=spot_source,
        spot_date=spot_date,
    )


def _origin(values: PlanValues, path: str) -> tuple[str, str]:
    """Source and date of the catalogue's price behind an empty field; empty for an entered one."""
    fact = default_fact(values.plan, values.catalog, path)
    entered = get_value(values.plan, path) is not None or fact is None
    return ("", "") if entered or fact is None else (fact.source, fact.date)


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
        vectors=lower_vectors(values),
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
