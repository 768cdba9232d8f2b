"""The batch size of lowest total cost: speed gained by larger batches against tokens they waste."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import minimize_scalar

from engine.arrays import Array, FloatArray
from engine.evaluation import evaluate
from engine.lowering import lower
from engine.optimize.curves import Sweep, sweep
from engine.values import PlanValues

# B* of Zhang et al. (arXiv 2410.21676) costs 20 % more than linear scaling, which is a fifth of McCandlish's
# critical batch on the same hyperbola; both figures are catalogue facts.
PATH = "training.global_batch_tokens"
_SEARCH_SPAN = 16.0
_WORST = 1e30


@dataclass(frozen=True, slots=True)
class BatchOptimum:
    """Best batch [tokens a step], the tokens the run then needs, and the total [plan currency]."""

    batch_tokens: float
    tokens: float
    total: float


def critical_batch_tokens(values: PlanValues) -> float:
    """Critical batch [tokens]: as entered, else from the token count D as 5 x c x D^e."""
    training = values.plan.training
    assert training is not None
    if training.critical_batch_tokens is not None:
        return training.critical_batch_tokens
    scale = values.fact("scaling", "critical_batch_scale")
    exponent = values.fact("scaling", "critical_batch_exponent")
    overhead = values.fact("scaling", "critical_batch_overhead")
    return float(scale * training.tokens**exponent / overhead)


def equal_loss_tokens(tokens: Array, *, batch: Array, new_batch: Array, critical: Array) -> Array:
    """Tokens to the same loss when the batch changes [tokens]: D (1 + B'/Bc) / (1 + B/Bc)."""
    return tokens * (1.0 + new_batch / critical) / (1.0 + batch / critical)


def batch_sweep(values: PlanValues) -> Sweep:
    """Total and hours over batches the layout can split, each with the tokens to the same loss."""
    training = values.plan.training
    assert training is not None
    quantum = _quantum(values)
    now = training.global_batch_tokens / quantum
    multiples = _whole(now * np.geomspace(1.0 / _SEARCH_SPAN, _SEARCH_SPAN, 65))
    grid = np.unique(np.append(multiples * quantum, training.global_batch_tokens))
    tokens = equal_loss_tokens(
        training.tokens,
        batch=training.global_batch_tokens,
        new_batch=grid,
        critical=critical_batch_tokens(values),
    )
    return sweep(values, PATH, grid, extra={"training.tokens": np.asarray(tokens)})


def _quantum(values: PlanValues) -> float:
    """Tokens of the smallest batch the layout can split: one micro-batch on every replica."""
    training, layout = values.plan.training, values.plan.layout
    assert training is not None
    count = float(np.asarray(values.number("cluster.accelerator_count")))
    split = float(
        np.prod([float(getattr(layout, f"{n}_parallel")) for n in ("tensor", "pipeline", "context")])
    )
    return training.sequence_length * float(layout.micro_batch) * max(1.0, count / split)


def best_batch(values: PlanValues) -> BatchOptimum:
    """Search the log of the batch, in whole multiples of what the layout can split."""
    training = values.plan.training
    assert training is not None
    quantum = _quantum(values)
    critical = critical_batch_tokens(values)

    def totals(batch: FloatArray) -> tuple[FloatArray, FloatArray]:
        tokens = equal_loss_tokens(
            training.tokens, batch=training.global_batch_tokens, new_batch=batch, critical=critical
        )
        columns = {PATH: batch, "training.tokens": np.asarray(tokens)}
        outcome = evaluate(
            lower(replace(values, overrides={**values.overrides, **columns})), values.plan.scope
        )
        feasible = np.broadcast_to(np.asarray(outcome.feasible_code) == 0, batch.shape)
        return np.where(feasible, outcome.total, _WORST), np.asarray(tokens)

    low = max(1.0, training.global_batch_tokens / _SEARCH_SPAN / quantum)
    high = max(low * 2.0, training.global_batch_tokens * _SEARCH_SPAN / quantum)
    smooth = minimize_scalar(
        lambda x: float(totals(np.array([_whole(np.exp(x)) * quantum]))[0][0]),
        bounds=(np.log(low), np.log(high)),
        method="bounded",
    )
    around = np.exp(smooth.x) * np.geomspace(0.5, 2.0, 33)
    grid = np.unique(np.concatenate([_whole(np.geomspace(low, high, 97)), _whole(around)])) * quantum
    cost, tokens = totals(grid)
    index = int(np.argmin(cost))
    return BatchOptimum(float(grid[index]), float(tokens[index]), float(cost[index]))


def _whole(multiples: Array) -> FloatArray:
    return np.maximum(1.0, np.round(np.asarray(multiples, dtype=float)))
