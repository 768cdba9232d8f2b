"""Offline jobs: waves, interruptions against a simulation, sizing against a plain loop, and limits."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from engine.performance.batch import (
    DEADLINE_MISSED,
    NEVER_ENDS,
    TOO_FEW_GPUS,
    BatchJob,
    BatchRun,
    fewest_instances,
    run_batch_job,
    shortest_run,
)
from engine.performance.inputs import ModelShape
from engine.performance.serving import FEASIBLE, WEIGHTS_TOO_LARGE
from engine.performance.serving_runs import finite_run_s, wave_s
from engine.performance.serving_step import ServingCase, prefill_s_per_request, step_terms
from tests.engine.performance.batch_simulation import Pool, instance_wall_s, makespan_s
from tests.engine.performance.test_serving import BF16, CONSTANTS, LLAMA_8B, LLAMA_70B, LOAD, hardware

H100 = hardware("h100-sxm", "bf16")
ONE = replace(LOAD, tensor_parallel=1.0, weight_precision_code=BF16, kv_precision_code=BF16)
JOB = BatchJob(
    load=ONE,
    constants=CONSTANTS,
    requests=200_000.0,
    deadline_h=24.0,
    max_batch=np.inf,
    accelerator_count=4.0,
    idle_gpu_hours_per_week=0.0,
    cold_start_s=600.0,
    throughput_factor=1.0,
    failures_per_node_day=0.0,
    preemptions_per_node_hour=0.0,
    detection_s=60.0,
)
CASE = ServingCase(LLAMA_8B, H100, ONE, CONSTANTS)


def run(model: ModelShape = LLAMA_8B, **changes: object) -> BatchRun:
    return run_batch_job(model, H100, replace(JOB, **changes))  # type: ignore[arg-type]


def test_undisturbed_instances_take_a_start_and_the_finite_run_of_their_share() -> None:
    found = run()
    alone = float(finite_run_s(CASE, found.batch, 50_000.0))
    assert found.useful_s == pytest.approx(alone, rel=1e-12)
    assert found.wall_s == pytest.approx(alone + 600.0, rel=1e-12)
    assert found.duration_h == pytest.approx((alone + 600.0) / 3600.0)
    assert found.output_tokens_per_s == pytest.approx(50_000.0 * ONE.output_tokens / alone)
    assert (float(found.repeated_s), float(found.interruptions)) == (0.0, 0.0)


def test_a_measured_speed_below_the_predicted_stretches_the_work_and_not_the_start() -> None:
    slow, fast = run(throughput_factor=0.8), run()
    assert slow.useful_s == pytest.approx(float(fast.useful_s) / 0.8)
    assert float(slow.wall_s) - float(slow.useful_s) == pytest.approx(600.0)


def test_a_cap_and_what_fits_bound_the_batch() -> None:
    assert float(run(max_batch=16.0).batch) == 16.0
    free = run()
    assert float(free.batch) == min(float(free.fitting_batch), 50_000.0)
    assert float(run(requests=40.0).batch) == 10.0


@pytest.mark.parametrize("mttf_h", [0.3, 2.0, 40.0])
def test_interruptions_cost_what_a_simulation_of_them_costs(mttf_h: float) -> None:
    """Every instance on its own, with whole waves: the closed form is exact, so the mean has to agree."""
    job = {"max_batch": 50.0, "requests": 8_000.0, "preemptions_per_node_hour": 1.0 / mttf_h}
    found = run(**job)
    pool = Pool(4, 8_000, 50, float(found.wave_s), 600.0, 60.0, mttf_h * 3600.0)
    rng = np.random.default_rng(11)
    walls = np.array([instance_wall_s(pool, 2_000, rng) for _ in range(4000)])
    error = float(walls.std() / np.sqrt(walls.size))
    assert abs(float(walls.mean()) - float(found.wall_s)) < 4.0 * error
    # And the mean of pools that share one queue lies within a wave and a start of it.
    shared = float(np.mean([makespan_s(pool, rng) for _ in range(300)]))
    assert abs(shared - float(found.wall_s)) < 0.1 * float(found.wall_s) + pool.wave_s + pool.cold_start_s


def test_rare_interruptions_lose_half_a_batch_and_a_start_each() -> None:
    found = run(requests=2e7, preemptions_per_node_hour=1e-3)
    each = float(found.repeated_s) / (float(found.wall_s) / float(found.mttf_s))
    assert each == pytest.approx(float(found.wave_s) / 2.0 + 600.0 + 60.0, rel=0.02)
    assert float(found.interruptions) == pytest.approx(4.0 * float(found.wall_s) * 1e-3 / 3600.0, rel=1e-3)


def test_node_failures_and_preemptions_add_up() -> None:
    apart = run(failures_per_node_day=2.4, preemptions_per_node_hour=0.1)
    assert apart.wall_s == pytest.approx(float(run(preemptions_per_node_hour=0.2).wall_s))


def test_smaller_batches_lose_less_to_interruptions() -> None:
    found = run(max_batch=np.array([16.0, 64.0, 256.0]), preemptions_per_node_hour=30.0)
    kept = np.asarray(found.kept_share)
    assert (np.diff(kept) < 0).all()


def test_rows_are_jobs() -> None:
    columns = {
        "requests": np.array([1.0, 5e3, 2e5, 7e7]),
        "accelerator_count": np.array([1.0, 4.0, 7.0, 512.0]),
        "preemptions_per_node_hour": np.array([0.0, 0.01, 5.0, 0.2]),
        "max_batch": np.array([8.0, np.inf, 64.0, 1.0]),
        "idle_gpu_hours_per_week": np.array([0.0, 3.0, 1e6, 50.0]),
    }
    load = replace(ONE, tensor_parallel=np.array([1.0, 2.0, 4.0, 8.0]))
    rows = run(load=load, **columns)
    for index in range(4):
        single = {name: float(column[index]) for name, column in columns.items()}
        own = replace(ONE, tensor_parallel=float(load.tensor_parallel[index]))  # type: ignore[index]
        alone = run(load=own, **single)
        for field in fields(BatchRun):
            row = np.broadcast_to(getattr(rows, field.name), 4)[index]
            assert row == pytest.approx(float(getattr(alone, field.name)), rel=1e-12), field.name


@pytest.mark.parametrize("deadline_h", [0.5, 1.0, 3.0, 9.0, 100.0])
@pytest.mark.parametrize("spot", [0.0, 0.5])
def test_the_fewest_instances_are_the_first_that_a_loop_finds(deadline_h: float, spot: float) -> None:
    job = replace(JOB, deadline_h=deadline_h, preemptions_per_node_hour=spot)
    count = next(
        n
        for n in range(1, 2000)
        if float(run_batch_job(LLAMA_8B, H100, replace(job, accelerator_count=n)).duration_h) <= deadline_h
    )
    assert float(fewest_instances(LLAMA_8B, H100, job)) == count


def test_no_number_of_instances_beats_a_start_and_one_request() -> None:
    least = float(shortest_run(LLAMA_8B, H100, JOB).duration_h)
    assert least == pytest.approx((600.0 + float(finite_run_s(CASE, 1.0, 1.0))) / 3600.0)
    late, enough = (replace(JOB, deadline_h=least * factor) for factor in (0.999, 1.001))
    assert np.isnan(float(fewest_instances(LLAMA_8B, H100, late)))
    assert float(fewest_instances(LLAMA_8B, H100, enough)) > 1000.0


def test_codes_say_why_a_job_is_not_possible() -> None:
    assert float(run().feasible_code) == FEASIBLE
    assert float(run(LLAMA_70B).feasible_code) == WEIGHTS_TOO_LARGE
    assert np.isnan(float(run(LLAMA_70B).duration_h)) and float(run(LLAMA_70B).batch) == 0.0
    wide = replace(ONE, tensor_parallel=8.0)
    assert float(run(load=wide).feasible_code) == TOO_FEW_GPUS
    assert float(run(deadline_h=0.5).feasible_code) == DEADLINE_MISSED
    rough = run(preemptions_per_node_hour=1000.0, cold_start_s=7200.0)
    assert float(rough.feasible_code) == NEVER_ENDS and np.isfinite(float(rough.duration_h))


def test_idle_hours_are_used_first_and_the_rest_is_bought() -> None:
    none, some, plenty = (run(idle_gpu_hours_per_week=hours) for hours in (0.0, 7.0, 1e6))
    # 7 GPU-hours a week are 1 in the 24 hours of the deadline.
    assert float(some.idle_gpu_h) == pytest.approx(1.0, rel=1e-3)
    assert float(some.duration_h) == pytest.approx(24.0, rel=1e-3)
    done = 200_000.0 - float(some.requests_bought)
    assert done == pytest.approx(3600.0 * float(none.fitting_batch) / float(none.wave_s), rel=1e-3)
    assert float(some.wall_s) < float(none.wall_s)
    assert (float(plenty.instances), float(plenty.wall_s), float(plenty.requests_bought)) == (0.0, 0.0, 0.0)
    assert float(plenty.duration_h) == pytest.approx(float(plenty.idle_gpu_h) / 1e6 * 168.0)


def test_gpus_beyond_whole_instances_are_counted() -> None:
    wide = replace(ONE, tensor_parallel=4.0)
    found = run(load=wide, accelerator_count=11.0)
    assert (float(found.instances), float(found.unused_gpus)) == (2.0, 3.0)
    few = run(requests=2.0)
    assert (float(few.instances), float(few.unused_gpus)) == (2.0, 2.0)


def test_an_encoder_decodes_nothing() -> None:
    """A pass reads the weights once and computes the prompts; no token is generated and no cache read."""
    encoder, load = replace(LLAMA_8B, generates=0.0), replace(ONE, output_tokens=1.0)
    case = ServingCase(encoder, H100, load, CONSTANTS)
    step = step_terms(case)
    spans = [float(wave_s(case, step, size)) for size in (1.0, 100.0, 400.0)]
    prompt = float(prefill_s_per_request(case))
    assert spans[1] - spans[0] == pytest.approx(99.0 * prompt)
    assert spans[2] - spans[1] == pytest.approx(300.0 * prompt)
    assert spans[0] - prompt == pytest.approx(float(step.fixed_weights + step.constant))
    found = run(encoder, load=load)
    decoder = run(load=load)
    assert float(found.wall_s) < float(decoder.wall_s)
    assert float(found.prefill_share) > 0.95
