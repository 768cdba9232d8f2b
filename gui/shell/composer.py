"""What the window asks of the engine, as plain callables; tests hand in their own. Qt-free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from engine.plan import Plan
from engine.results import Estimate, Optimisation
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


def _no_accelerators() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Composer:
    """The engine as the window sees it. `accelerators` gives catalogue ids and their names."""

    estimate: Callable[[Plan], Estimate]
    review: ReviewCall
    search: SearchCall | None = None
    accelerators: Callable[[], Mapping[str, str]] = field(default=_no_accelerators)


class EngineCalls:
    """The real engine behind a Composer. Nothing heavy is imported before it is first asked for."""

    @cached_property
    def _catalog(self) -> Any:
        from engine.catalog import load_catalog

        return load_catalog()

    def composer(self) -> Composer:
        """These calls as a Composer."""
        return Composer(self.estimate, self.review, self.search, self.accelerators)

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

    def accelerators(self) -> Mapping[str, str]:
        """Accelerators of the catalogue: id to name."""
        return {key: item.name for key, item in self._catalog.accelerators.items()}
