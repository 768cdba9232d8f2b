"""The headless use cases behind the commands of the command line. Qt-free."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.catalog import Catalog, load_catalog
from engine.errors import InputError
from engine.estimation import estimate
from engine.optimize.objectives import OBJECTIVES
from engine.plan import Plan, apply_patch, plan_from_json, plan_to_json
from engine.plan.plan import Provenance
from engine.plan.reading import MAX_BYTES
from engine.reliability.summaries import checkpoint_summary
from engine.results import (
    Candidate,
    Change,
    Estimate,
    Optimisation,
    RecommendationSet,
)
from engine.text import N_, Message
from gui import summaries
from gui.i18n import language, render, tr
from gui.search_answers import fleet_data, reasoned, service_data

MAX_TABLE_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command returns: plain data for --json, and a text for people (None prints the data)."""

    data: Any
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: its name, help, function, and arguments beside the common ones."""

    name: str
    help: str
    run: Callable[[argparse.Namespace], CommandResult]
    takes_plan: bool = False
    arguments: tuple[tuple[tuple[str, ...], Mapping[str, Any]], ...] = ()


def load_plan(options: argparse.Namespace, *, least_draws: int = 0) -> tuple[Plan, Catalog]:
    """The plan of the command line with its --set overrides, and the catalogue with own rows.

    What is ranked by percentiles needs at least one draw.
    """
    plan = plan_from_json(_read_plan_text(options.plan))
    patch = dict(_override(text) for text in options.set)
    if patch:
        plan = apply_patch(plan, patch, Provenance(kind="entered", source="--set"))
    if not least_draws <= options.draws <= 1_000_000:
        accepted = Message(N_("a whole number from {least} to 1,000,000"), {"least": least_draws})
        raise InputError("--draws", options.draws, accepted)
    if options.seed < 0:
        raise InputError("--seed", options.seed, Message(N_("a whole number from 0")))
    return plan, load_catalog(options.prices)


def _read_plan_text(name: str) -> str:
    """Text of a plan file, or of standard input for "-". Errors: InputError when it cannot be read."""
    try:
        content = _standard_input() if name == "-" else _content(Path(name))
        return content if isinstance(content, str) else content.decode("utf-8")
    except (OSError, ValueError) as error:
        raise InputError("PLAN", name, Message(N_("a readable plan file in UTF-8"))) from error


def _content(path: Path) -> bytes:
    """As much of a file as a plan may have, and one byte more to tell a longer one."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def _standard_input() -> bytes | str:
    """Standard input as bytes, so that the terminal's encoding does not matter."""
    if sys.stdin is None:
        return ""
    raw = getattr(sys.stdin, "buffer", None)
    found: bytes | str = sys.stdin.read() if raw is None else raw.read(MAX_BYTES + 1)
    return found


def _override(text: str) -> tuple[str, Any]:
    path, separator, value = text.partition("=")
    if not separator or not path.strip():
        raise InputError("--set", text, Message(N_("PATH=VALUE, for example cluster.accelerator=h100-sxm")))
    try:
        return path.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return path.strip(), value


def _template(options: argparse.Namespace) -> CommandResult:
    from gui.services.templates import template_plan, templates

    if options.name is None:
        rows = [{"name": t.name, "kind": t.kind, "sentence": tr(t.sentence)} for t in templates()]
        return CommandResult(rows, "\n".join(f"{r['name']}\t{r['kind']}\t{r['sentence']}" for r in rows))
    plan = template_plan(options.name)
    return CommandResult(plan.model_dump(mode="json"), plan_to_json(plan).rstrip("\n"))


def _schema(options: argparse.Namespace) -> CommandResult:
    return CommandResult(Plan.model_json_schema())


def _estimate(options: argparse.Namespace) -> CommandResult:
    plan, catalog = load_plan(options)
    found = estimate(plan, catalog, seed=options.seed, draws=options.draws)
    return CommandResult(estimate_data(found), summaries.estimate_text(found))


