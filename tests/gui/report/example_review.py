"""A Review built by hand, with everything that strains a layout: long names, many lines, unknown prices."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.plan import Plan, apply_patch
from engine.results import (
    Advice,
    Candidate,
    Certificate,
    Change,
    CostLine,
    Curve,
    Driver,
    Estimate,
    Evidence,
    JointSaving,
    Metric,
    NotEvaluated,
    Optimisation,
    PassedCheck,
    Recommendation,
    RecommendationSet,
    ResourceUse,
    Risk,
    Saving,
    Trace,
    TraceInput,
)
from engine.text import Message, Quantity
from gui.services.review import Review, Versions
from gui.services.templates import template_plan

HOSTILE = '#panic("x") *bold* _it_ $x^2$ <label> @ref `code` \\ {brace} // <script>&amp; = + - 远帆 堃龘喆'
"""Text that would be markup, formula or placeholder if anything read it as such."""
LONG_TITLE = ("do something with an exceedingly long name, " * 3)[:100]
CATEGORIES = ("compute", "people", "data", "failures", "storage", "network", "energy", "operations")


@dataclass(frozen=True)
class Shape:
    """What the example contains."""

    lines: int = 14
    actions: int = 6
    held_back: int = 2
    unknown: bool = False
    long_names: bool = False
    serving: bool = False
    draws: int = 2000
    start_date: str | None = "2027-01-04"
    total: float = 8_000_000.0
    currency: str = "USD"
    late: bool = False
    search: bool = True


def build_review(shape: Shape | None = None, **changes: object) -> Review:
    """A complete review of this shape; the ledger, the shares and the joint saving add up exactly."""
    shape = replace(shape or Shape(), **changes)  # type: ignore[arg-type]
    plan = _plan(shape)
    actions = [_action(index, shape) for index in range(shape.actions)]
    held = [_action(shape.actions + index, shape, chosen=False) for index in range(shape.held_back)]
    gross = sum(item.saving.in_plan or 0.0 for item in actions)
    one_off = sum(item.saving.one_off for item in actions)
    now = _estimate(shape, shape.total, 1.0)
    after = _estimate(shape, shape.total - gross, 0.8) if actions else None
    joint = JointSaving(
        ids=tuple(item.id for item in actions),
        gross=gross,
        one_off=one_off,
        net=gross - one_off,
        p10=gross * 0.85,
        p50=gross,
        p90=gross * 1.12,
        total_after=shape.total - gross,
        duration_after_h=1200.0,
    )
    return Review(
        plan=plan,
        plan_hash="6e4a67f99cc902b1",
        estimate=now,
        recommendations=_recommendations(shape, (*actions, *held), joint),
        proposed=after,
        optimisation=_optimisation(shape) if shape.search else None,
        versions=Versions(program="0.1.0", catalog="2026-12-02+62c9952aea6e", rules="18+aea31723"),
        created="2026-12-02",
        seed=7,
        draws=shape.draws,
    )


def _plan(shape: Shape) -> Plan:
    name = (
        "A very long project name with every department and committee in it, " * 3
        if shape.long_names
        else "Harbour-70B"
    )
    plan = template_plan("online-70b-chat" if shape.serving else "pretraining-70b-h100")
    patch: dict[str, object] = {
        "meta.name": name[:200],
        "meta.project": HOSTILE,
        "meta.team": (HOSTILE * 3)[:200] if shape.long_names else "Foundation models",
        "meta.owner": HOSTILE,
        "meta.currency": shape.currency,
        "schedule.start_date": shape.start_date,
        "finance.fx_rates": {"USD/CNY": {"rate": 7.1, "date": "2026-11-30"}},
        "governance.budget": 5e6 if shape.late else None,
    }
    if shape.late and not shape.serving:
        patch["schedule.deadline_days"] = 40.0
    return apply_patch(plan, patch)


def _name(index: int, shape: Shape) -> str:
    if shape.long_names and index % 3 == 0:
        return f"{index}: an item whose name is far too long for the column it has to stand in, {HOSTILE}"
    return f"Item number {index}"


def _estimate(shape: Shape, total: float, speed: float) -> Estimate:
    weights = [1.0 / (1 + index % 7) for index in range(shape.lines)]
    amounts = [total * weight / sum(weights) for weight in weights]
    lines = [_line(index, amount, shape) for index, amount in enumerate(amounts)]
    if shape.unknown:
        lines += [_line(index, None, shape) for index in range(shape.lines, shape.lines + 2)]
    lines.append(_line(99, 123_456.0, shape).model_copy(update={"in_scope": False}))
    drawn = shape.draws > 0
    return Estimate(
        currency=shape.currency,
        total=total,
        p10=total * 0.92 if drawn else None,
        p50=total * 1.005 if drawn else None,
        p80=total * 1.06 if drawn else None,
        p90=total * 1.11 if drawn else None,
        ask=total * 1.06 if drawn else None,
        complete=not shape.unknown,
        unknown=tuple(line.item for line in lines if line.amount is None),
        scope={},
        lines=tuple(lines),
        metrics=_metrics(shape, total, speed),
        resources=(ResourceUse(resource="Accelerators", unit="GPUs", average=500.3, peak=512.0),),
        drivers=_drivers(total),
        notes=(Message("Ends after {days}.", {"days": Quantity(60.0, "d")}),) if shape.late else (),
        draws=shape.draws,
        seed=7,
    )


def _line(index: int, amount: float | None, shape: Shape) -> CostLine:
    price = None if amount is None else 6.88
    quantity = 1000.0 if amount is None else amount / 6.88
    last = 365.0 if shape.serving else 75.0
    return CostLine(
        category=CATEGORIES[index % 8],
        item=_name(index, shape),
        phase="run",
        quantity=quantity,
        unit="GPU-h",
        unit_price=price,
        amount=amount,
        behaviour="variable" if index % 2 else "fixed",
        commitment="committed" if index % 4 == 0 else "elastic",
        in_scope=True,
        start_day=float(index % 5) * 3,
        end_day=0.0 if index == 5 else last + 40.0 * (index % 3),
        trace=Trace(
            formula="tokens / (tokens a second and GPU), in hours, times the price",
            inputs=(
                TraceInput(
                    name="tokens", value=2e12, unit="tokens", path="training.tokens", provenance="entered"
                ),
                TraceInput(
                    name="price",
                    value=price,
                    unit="currency/GPU-h",
                    provenance="catalogue",
                    source=f"Price list {index % 3}, {HOSTILE if shape.long_names else 'vendor'}",
                    date="2026-06-30",
                ),
            ),
        ),
    )


def _metrics(shape: Shape, total: float, speed: float) -> tuple[Metric, ...]:
    if shape.serving:
        rows = [
            ("duration_h", "Horizon", 8760.0, "h"),
            ("ttft_ms_p95", "Time to first token, p95", 692.0, "ms"),
            ("instances_peak", "Instances at peak", 9.0, "instances"),
            ("cost_per_request", "Cost per request", 0.0046, "currency/request"),
        ]
    else:
        rows = [
            ("duration_h", "Run time", 1600.0 * speed, "h"),
            ("preparation_days", "Experiments before the run", 5.2, "d"),
            ("mfu", "MFU", 0.33 / speed, "share"),
            ("goodput", "Goodput", 0.97, "share"),
            ("accelerators", "Accelerators", 512.0, "GPUs"),
        ]
    rows += [
        ("gpu_hours", "GPU-hours paid", total / 6.88, "GPU-h"),
        ("parameters_total", "Parameters", 70.55e9, "parameters"),
    ]
    return tuple(Metric(key=key, title=title, value=value, unit=unit) for key, title, value, unit in rows)


def _drivers(total: float) -> tuple[Driver, ...]:
    rows = [
        ("model.time_factor", "Estimator error on training speed", "ratio", 0.9, 1.09, -0.09, 0.10, 0.9),
        ("cluster.price_per_gpu_hour", "Price", "currency/GPU-h", 6.1, 7.4, -0.05, 0.06, 0.06),
        (
            "people.roles.0.monthly_cost",
            "Cost of people",
            "currency/FTE-month",
            17_083.0,
            49_000.0,
            -0.01,
            0.03,
            0.03,
        ),
        (
            "reliability.failures_per_node_day",
            "Failures",
            "per node-day",
            0.0016,
            0.0084,
            -0.011,
            0.024,
            0.01,
        ),
        ("storage.dataset_gb", "Data sets", "GB", 6000.0, 9000.0, -0.0001, 0.0001, 0.0),
    ]
    return tuple(
        Driver(
            path=path,
            title=title,
            unit=unit,
            low=low,
            high=high,
            total_low=total * (1 + down),
            total_high=total * (1 + up),
            share_of_variance=share,
        )
        for path, title, unit, low, high, down, up, share in rows
    )


def _action(index: int, shape: Shape, *, chosen: bool = True) -> Recommendation:
    gross = shape.total * 0.2 / (index + 1) ** 1.4
    in_plan = gross * 0.9 if index != 4 else -shape.total * 0.004
    return Recommendation(
        id=f"TRN-ACTION-{index}",
        kind="lever",
        title=f"Action {index}: {LONG_TITLE if shape.long_names else 'do this'}",
        family="training",
        rank=index + 1,
        finding=Message(
            "The plan does {x}; {y} costs least.", {"x": Quantity(14_400.0, "s"), "y": Quantity(3000.0, "s")}
        ),
        why=(),
        changes=(Change(path="reliability.checkpoint_interval_s", before=14_400.0, after=3000.0),),
        saving=Saving(
            gross=gross,
            one_off=3005.48,
            net=gross - 3005.48,
            in_plan=in_plan if chosen else gross * 0.5,
            p10=gross * 0.7,
            p50=gross,
            p90=gross * 1.2,
        ),
        risk=Risk(
            effect=index % 3,
            effect_reason="The loss may change.",
            stability=(index + 1) % 4,
            stability_reason="More restarts until it is tuned.",
            governance=0,
            governance_reason="",
        ),
        effort="SML"[index % 3],
        confidence="B",
        reversibility="high",
        risk_adjusted=gross * 0.8,  # type: ignore[arg-type]
        success_probability=0.9,
        expected_loss=1000.0,
        duration_change_h=-10.0,
        chosen=chosen,
        conditional=() if chosen else (Message("Rehearse it first."),),
        verify="Ten writes in a row on all GPUs: each under 150 s.",
        rollback="Set the old interval; one setting, at once.",
        evidence=(
            Evidence(
                key="DALY",
                title="Optimal checkpoint interval",
                where="arXiv:2410.18124",
                figure="the optimum follows from two times",
                verified="yes",
            ),
        ),
    )


def _recommendations(
    shape: Shape, items: tuple[Recommendation, ...], joint: JointSaving
) -> RecommendationSet:
    warning = Advice(
        id="RSK-X",
        kind="risk",
        title="Spot capacity without fault tolerance",
        finding=Message("Nobody is on call at night."),
        why=(Message("Checkpoint at least every {limit}.", {"limit": Quantity(3600.0, "s")}),),
        verify="Preemption drill.",
    )
    return RecommendationSet(
        baseline_total=shape.total,
        joint_saving=joint,
        recommendations=items,
        governance=(),
        warnings=(warning,) * 3,
        passed=tuple(
            PassedCheck(id=f"CHK-{i}", title=f"Check {i}", finding=Message("nothing to do"))
            for i in range(12)
        ),
        not_evaluated=(NotEvaluated(id="GOV-TAG", title="Tag the cost", needs=("governance.tag_coverage",)),),
        portfolios=(),
        seed=7,
        draws=shape.draws,
    )


def _optimisation(shape: Shape) -> Optimisation:
    now = Candidate(
        label="Plan as it stands",
        changes=(),
        total=shape.total,
        duration_h=1600.0,
        accelerators=512,
        mfu=0.31,
    )
    change = (Change(path="cluster.accelerator_count", before=512, after=1024),)
    best = Candidate(
        label="Best found",
        changes=change,
        total=shape.total * 0.7,
        duration_h=900.0,
        accelerators=1024,
        mfu=0.4,
        on_frontier=True,
    )
    fast = Candidate(
        label="Fastest",
        changes=(Change(path="cluster.accelerator_count", before=512, after=2048),),
        total=shape.total * 0.76,
        duration_h=400.0,
        accelerators=2048,
        on_frontier=True,
    )
    xs = tuple(60.0 * 1.4**i for i in range(20))
    totals = tuple(shape.total * (0.98 + 0.002 * abs(i - 9) ** 1.5) for i in range(20))
    curve = Curve(
        path="reliability.checkpoint_interval_s",
        title="Checkpoint interval",
        unit="s",
        x=xs,
        total=totals,
        duration_h=(1600.0,) * 20,
        now=14_400.0,
        best=xs[9],
        best_total=totals[9],
        flat_low=xs[7],
        flat_high=xs[11],
    )
    return Optimisation(
        objective="cost_under_deadline",
        baseline_total=shape.total,
        baseline_duration_h=1600.0,
        best=best,
        candidates=(now, best, fast),
        pareto=(fast, best),
        curves=(curve,),
        evaluated=423_945,
        excluded={"does not fit in memory": 14_223},
        certificate=Certificate(method="exhaustive over the stated set", bound=shape.total * 0.7, gap=0.0),
    )
