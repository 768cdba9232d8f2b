"""What an estimate says beside its numbers: what does not fit, is late, over budget or unknown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.catalog.accelerators import GIB
from engine.evaluation import Outcome
from engine.lowering import KernelInputs
from engine.performance.batch import (
    DEADLINE_MISSED,
    NEVER_ENDS,
    TOO_FEW_GPUS,
    BatchRun,
    fewest_instances,
    shortest_run,
)
from engine.performance.feasibility import FEASIBLE, HOPELESS
from engine.performance.serving import (
    TOO_FEW_INSTANCES,
    TPOT_MISSED,
    TTFT_MISSED,
    WEIGHTS_TOO_LARGE,
)
from engine.plan import Plan
from engine.text import N_, Message, Quantity, Term
from engine.traces import known

SERVING_REASONS = {
    WEIGHTS_TOO_LARGE: N_("the weights and one sequence do not fit in memory"),
    TPOT_MISSED: N_("the time per output token is missed even with one sequence"),
    TTFT_MISSED: N_("the time to first token is missed even with one sequence"),
    TOO_FEW_INSTANCES: N_("the busiest hour asks for more than the fixed number of instances serves"),
}
BATCH_REASONS = {
    WEIGHTS_TOO_LARGE: SERVING_REASONS[WEIGHTS_TOO_LARGE],
    TOO_FEW_GPUS: N_("fewer GPUs than one instance has"),
    NEVER_ENDS: N_("interruptions come faster than a batch ends"),
    DEADLINE_MISSED: N_("ends after the deadline"),
}


_STARVED_BELOW = 8.0
"""Sequences in memory below which published runs swing threefold on a gigabyte. [FIT_SERVING] section 6."""


def plan_notes(
    plan: Plan, inputs: KernelInputs, outcome: Outcome, unknown: tuple[str, ...]
) -> tuple[Message, ...]:
    """Warnings in the order they matter."""
    notes = [*_fit_notes(inputs, outcome), *_service_notes(plan, inputs, outcome)]
    notes += [Message(N_("Price unknown, not included: {item}"), {"item": Term(item)}) for item in unknown]
    if outcome.training is not None:
        deadline, days = plan.deadline_days, float(outcome.end_day)
        if deadline is not None and days > deadline:
            notes.append(
                Message(
                    N_("Ends after {days}, later than the deadline of {deadline}."),
                    {"days": Quantity(days, "d"), "deadline": Quantity(deadline, "d")},
                )
            )
    budget = plan.governance.budget
    if budget is not None and float(outcome.total) > budget:
        notes.append(
            Message(
                N_("Costs {total}, more than the budget of {budget}."),
                {"total": Quantity(float(outcome.total), "currency"), "budget": Quantity(budget, "currency")},
            )
        )
    return tuple(notes)


def _service_notes(plan: Plan, inputs: KernelInputs, outcome: Outcome) -> Iterator[Message]:
    """Where figures of a service stand on thin ground: little memory, no published run, no preset."""
    serving, planned = plan.serving, inputs.service
    if outcome.service is None or serving is None or planned is None:
        return
    fits = float(np.asarray(outcome.service.instance.max_batch))
    if 1.0 <= fits < _STARVED_BELOW and fits < serving.max_num_seqs:
        yield Message(
            N_(
                "Memory is short: only {count} fit at once. Speed there hangs on single gigabytes; more "
                "accelerators an instance or smaller weights make it dependable."
            ),
            {"count": Quantity(fits, "sequences")},
        )
    if planned.measured_runs == 0.0:
        yield Message(
            N_(
                "Extrapolated: no published run with {accelerator} and weights in {precision} was at hand. "
                "Measure before you rely on latency or throughput."
            ),
            {"accelerator": plan.cluster.accelerator, "precision": serving.weight_precision},
        )
    if serving.engine == "lmdeploy":
        yield Message(N_("No published run of LMDeploy was at hand: the constants of all engines are used."))
    if serving.adapters > 0:
        yield Message(
            N_("Adapters count by their memory and arithmetic: what an engine loses with them is not known.")
        )


def _batch_note(inputs: KernelInputs, run: BatchRun) -> Message:
    """Why a batch job does not end in time, and what would: instances, a longer deadline, calmer capacity."""
    job = inputs.batch
    assert job is not None
    if int(run.feasible_code) == NEVER_ENDS:
        return Message(
            N_("Interruptions come faster than a batch ends: use a smaller one, or calmer capacity.")
        )
    needed = float(fewest_instances(inputs.model, inputs.hardware, job))
    seen = {"hours": Quantity(float(run.duration_h), "h"), "deadline": Quantity(float(job.deadline_h), "h")}
    if np.isnan(needed):
        least = float(shortest_run(inputs.model, inputs.hardware, job).duration_h)
        text = N_(
            "Takes {hours}, later than the deadline of {deadline}, which no number of GPUs meets: a cold "
            "start and one request alone take {least}."
        )
        return Message(text, {**seen, "least": Quantity(least, "h")})
    wanted = {
        "instances": Quantity(needed, "instances"),
        "gpus": Quantity(needed * float(run.gpus_per_instance), "GPUs"),
    }
    return Message(
        N_("Takes {hours}, later than the deadline of {deadline}: {instances} on {gpus} would meet it."),
        {**seen, **wanted},
    )


def _fit_notes(inputs: KernelInputs, outcome: Outcome) -> list[Message]:
    code = int(outcome.feasible_code)
    if code == FEASIBLE:
        return []
    if outcome.batch is not None:
        return [_batch_note(inputs, outcome.batch)]
    if outcome.service is not None:
        return [
            Message(N_("The fleet cannot meet the plan: {reason}"), {"reason": Term(SERVING_REASONS[code])})
        ]
    assert outcome.training is not None
    if code == HOPELESS:
        return [Message(N_("Failures come faster than the run saves its work: it would not end."))]
    return [
        Message(
            N_("Needs {needed} of memory on each GPU; {usable} are usable."),
            {
                "needed": Quantity(known(outcome.training.memory.total_bytes / GIB), "GiB"),
                "usable": Quantity(known(inputs.hardware.memory_bytes / GIB), "GiB"),
            },
        )
    ]