def _optimize(options: argparse.Namespace) -> CommandResult:
    from engine.optimize.search import optimize

    plan, catalog = load_plan(options)
    found = optimize(plan, catalog, objective=options.objective, certify=options.certify)
    data = optimisation_data(found)
    if options.scaling:
        from engine.optimize.scaling import scale

        data["scaling"] = scale(plan, catalog).model_dump(mode="json")
    if options.fleets:
        from engine.optimize.fleets import search_fleets

        names = None if options.fleets == "all" else options.fleets.split(",")
        data["fleets"] = fleet_data(search_fleets(plan, catalog, names), plan.meta.currency)
    if options.service:
        from engine.optimize.service_report import report_service

        data["service"] = service_data(report_service(plan, catalog), plan.meta.currency)
    text = summaries.optimisation_text(found, plan.meta.currency)
    if options.purchase:
        from gui.purchase import purchase_answer

        data["purchase"], mix = purchase_answer(plan, catalog)
        text = f"{text}\n{mix}"
    if options.break_even:
        from engine.optimize.break_even import break_even
        from gui.models.break_even import break_even_lines

        compared = break_even(plan, catalog, seed=options.seed, draws=options.draws)
        data["break_even"] = compared.model_dump(mode="json") | {"needs": [tr(n) for n in compared.needs]}
        text = "\n".join((text, *break_even_lines(compared, plan.meta.currency, language())))
    return CommandResult(data, text)


def _recommend(options: argparse.Namespace) -> CommandResult:
    from rules.evaluation import recommend

    plan, catalog = load_plan(options, least_draws=1)
    chosen = None if options.choose is None else frozenset(filter(None, options.choose.split(",")))
    found = recommend(plan, catalog, chosen=chosen, seed=options.seed, draws=options.draws)
    return CommandResult(
        recommendation_data(found, plan.meta.currency),
        summaries.recommendations_text(found, plan.meta.currency),
    )


def _report(options: argparse.Namespace) -> CommandResult:
    from gui.report.pdf import write_pdf
    from gui.services.review import compose_review

    path, accepted = Path(options.output), Message(N_("a file in a folder that can be written to"))
    # The old file is replaced by the new one, which must not happen to a device.
    if path.exists() and not path.is_file():
        raise InputError("--output", options.output, accepted)
    plan, catalog = load_plan(options, least_draws=1)
    review = compose_review(plan, catalog, seed=options.seed, draws=options.draws)
    try:
        pages = write_pdf(review, path, options.lang)
    except OSError as error:
        raise InputError("--output", options.output, accepted) from error
    text = tr("{pages} pages written to {path}").format(pages=pages, path=options.output)
    return CommandResult({"path": str(options.output), "pages": pages}, text)


def _checkpoint(options: argparse.Namespace) -> CommandResult:
    found = checkpoint_summary(
        mttf_s=options.mttf_s,
        write_s=options.write_s,
        restart_s=options.restart_s,
        downtime_s=options.downtime_s,
        interval_s=options.interval_s,
    )
    keys = ("optimal_interval_s", "goodput", "expected_segment_s", "young_s", "daly_s")
    data = {key: summaries.finite(getattr(found, key)) for key in keys}
    return CommandResult(data, "\n".join(f"{key} {value!r}" for key, value in data.items()))


def _bench(options: argparse.Namespace) -> CommandResult:
    from gui.services.bench import run_benchmarks

    data = run_benchmarks(load_catalog())
    return CommandResult(
        data, "\n".join(f"{key} {item['value']:.4g} {item['unit']}" for key, item in data.items())
    )


def _validate(options: argparse.Namespace) -> CommandResult:
    from engine.catalog import load_catalog
    from engine.validation.published import validate_text
    from gui.validation import validation_data, validation_text

    found = validate_text(options.what, _read_table(options.file), load_catalog())
    return CommandResult(validation_data(found), validation_text(found))


def _read_table(name: str) -> str:
    """Text of a CSV file, or of standard input for "-". Errors: InputError when it cannot be read."""
    try:
        content = sys.stdin.buffer.read(MAX_TABLE_BYTES + 1) if name == "-" else _table_content(Path(name))
        if len(content) > MAX_TABLE_BYTES:
            raise InputError("FILE", name, Message(N_("a CSV file of at most 256 MiB")))
        return content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise InputError("FILE", name, Message(N_("a readable CSV file in UTF-8"))) from error


def _table_content(path: Path) -> bytes:
    """As much of a file as a table may have, and one byte more to tell a longer one."""
    with path.open("rb") as file:
        return file.read(MAX_TABLE_BYTES + 1)


def _rules(options: argparse.Namespace) -> CommandResult:
    from rules.evaluation import rule_metadata

    rows = rule_metadata()
    return CommandResult(rows, "\n".join(f"{r['id']}\t{r['kind']}\t{tr(r['title'])}" for r in rows))


