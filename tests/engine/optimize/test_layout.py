"""The layout search against a slow loop that knows nothing of it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from plan_cases import small_plan, training_plan

from engine.catalog import Catalog
from engine.errors import FlopwiseError
from engine.evaluation import run_training_step
from engine.lowering import lower
from engine.optimize.layout import (
    AUTO_MEMORY_SHARE,
    FIELDS,
    evaluate_layouts,
    forget_layouts,
    search_layouts,
)
from engine.plan import Plan, apply_patch
from engine.values import PlanValues

EVERY = frozenset(FIELDS)


def random_plan(seed: int) -> tuple[Plan, int]:
    """A small network, batch and cluster, some of them with experts."""
    rng = np.random.default_rng(seed)
    heads = int(rng.choice([2, 4, 8]))
    experts = int(rng.choice([0, 0, 4]))
    shape: dict[str, Any] = {
        "hidden_size": heads * 128,
        "num_hidden_layers": int(rng.choice([4, 6, 8, 12])),
        "num_attention_heads": heads,
        "num_key_value_heads": int(rng.choice([1, 2])),
        "intermediate_size": int(rng.choice([1024, 4096])),
        "vocab_size": 32000,
    }
    if experts:
        shape |= {"num_experts": experts, "num_experts_per_tok": 2}
    length = int(rng.choice([512, 8192, 32768]))
    count = int(rng.choice([2, 4, 8, 12]))
    plan = small_plan(
        {
            "architecture": shape,
            "training.sequence_length": length,
            "training.global_batch_tokens": float(length * int(rng.choice([8, 12, 24, 64]))),
            "cluster.accelerator": str(rng.choice(["h100-sxm", "l4", "a100-sxm-40"])),
            "cluster.accelerator_count": count,
            "layout": {},
        }
    )
    return plan, count


def fastest_by_hand(plan: Plan, catalog: Catalog, count: int) -> float:
    """Least step time [s] over every layout, one at a time; infinite when none fits."""
    a, training = plan.architecture, plan.training
    assert training is not None
    sequences = int(training.global_batch_tokens) // training.sequence_length
    best = float("inf")
    tensor = [t for t in range(1, 65) if a.num_attention_heads % t == 0]
    for tp, pp, cp in itertools.product(tensor, range(1, 129), range(1, 33)):
        if tp * pp * cp > count or count % (tp * pp * cp):
            continue
        replicas = count // (tp * pp * cp)
        for mb, vpp in itertools.product(range(1, 17), range(1, 13)):
            unused = -a.num_hidden_layers % (pp * vpp)
            if sequences % (replicas * mb) or unused > 3 or (vpp > 1 and pp == 1):
                continue
            experts = [e for e in range(1, max(1, a.num_experts) + 1) if a.num_experts % e == 0]
            for ep, sharding, recompute in itertools.product(experts, ("zero1", "zero3"), (0, 1, 2)):
                if sharding == "zero3" and pp > 1:
                    continue
                columns: dict[str, Any] = {
                    "cluster.accelerator_count": float(count),
                    "layout.tensor_parallel": float(tp),
                    "layout.pipeline_parallel": float(pp),
                    "layout.context_parallel": float(cp),
                    "layout.expert_parallel": float(ep),
                    "layout.virtual_pipeline": float(vpp),
                    "layout.micro_batch": float(mb),
                    "layout.sharding": {"zero1": 1.0, "zero3": 2.0}[sharding],
                    "layout.recompute": float(recompute),
                }
                inputs = lower(PlanValues(plan, catalog, columns))
                assert inputs.training is not None
                step, _, code = run_training_step(inputs, inputs.training, AUTO_MEMORY_SHARE)
                if int(code) == 0:
                    best = min(best, float(step.step_time_s))
    return best


@pytest.mark.parametrize("seed", range(20))
def test_the_search_finds_what_the_slow_loop_finds(catalog: Catalog, seed: int) -> None:
    plan, count = random_plan(seed)
    found = search_layouts(plan, catalog, count, free=EVERY).best()
    expected = fastest_by_hand(plan, catalog, count)
    if found is None:
        assert expected == float("inf")
        return
    settled = apply_patch(plan, found)
    inputs = lower(PlanValues(settled, catalog))
    assert inputs.training is not None
    step, memory, code = run_training_step(inputs, inputs.training, AUTO_MEMORY_SHARE)
    assert int(code) == 0
    assert float(memory.total_bytes) <= AUTO_MEMORY_SHARE * float(inputs.hardware.memory_bytes)
    assert float(step.step_time_s) == pytest.approx(expected, rel=1e-12)


def test_fields_that_are_not_free_are_kept(catalog: Catalog) -> None:
    plan = training_plan({"layout.tensor_parallel": 8, "layout.recompute": "full"})
    found = search_layouts(
        plan, catalog, 64, free=EVERY - {"layout.tensor_parallel", "layout.recompute"}
    ).best()
    assert found is not None
    assert found["layout.tensor_parallel"] == 8 and found["layout.recompute"] == "full"


def test_the_layout_does_not_depend_on_prices_and_is_remembered(catalog: Catalog) -> None:
    forget_layouts()
    first = search_layouts(training_plan(), catalog, 64, free=EVERY)
    again = search_layouts(training_plan({"cluster.price_per_gpu_hour": 9.0}), catalog, 64, free=EVERY)
    assert again is first
    other = search_layouts(training_plan({"training.precision": "bf16"}), catalog, 64, free=EVERY)
    assert other is not first


def test_every_excluded_row_has_a_reason(catalog: Catalog) -> None:
    search = search_layouts(training_plan(), catalog, 64, free=EVERY)
    grid = evaluate_layouts(training_plan(), catalog, 64, free=EVERY)
    fitting = int(np.sum(grid.codes == 0))
    assert fitting > 0 and sum(search.excluded.values()) + fitting == search.evaluated == grid.codes.size
    assert all(isinstance(reason, str) and reason for reason in search.excluded)


def test_a_network_too_large_for_the_cluster_has_no_layout(catalog: Catalog) -> None:
    search = search_layouts(training_plan(), catalog, 2, free=EVERY)
    assert search.best() is None and search.excluded


def test_an_accelerator_nobody_knows_raises_and_nothing_else(catalog: Catalog) -> None:
    with pytest.raises(FlopwiseError):
        search_layouts(training_plan({"cluster.accelerator": "abacus"}), catalog, 8, free=EVERY)
