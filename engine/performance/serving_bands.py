"""How far the serving model may be off, by regime: 10-90 % bands of measured over predicted.

Bands are catalogue rows `serving.band_<metric>[_<kind>[_<family>]]`: metric tpot, ttft or throughput, kind
dense or moe, family as in the training bands. A regime without a row takes its parent's.
"""

from __future__ import annotations

from engine.catalog import Fact
from engine.performance.training_constants import Facts, family_key

PREFIX = "serving.band_"
METRICS = ("tpot", "ttft", "throughput")


def serving_regimes(metric: str, *, is_moe: bool, family: str) -> tuple[str, ...]:
    """Names of a regime's bands without their prefix, the nearest first, its metric last."""
    kind = "moe" if is_moe else "dense"
    return f"{metric}_{kind}_{family_key(family)}", f"{metric}_{kind}", metric


def serving_band(catalog: Facts, metric: str, *, is_moe: bool, family: str) -> Fact:
    """The factor on a predicted figure in a regime: central value 1, low and high its 10-90 % band [ratio].

    metric: of METRICS; family: the accelerator's. A planner's own `serving.<metric>_factor` goes before.
    """
    facts = catalog.constants("serving.")
    root = facts[f"serving.{metric}_factor"]
    if root.mark == "own":
        return root
    keys = serving_regimes(metric, is_moe=is_moe, family=family)
    return next((facts[PREFIX + key] for key in keys if PREFIX + key in facts), root)


def count_as(precision: str) -> str:
    """The name a weight precision is counted under in the catalogue's `measured.serving.*` rows."""
    return "bf16" if precision == "fp16" else precision


def measured_runs(catalog: Facts, accelerator: str, precision: str) -> float:
    """Published serving runs of an accelerator and weight precision behind the model [count]; 0 = none."""
    key = f"measured.serving.{accelerator}.{count_as(precision)}"
    fact = catalog.constants("measured.serving.").get(key)
    return float(fact.value) if fact is not None and fact.value is not None else 0.0
