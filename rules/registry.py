"""Every rule, listed by hand: nothing is found by scanning, so what runs is what stands here."""

from __future__ import annotations

from rules.base import Rule
from rules.governance import budget_alerts
from rules.inference import accelerator_choice, autoscale, prefix_cache, quantisation_8bit
from rules.reliability import checkpoint_async, checkpoint_interval
from rules.resources import commitment, idle_accelerators, spot
from rules.risk import effect_gate, spot_without_tolerance
from rules.storage import checkpoint_lifecycle
from rules.training import batch_critical, parallel_plan, precision, recompute, scale_rightsize

RULES: tuple[Rule, ...] = (
    budget_alerts.RULE,
    idle_accelerators.RULE,
    checkpoint_lifecycle.RULE,
    prefix_cache.RULE,
    parallel_plan.RULE,
    recompute.RULE,
    precision.RULE,
    batch_critical.RULE,
    checkpoint_interval.RULE,
    checkpoint_async.RULE,
    quantisation_8bit.RULE,
    scale_rightsize.RULE,
    accelerator_choice.RULE,
    autoscale.RULE,
    spot.RULE,
    commitment.RULE,
    spot_without_tolerance.RULE,
    effect_gate.RULE,
)