def _catalog(options: argparse.Namespace) -> CommandResult:
    if options.action == "import" and options.file is None:
        raise InputError("FILE", None, Message(N_("a CSV file with own rows")))
    catalog = load_catalog(options.file)
    rows = catalog.rows()
    text = "\n".join(
        f"{r['table']}\t{r['key']}\t{r['value']}\t{r['unit']}\t{r['date']}\t{r['mark']}" for r in rows
    )
    return CommandResult({"version": catalog.version, "rows": rows}, text)


def _import_model(options: argparse.Namespace) -> CommandResult:
    from gui.services.importing import import_model

    found = import_model(
        options.config,
        context=options.context,
        value_bytes=options.kv_bytes,
        honour_windows=not options.ignore_windows,
    )
    return CommandResult(found, summaries.model_text(found))


def _import_traffic(options: argparse.Namespace) -> CommandResult:
    from gui.models.traffic import traffic_lines
    from gui.services.traffic import load_traffic

    plan = None if options.plan is None else plan_from_json(_read_plan_text(options.plan))
    traffic = load_traffic(options.file)
    return CommandResult(traffic.data(plan), "\n".join(traffic_lines(traffic, plan, language())))


def estimate_data(found: Estimate) -> dict[str, Any]:
    """An estimate as the JSON object scripts rely on."""
    lines = [line.model_dump(mode="json") for line in found.lines]
    return {
        "currency": found.currency,
        "total": found.total,
        "p10": found.p10,
        "p50": found.p50,
        "p80": found.p80,
        "p90": found.p90,
        "ask": found.ask,
        "complete": found.complete,
        "feasible": found.feasible,
        "unknown": list(found.unknown),
        "scope": found.scope,
        "lines": lines,
        "resources": [r.model_dump(mode="json") for r in found.resources],
        "metrics": {m.key: m.value for m in found.metrics},
        "metric_units": {m.key: m.unit for m in found.metrics},
        "choices": [{"path": c.path, "value": c.value, "why": render(c.why)} for c in found.choices],
        "drivers": [d.model_dump(mode="json") for d in found.drivers],
        "notes": [render(note, found.currency) for note in found.notes],
        "seed": found.seed,
        "draws": found.draws,
    }


def optimisation_data(found: Optimisation) -> dict[str, Any]:
    """A search as the JSON object scripts rely on."""
    return {
        "objective": found.objective,
        "baseline": {"total": found.baseline_total, "duration_h": found.baseline_duration_h},
        "best": _candidate_data(found.best),
        "candidates": [_candidate_data(c) for c in found.candidates],
        "pareto": [_candidate_data(c) for c in found.pareto],
        "curves": [c.model_dump(mode="json") for c in found.curves],
        "evaluated": found.evaluated,
        "excluded": {tr(reason): count for reason, count in found.excluded.items()},
        "layouts": None if found.layouts is None else reasoned(found.layouts),
        "certificate": {
            "method": tr(found.certificate.method),
            "bound": found.certificate.bound,
            "gap": found.certificate.gap,
        },
    }


def _candidate_data(candidate: Candidate) -> dict[str, Any]:
    return candidate.model_dump(mode="json") | {"label": tr(candidate.label)}


def _changes(changes: tuple[Change, ...]) -> list[dict[str, Any]]:
    return [change.model_dump(mode="json") for change in changes]


def recommendation_data(found: RecommendationSet, currency: str) -> dict[str, Any]:
    """Ranked recommendations as the JSON object scripts rely on."""
    joint = found.joint_saving
    return {
        "baseline_total": found.baseline_total,
        "joint_saving": joint.model_dump(mode="json"),
        "recommendations": [
            item.model_dump(mode="json")
            | {
                "title": tr(item.title),
                "finding": render(item.finding, currency),
                "why": [render(item.finding, currency), *(render(why, currency) for why in item.why)],
                "conditional": [render(message, currency) for message in item.conditional],
                "changes": _changes(item.changes),
                "verify": tr(item.verify),
                "rollback": tr(item.rollback),
            }
            for item in found.recommendations
        ],
        "governance": [_advice(item, currency) for item in found.governance],
        "warnings": [_advice(item, currency) for item in found.warnings],
        "passed": [
            {"id": p.id, "title": tr(p.title), "finding": render(p.finding, currency)} for p in found.passed
        ],
        "not_evaluated": [
            {"id": n.id, "title": tr(n.title), "needs": list(n.needs)} for n in found.not_evaluated
        ],
        "portfolios": [p.model_dump(mode="json") for p in found.portfolios],
        "seed": found.seed,
        "draws": found.draws,
    }


