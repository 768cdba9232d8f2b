"""Published GPU-hours of whole trainings, whose layout nobody states, against the step model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog, load_catalog
from engine.catalog.facts import Accelerator
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.memory import training_memory
from engine.performance.training import training_step
from engine.performance.training_constants import family_key, resolve_training_constants
from engine.text import N_, Message
from engine.validation.cases import hardware_of
from engine.validation.naming import find_accelerator
from engine.validation.results import (
    ErrorSummary,
    RowResult,
    ValidationResult,
    gather,
    summarise,
)
from engine.validation.shapes import shape_of_parameters
from engine.validation.tables import DataRow, RowProblem, Skipped, is_sensible, read_cases, read_rows

METRIC = "gpu_hours"
NEEDED_COLUMNS = ("gpu", "params_B", "tokens_B")
STACK, PRECISION = "fsdp", "bf16"
BATCH_TOKENS = 4e6
"""Tokens a step of a training that does not state them: what published trainings of this decade use."""
BLANK_SEQUENCE, BLANK_DAYS, BLANK_MFU = 2048.0, 20.0, 0.35
"""A blank cluster is the power of two that finishes in so many days at this utilisation."""
MOST_ACCELERATORS = 2.0**20
MEMORY_SHARE = 0.95
SMALL_BELOW = 1e10
FLOPS_PER_PARAMETER = 6.0
_SIZES = ((1.0, 2.0, 4.0, 8.0), (1.0, 2.0, 4.0, 8.0, 16.0), (1.0, 2.0, 4.0, 8.0, 16.0, 32.0))
"""Tensor and pipeline sizes and micro-batches tried."""


@dataclass(frozen=True, slots=True)
class Total:
    """One training: parameters and tokens [count], accelerators, and the utilisation the step model gives."""

    row: DataRow
    parameters: float
    active: float
    tokens: float
    accelerator: Accelerator
    best_mfu: float

    @property
    def peak(self) -> float:
        """Dense bf16 peak [FLOP/s]."""
        peak = self.accelerator.peak(PRECISION)
        assert peak is not None
        return peak

    @property
    def measured(self) -> float | None:
        """Published GPU-hours."""
        return self.row.measured(METRIC)

    def hours(self, mfu: float) -> float:
        """GPU-hours at a utilisation, 6 FLOPs a parameter and token."""
        return FLOPS_PER_PARAMETER * self.active * self.tokens / (self.peak * mfu) / 3600.0


def validate_totals(text: str, catalog: Catalog | None = None) -> ValidationResult:
    """Predict the GPU-hours of every row of a file of whole trainings and compare where it gives them.

    Needs the columns gpu, params_B and tokens_B; active_params_B, seq_len and n_gpus help. `calibrated` holds
    the errors of one constant utilisation per accelerator on the same rows, both with the row in its own
    median and without. Never reads GPU-hours, days or implied figures for a prediction.
    """
    facts = catalog or load_catalog()
    rows = read_rows(text, NEEDED_COLUMNS)
    totals, skipped = read_totals(rows, facts)
    found = [_result(total, facts) for total in totals]
    return gather(len(rows), skipped, found, constant_mfu_errors(totals, found))


def read_totals(rows: Sequence[DataRow], catalog: Catalog) -> tuple[list[Total], list[Skipped]]:
    """Every row that can be expressed, and the others with the reason."""
    with np.errstate(all="ignore"):
        return read_cases(rows, lambda row: _total(row, catalog))


def _total(row: DataRow, catalog: Catalog) -> Total:
    parameters, tokens = row.positive("params_B"), row.positive("tokens_B")
    if parameters is None or tokens is None:
        raise RowProblem(Message(N_("parameters or tokens are not given")))
    active = min(row.positive("active_params_B") or parameters, parameters)
    part = find_accelerator(catalog, row.text("gpu"))
    peak = part.peak(PRECISION)
    if peak is None:
        raise RowProblem(Message(N_("{name} has no peak in 16 bits"), {"name": part.name}))
    if not is_sensible(parameters) or not is_sensible(tokens) or not is_sensible(active):
        raise RowProblem(Message(N_("parameters or tokens are beyond all sense")))
    work = FLOPS_PER_PARAMETER * active * 1e9 * tokens * 1e9
    needed = work / (BLANK_MFU * peak * BLANK_DAYS * 86400.0)
    count = row.positive("n_gpus") or 2.0 ** round(math.log2(min(max(needed, 1.0), MOST_ACCELERATORS)))
    speed = _best_speed(
        shape_of_parameters(parameters, active),
        row.positive("seq_len") or BLANK_SEQUENCE,
        8.0 * max(1.0, round(count / 8.0)),
        part,
        catalog,
    )
    mfu = speed * FLOPS_PER_PARAMETER * active * 1e9 / peak
    if not is_sensible(mfu):
        raise RowProblem(Message(N_("the model gives no finite figure for these inputs")))
    return Total(row, parameters * 1e9, active * 1e9, tokens * 1e9, part, mfu)


def _best_speed(
    model: ModelShape, sequence: float, count: float, part: Accelerator, catalog: Catalog
) -> float:
    """Tokens a second and accelerator of the fastest layout that fits; of the fastest when none does."""
    batch = max(BATCH_TOKENS / sequence, 1.0)
    layout, replicas = _layouts(count, batch, min(8.0, count) if model.num_experts else 1.0)
    run = TrainingRun(sequence, np.maximum(batch, replicas) * sequence, 0.0, count)
    hardware: Hardware = hardware_of(part, PRECISION, float(part.accelerators_per_node), catalog)
    constants = resolve_training_constants(catalog, part.family, PRECISION, stack=STACK, power_w=part.tdp_w)
    speeds = np.asarray(training_step(model, hardware, layout, run, constants).tokens_per_s_per_gpu)
    needed = training_memory(model, layout, run, hardware, constants.memory).total_bytes
    fits = np.broadcast_to(needed <= MEMORY_SHARE * part.memory_bytes, speeds.shape)
    return float(np.max(speeds[fits]) if fits.any() else np.max(speeds))


def _layouts(count: float, batch: float, experts: float) -> tuple[LayoutInputs, FloatArray]:
    """Every layout tried for a cluster [accelerators] and a batch [sequences], and its replicas."""
    grid = np.meshgrid(*_SIZES, [1.0, 2.0], [0.0, 1.0, 2.0], indexing="ij")
    tensor, pipeline, micro, sharding, recompute = (axis.ravel() for axis in grid)
    replicas = count / (tensor * pipeline)
    whole = (replicas >= 1.0) & (replicas == np.floor(replicas)) & ((sharding < 2.0) | (pipeline == 1.0))
    keep = whole & (micro * replicas <= np.maximum(batch, replicas))
    one = np.ones(int(keep.sum()))
    layout = LayoutInputs(
        tensor_parallel=tensor[keep],
        pipeline_parallel=pipeline[keep],
        context_parallel=one,
        expert_parallel=experts * one,
        virtual_pipeline=one,
        micro_batch=micro[keep],
        sharding_code=sharding[keep],
        recompute_code=recompute[keep],
    )
    return layout, replicas[keep]


def lasting_mfu(total: Total, catalog: Catalog, factor: float | None = None) -> float:
    """Utilisation over a whole training: what restarts, input and poorer layouts leave of the best step.

    Equation: factor * best^exponent * (active / 1e10)^loss for networks below 10 billion active parameters on
    parts newer than Ampere; the exponent below 1 draws unstated layouts towards one utilisation.
    """
    exponent, loss = (_value(catalog, key) for key in ("totals_speed_exponent", "totals_small_model_loss"))
    newer = family_key(total.accelerator.family) not in ("volta", "v100", "a100")
    small = math.pow(min(1.0, total.active / SMALL_BELOW), loss) if newer else 1.0
    scale = _value(catalog, "totals_factor") if factor is None else factor
    return scale * math.pow(total.best_mfu * small, exponent)


def _value(catalog: Catalog, key: str) -> float:
    value = catalog.fact("training", key).value
    assert value is not None
    return value


def fit_totals_factor(totals: Sequence[Total], catalog: Catalog) -> float:
    """The factor of lasting_mfu with which half of the published trainings took longer."""
    ratios = [
        total.hours(lasting_mfu(total, catalog, 1.0)) / total.measured for total in totals if total.measured
    ]
    return float(np.exp(np.median(np.log(ratios))))


def _result(total: Total, catalog: Catalog) -> RowResult:
    fact = catalog.fact("training", "totals_time_factor")
    assert fact.low is not None and fact.high is not None
    hours = total.hours(lasting_mfu(total, catalog))
    verified = total.row.text("verified").casefold()
    groups = (
        "moe" if total.active < total.parameters else "dense",
        f"family {family_key(total.accelerator.family)}",
        "below 2e9" if total.active < 2e9 else "from 2e9",
    )
    scored = not verified or verified.startswith("yes")
    return RowResult(
        total.row.id, METRIC, total.measured, hours, hours * fact.low, hours * fact.high, scored, groups
    )


def constant_mfu_errors(totals: Sequence[Total], rows: Sequence[RowResult]) -> dict[str, ErrorSummary]:
    """Errors of one median utilisation per accelerator, with each row in its own median and without."""
    known = [
        (t, r, m)
        for t, r in zip(totals, rows, strict=True)
        if (m := r.measured) is not None and is_sensible(r.predicted)
    ]
    mfus = np.array([total.hours(1.0) / measured for total, _, measured in known])
    parts = [total.accelerator.id for total, _, _ in known]
    found: dict[str, list[RowResult]] = {"constant MFU": [], "constant MFU, row left out": []}
    for index, (total, row, _) in enumerate(known):
        same = np.array([part == parts[index] for part in parts])
        others = same.copy()
        others[index] = False
        for name, picked in zip(found, (same, others if others.any() else same), strict=True):
            hours = total.hours(float(np.median(mfus[picked])))
            found[name].append(_replaced(row, hours))
    return {
        f"{name}{suffix}": summarise([row for row in group if row.scored or suffix])
        for name, group in found.items()
        for suffix in ("", " (all rows)")
    }


def _replaced(row: RowResult, hours: float) -> RowResult:
    return RowResult(row.id, row.metric, row.measured, hours, hours, hours, row.scored, row.groups)
