"""The one composer: plan -> estimate -> optimise -> rules -> Review. Everything shown comes from a Review."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date
from importlib.metadata import PackageNotFoundError, version

from engine.catalog import Catalog
from engine.estimation import DEFAULT_DRAWS, estimate
from engine.optimize.objectives import Objective
from engine.optimize.search import optimize
from engine.optimize.service_report import report_service
from engine.plan import Plan, apply_patch, plan_to_json
from engine.results import Estimate, Optimisation, RecommendationSet, Result, ServiceReport
from rules.evaluation import recommend
from rules.registry import RULES

Progress = Callable[[int, int], None]


class Versions(Result):
    """What produced a review."""

    program: str
    catalog: str
    rules: str


class Review(Result):
    """Everything a page, a PDF, a spreadsheet or a file shows of one plan. No number is recomputed later.

    `service` is of an online service with the chosen actions, None for other plans.
    """

    plan: Plan
    plan_hash: str
    estimate: Estimate
    recommendations: RecommendationSet
    proposed: Estimate | None
    optimisation: Optimisation | None
    service: ServiceReport | None = None
    versions: Versions
    created: str
    seed: int
    draws: int


def compose_review(
    plan: Plan,
    catalog: Catalog,
    *,
    chosen: frozenset[str] | None = None,
    dismissed: frozenset[str] = frozenset(),
    seed: int = 0,
    draws: int = DEFAULT_DRAWS,
    objective: Objective = "cost_under_deadline",
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    today: date | None = None,
    with_search: bool = True,
) -> Review:
    """Compute everything of one plan. `proposed` is the plan with the chosen actions, estimated again.

    Parameters as `recommend` and `optimize`; `today` only dates the review.
    """
    recommendations = recommend(
        plan, catalog, chosen=chosen, dismissed=dismissed, seed=seed, draws=draws, cancelled=cancelled
    )
    now = estimate(plan, catalog, seed=seed, draws=draws)
    proposed = _proposed(plan, catalog, recommendations, seed, draws)
    search = (
        optimize(plan, catalog, objective=objective, progress=progress, cancelled=cancelled)
        if with_search
        else None
    )
    return Review(
        plan=plan,
        plan_hash=hashlib.sha256(plan_to_json(plan).encode()).hexdigest()[:16],
        estimate=now,
        recommendations=recommendations,
        proposed=proposed,
        optimisation=search,
        service=_service(plan, catalog, recommendations),
        versions=Versions(program=program_version(), catalog=catalog.version, rules=_rules_version()),
        created=(today or date.today()).isoformat(),
        seed=seed,
        draws=draws,
    )


def chosen_patch(recommendations: RecommendationSet) -> dict[str, object]:
    """All changes of the chosen actions as one patch."""
    return {
        change.path: change.after
        for item in recommendations.recommendations
        if item.chosen
        for change in item.changes
    }


def _proposed(
    plan: Plan, catalog: Catalog, recommendations: RecommendationSet, seed: int, draws: int
) -> Estimate | None:
    patch = chosen_patch(recommendations)
    return estimate(apply_patch(plan, patch), catalog, seed=seed, draws=draws) if patch else None


def _service(plan: Plan, catalog: Catalog, recommendations: RecommendationSet) -> ServiceReport | None:
    if plan.workload.kind != "online_inference":
        return None
    return report_service(apply_patch(plan, chosen_patch(recommendations)), catalog, with_fleets=False)


def program_version() -> str:
    """Installed version of the program."""
    try:
        return version("flopwise")
    except PackageNotFoundError:
        return "0.0.0+source"


def _rules_version() -> str:
    ids = ",".join(rule.id for rule in RULES)
    return f"{len(RULES)}+{hashlib.sha256(ids.encode()).hexdigest()[:8]}"