def _advice(item: Any, currency: str) -> dict[str, Any]:
    return {
        "id": item.id,
        "kind": item.kind,
        "title": tr(item.title),
        "finding": render(item.finding, currency),
        "why": [render(why, currency) for why in item.why],
        "changes": _changes(item.changes),
    }


def _number(
    name: str, *, required: bool = True, default: float | None = None
) -> tuple[tuple[str, ...], dict[str, Any]]:
    return (name,), {"type": float, "required": required, "default": default, "metavar": "SECONDS"}


COMMANDS: tuple[Command, ...] = (
    Command(
        "template", "print an example plan, or list them", _template, arguments=((("name",), {"nargs": "?"}),)
    ),
    Command("schema", "print the JSON Schema of a plan", _schema),
    Command("estimate", "what a plan costs, takes and needs", _estimate, takes_plan=True),
    Command(
        "optimize",
        "search for better settings",
        _optimize,
        takes_plan=True,
        arguments=(
            (("--objective",), {"default": "cost_under_deadline", "help": ", ".join(OBJECTIVES)}),
            (("--certify",), {"action": "store_true", "help": "check the best by a second search"}),
            (("--fleets",), {"metavar": "IDS", "help": "also search fleets: accelerators, or all"}),
            (
                ("--break-even",),
                {"action": "store_true", "help": "also compare with an API's prices"},
            ),
            (("--scaling",), {"action": "store_true", "help": "also scale cluster, sequence and batch"}),
            (("--purchase",), {"action": "store_true", "help": "also mix base, on demand and spot"}),
            (
                ("--service",),
                {"action": "store_true", "help": "also report on a service: curve, week, cost"},
            ),
        ),
    ),
    Command(
        "recommend",
        "ranked actions with their savings and risks",
        _recommend,
        takes_plan=True,
        arguments=(
            (("--choose",), {"metavar": "IDS", "help": "count exactly these actions, comma-separated"}),
        ),
    ),
    Command(
        "report",
        "write the budget proposal as PDF",
        _report,
        takes_plan=True,
        arguments=(
            (("--output",), {"required": True, "metavar": "FILE.pdf"}),
            (("--lang",), {"choices": ("en", "zh_CN"), "default": "en"}),
        ),
    ),
    Command(
        "checkpoint",
        "best checkpoint interval and goodput",
        _checkpoint,
        arguments=(
            _number("--mttf-s"),
            _number("--write-s"),
            _number("--restart-s"),
            _number("--downtime-s", required=False, default=0.0),
            _number("--interval-s", required=False),
        ),
    ),
    Command(
        "import-model",
        "read a Hugging Face config.json: parameters, FLOPs, weights, KV cache",
        _import_model,
        arguments=(
            (("config",), {"metavar": "CONFIG.json", "help": "file or its folder; - reads standard input"}),
            (("--context",), {"type": int, "metavar": "TOKENS", "help": "default: the longest of the model"}),
            (("--kv-bytes",), {"type": float, "default": 2.0, "metavar": "BYTES", "help": "of one value"}),
            (("--ignore-windows",), {"action": "store_true", "help": "every layer keeps the whole context"}),
        ),
    ),
    Command(
        "import-traffic",
        "read own traffic: a row a request (time, tokens in and out), or counts by hour",
        _import_traffic,
        arguments=(
            (("file",), {"metavar": "FILE.csv", "help": "log or counts; - reads standard input"}),
            (("--plan",), {"metavar": "PLAN", "help": "also say what it changes in this plan"}),
        ),
    ),
    Command(
        "validate",
        "hold the estimator against published measurements",
        _validate,
        arguments=(
            (("what",), {"choices": ("training", "memory", "totals", "inference")}),
            (("file",), {"metavar": "FILE.csv", "help": "table of measurements; - reads standard input"}),
        ),
    ),
    Command("bench", "time the program on this machine", _bench),
    Command("rules", "list every rule", _rules),
    Command(
        "catalog",
        "list the catalogue, or check own rows",
        _catalog,
        arguments=(
            (("action",), {"nargs": "?", "choices": ("list", "import"), "default": "list"}),
            (("file",), {"nargs": "?", "type": Path}),
        ),
    ),
)
