"""What would be needed where a service cannot meet its plan, found by the estimate's own kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.batch_choices import serving_splits
from engine.catalog import Catalog
from engine.catalog.accelerators import GIB
from engine.evaluation import ServiceOutcome, evaluate, run_service
from engine.lowering import KernelInputs, lower
from engine.performance.serving import (
    FEASIBLE,
    TOO_FEW_INSTANCES,
    TPOT_MISSED,
    TTFT_MISSED,
    WEIGHTS_TOO_LARGE,
)
from engine.plan import Plan
from engine.text import N_, Message, Quantity
from engine.values import PlanValues


def remedies(
    plan: Plan, catalog: Catalog, inputs: KernelInputs, served: ServiceOutcome
) -> tuple[Message, ...]:
    """How far the plan is off and what would do, in the order to try. The plan must be settled."""
    code = int(served.feasible_code)
    if code == TOO_FEW_INSTANCES:
        return (_instances_needed(inputs),)
    found = [_gap(code, inputs, served)]
    split = _feasible_split(plan, catalog)
    if split is None:
        found.append(
            Message(N_("No split of this accelerator helps: try another accelerator or a smaller precision."))
        )
    else:
        found.append(Message(N_("A split over {count} GPUs would meet the targets."), {"count": split}))
    return tuple(found)


def _instances_needed(inputs: KernelInputs) -> Message:
    assert inputs.service is not None
    sized = run_service(inputs, replace(inputs.service, instances=np.nan)).fleet
    return Message(
        N_("The busiest hour needs {needed}; the plan has {planned}."),
        {
            "needed": Quantity(float(sized.instances_peak), "instances"),
            "planned": Quantity(float(inputs.service.instances), "instances"),
        },
    )


def _gap(code: int, inputs: KernelInputs, served: ServiceOutcome) -> Message:
    assert inputs.service is not None
    instance, load, constants = served.instance, inputs.service.load, inputs.service.constants
    if code == WEIGHTS_TOO_LARGE:
        usable = constants.memory_utilisation * np.asarray(inputs.hardware.memory_bytes)
        room = float(usable - constants.memory_reserve_bytes)
        return Message(
            N_("The weights take {weights} of each GPU; {usable} are usable for weights and cache."),
            {
                "weights": Quantity(float(instance.weight_bytes_per_gpu) / GIB, "GiB"),
                "usable": Quantity(room / GIB, "GiB"),
            },
        )
    value, target = {
        TPOT_MISSED: (instance.tpot_s_p95, load.tpot_slo_s),
        TTFT_MISSED: (_ttft_alone_s(inputs), load.ttft_slo_s),
    }[code]
    return Message(
        N_("One sequence by itself takes {value}; the target is {target}."),
        {
            "value": Quantity(float(value) * 1000.0, "ms"),
            "target": Quantity(float(target) * 1000.0, "ms"),
        },
    )


def _ttft_alone_s(inputs: KernelInputs) -> float:
    """TTFT with one sequence in service [s]: the least that a service can promise."""
    assert inputs.service is not None
    load = replace(inputs.service.load, max_num_seqs=1.0)
    return float(run_service(inputs, replace(inputs.service, load=load)).instance.ttft_s_p95)


def _feasible_split(plan: Plan, catalog: Catalog) -> int | None:
    """The fewest GPUs an instance needs within a fast domain to meet every target."""
    splits = serving_splits(plan, catalog)
    outcome = evaluate(lower(PlanValues(plan, catalog, {"layout.tensor_parallel": splits})), plan.scope)
    codes = np.broadcast_to(np.asarray(outcome.feasible_code), splits.shape)
    good = splits[codes == FEASIBLE]
    return int(good[0]) if good.size else None
