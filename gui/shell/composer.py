"""What the window asks of the engine, as plain callables; tests hand in their own. Qt-free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from engine.plan import Plan
from engine.results import (
    BreakEven,
    Estimate,
    FleetReport,
    Optimisation,
    PurchaseMix,
    Scaling,
    ServiceReport,
)

if TYPE_CHECKING:  # the composer pulls in every rule; the window opens without them
    from gui.services.review import Review

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]


class ReviewCall(Protocol):
    """Composes a review; its `optimisation` may be None and is then searched for apart."""

    def __call__(
        self,
        plan: Plan,
        chosen: frozenset[str] | None,
        dismissed: frozenset[str],
        progress: Progress,
        cancelled: Cancelled,
    ) -> Review: ...


class SearchCall(Protocol):
    """Searches for better settings."""

    def __call__(
        self, plan: Plan, objective: str, progress: Progress, cancelled: Cancelled
    ) -> Optimisation | None: ...


def _no_scaling(plan: Plan, cancelled: Cancelled) -> Scaling | None:
    return None


def _no_fleets(plan: Plan) -> FleetReport | None:
    return None


def _no_purchase(plan: Plan) -> PurchaseMix | None:
    return None


def _no_break_even(plan: Plan, cancelled: Cancelled) -> BreakEven | None:
    return None


def _no_service(plan: Plan) -> ServiceReport | None:
    return None


def _no_alternatives(plan: Plan, cancelled: Cancelled) -> FleetReport | None:
    return None


def _no_accelerators() -> Mapping[str, str]:
    return {}


def _no_figures(accelerator: str) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Composer:
    """The engine as the window sees it.

    `accelerators` gives catalogue ids and their names; `own_figures` gives one's figures as a patch of
    `cluster.accelerator_spec`, to start own figures from.
    """

    estimate: Callable[[Plan], Estimate]
    review: ReviewCall
    search: SearchCall | None = None
    accelerators: Callable[[], Mapping[str, str]] = field(default=_no_accelerators)
    own_figures: Callable[[str], Mapping[str, Any]] = field(default=_no_figures)
    scaling: Callable[[Plan, Cancelled], Scaling | None] = field(default=_no_scaling)
    fleets: Callable[[Plan], FleetReport | None] = field(default=_no_fleets)
    purchase: Callable[[Plan], PurchaseMix | None] = field(default=_no_purchase)
    break_even: Callable[[Plan, Cancelled], BreakEven | None] = field(default=_no_break_even)
    service: Callable[[Plan], ServiceReport | None] = field(default=_no_service)
    alternatives: Callable[[Plan, Cancelled], FleetReport | None] = field(default=_no_alternatives)


class EngineCalls:
    """The real engine behind a Composer. Nothing heavy is imported before it is first asked for."""

    @cached_property
    def _catalog(self) -> Any:
        from engine.catalog import load_catalog

        return load_catalog()

    def composer(self) -> Composer:
        """These calls as a Composer."""
        return Composer(
            self.estimate,
            self.review,
            self.search,
            self.accelerators,
            self.own_figures,
            self.scaling,
            self.fleets,
            self.purchase,
            self.break_even,
            self.service,
            self.alternatives,
        )

    def estimate(self, plan: Plan) -> Estimate:
        """The central estimate, without its band."""
        from engine.estimation import estimate

        return estimate(plan, self._catalog, draws=0)

    def review(
        self,
        plan: Plan,
        chosen: frozenset[str] | None,
        dismissed: frozenset[str],
        progress: Progress,
        cancelled: Cancelled,
    ) -> Review:
        """Everything but the search."""
        from gui.services.review import compose_review

        return compose_review(
            plan, self._catalog, chosen=chosen, dismissed=dismissed, progress=progress, cancelled=cancelled,
            with_search=False,
        )  # fmt: skip

    def search(
        self, plan: Plan, objective: str, progress: Progress, cancelled: Cancelled
    ) -> Optimisation | None:
        """Better settings of the plan for `objective`."""
        from engine.optimize.search import optimize

        return optimize(plan, self._catalog, objective=objective, progress=progress, cancelled=cancelled)  # type: ignore[arg-type]

    def scaling(self, plan: Plan, cancelled: Cancelled) -> Scaling | None:
        """How a training plan scales over cluster sizes, sequence lengths and batches."""
        from engine.optimize.scaling import scale

        return scale(plan, self._catalog, cancelled=cancelled)

    def fleets(self, plan: Plan) -> FleetReport | None:
        """Fleets that could serve the plan's traffic."""
        from engine.optimize.fleets import search_fleets

        return search_fleets(plan, self._catalog)

    def purchase(self, plan: Plan) -> PurchaseMix | None:
        """The cheapest way to buy the fleet of a service."""
        from engine.optimize.purchase_mix import search_purchase

        return search_purchase(plan, self._catalog)

    def break_even(self, plan: Plan, cancelled: Cancelled) -> BreakEven | None:
        """The plan's service against an API."""
        from engine.optimize.break_even import break_even

        return break_even(plan, self._catalog, cancelled=cancelled)

    def service(self, plan: Plan) -> ServiceReport | None:
        """A service's latency curve, week and unit costs."""
        from engine.optimize.service_report import report_service

        return report_service(plan, self._catalog, with_fleets=False)

    def alternatives(self, plan: Plan, cancelled: Cancelled) -> FleetReport | None:
        """Fleets that could serve the plan's traffic, with fewer or more spares too."""
        from engine.optimize.fleets import search_fleets

        return search_fleets(plan, self._catalog, with_spares=True, cancelled=cancelled)

    def accelerators(self) -> Mapping[str, str]:
        """Accelerators of the catalogue: id to name."""
        return {key: item.name for key, item in self._catalog.accelerators.items()}

    def own_figures(self, accelerator: str) -> Mapping[str, Any]:
        """Figures of a catalogue accelerator as fields of `cluster.accelerator_spec`."""
        found = self._catalog.accelerator(accelerator)
        tera, giga = 1e12, 1e9
        # Where nobody publishes a power, the planner starts from the hungriest known part and corrects it.
        hungriest = max(item.tdp_w or 0.0 for item in self._catalog.accelerators.values())
        figures = {
            "name": found.name,
            "memory_gib": found.memory_bytes / 2**30,
            "memory_bandwidth_gb_per_s": found.memory_bandwidth_bytes_per_s / giga,
            "peak_tflops": {key: value / tera for key, value in found.peak_flops.items()},
            "scale_up_gb_per_s": found.scale_up_bandwidth_bytes_per_s / giga,
            "power_w": found.tdp_w or hungriest,
            "accelerators_per_node": found.accelerators_per_node,
        }
        return {f"cluster.accelerator_spec.{key}": value for key, value in figures.items()}
