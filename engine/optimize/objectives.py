"""What a search may minimise."""

from __future__ import annotations

from typing import Literal

Objective = Literal["cost", "time", "cost_under_deadline", "time_under_budget"]
OBJECTIVES: tuple[Objective, ...] = ("cost", "time", "cost_under_deadline", "time_under_budget")
