"""A service of one's own against an API that is paid by the token."""

from __future__ import annotations

from typing import Literal

from engine.results.base import Result

Verdict = Literal["found", "always", "never", "not_evaluated"]
"""Self-hosting is cheaper from a volume on; at every volume; at none up to the highest; not compared."""


class BreakEvenCase(Result):
    """The break-even where one input is `factor` times what the plan says.

    `driver` is api_price, or utilisation: what each instance carries of its estimated load.
    """

    driver: Literal["api_price", "utilisation"]
    factor: float
    verdict: Verdict
    requests_per_second: float | None
    million_tokens_per_month: float | None


class CostCurve(Result):
    """Cost a month [plan currency] over traffic: self-hosted and API; utilisation of the own fleet [share].

    `own` is None where no fleet meets the targets.
    """

    requests_per_second: tuple[float, ...]
    million_tokens_per_month: tuple[float, ...]
    own: tuple[float | None, ...]
    api: tuple[float, ...]
    utilisation: tuple[float | None, ...]


class BreakEven(Result):
    """Costs a month at the plan's traffic and the volume from which self-hosting stays cheaper.

    Months are means of the horizon, growth included; volumes are the first month's mean rate, as in the
    plan. `crossings` are volumes at which the cheaper side changes, seen on the grid searched, and the
    break-even, which is exact. Where the
    verdict is not_evaluated, `obstacle` says why (prices, unknown_cost, targets) and `needs` what is missing.
    """

    verdict: Verdict
    obstacle: Literal["", "prices", "unknown_cost", "targets"] = ""
    needs: tuple[str, ...] = ()
    requests_per_second_now: float
    million_tokens_per_month_now: float
    own_per_month: float | None = None
    own_p10: float | None = None
    own_p90: float | None = None
    api_per_month: float | None = None
    requests_per_second: float | None = None
    million_tokens_per_month: float | None = None
    utilisation: float | None = None
    crossings: tuple[float, ...] = ()
    searched_from: float | None = None
    searched_to: float | None = None
    cases: tuple[BreakEvenCase, ...] = ()
    curve: CostCurve | None = None
