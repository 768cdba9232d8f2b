"""How far the training model may be off, by regime: the 10-90 % band of measured over predicted step time.

Bands are catalogue rows `training.band_<kind>[_<family>[_<precision>]]`, kind dense or moe; a regime without
a row takes its parent's.
"""

from __future__ import annotations

from dataclasses import replace

from engine.catalog import Fact
from engine.performance.training_constants import Facts, family_key

PREFIX = "training.band_"
WIDENING = "training.band_widening_unknown_stack"
ROOT = "training.time_factor"


def regime_keys(*, is_moe: bool, family: str, precision: str) -> tuple[str, ...]:
    """Names of a regime's bands without their prefix, the nearest first, its kind last."""
    kind, part = "moe" if is_moe else "dense", family_key(family)
    word = "bf16" if precision == "fp16" else precision
    return f"{kind}_{part}_{word}", f"{kind}_{part}", kind


def step_time_band(
    catalog: Facts, *, is_moe: bool, family: str, precision: str, known_stack: bool = True
) -> Fact:
    """The factor on predicted step time of a regime: central value 1, low and high its 10-90 % band [ratio].

    family: the accelerator's; precision: of the matrix products. A stack the constants were not fitted for
    widens the band by a power: low and high**widening. A planner's own `training.time_factor` goes before.
    """
    facts = catalog.constants("training.")
    root = facts[ROOT]
    if root.mark == "own":
        return root
    keys = regime_keys(is_moe=is_moe, family=family, precision=precision)
    found = next((facts[PREFIX + key] for key in keys if PREFIX + key in facts), root)
    if known_stack or found.low is None or found.high is None:
        return found
    power = facts[WIDENING].value
    assert power is not None
    return replace(found, low=found.low**power, high=found.high**power)
