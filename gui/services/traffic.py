"""Own traffic from a file: reading it, what it says, and what it would change in a plan. Qt-free."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.importers.traffic import read_stream, read_traffic
from engine.importers.traffic_records import TrafficImport
from engine.plan import Plan, Provenance, apply_patch, get_value
from engine.results import Change
from engine.text import N_, Message
from gui.i18n import render


@dataclass(frozen=True, slots=True)
class Traffic:
    """An import to look at and, maybe, to take into the plan; `source` names the file."""

    found: TrafficImport
    source: str

    def changes(self, plan: Plan) -> tuple[Change, ...]:
        """What it would change. Errors: InputError, PlanErrors for a plan that cannot take it."""
        patch = self.patch(plan)
        after = apply_patch(plan, patch, Provenance(kind="imported", source=self.source))
        pairs = ((path, get_value(plan, path), get_value(after, path)) for path in patch)
        return tuple(Change(path=path, before=old, after=new) for path, old, new in pairs if old != new)

    def patch(self, plan: Plan) -> dict[str, Any]:
        """The fields to set. Errors: InputError for a plan that serves no traffic."""
        if plan.serving is None or plan.workload.kind != "online_inference":
            raise InputError("workload.kind", plan.workload.kind, Message(N_("online_inference")))
        return self.found.patch()

    def data(self, plan: Plan | None = None) -> dict[str, Any]:
        """Plain data of the import-traffic command."""
        found = self.found
        data = {
            "kind": found.kind,
            "rows": found.rows,
            "used": found.used,
            "first": found.first,
            "last": found.last,
            "patch": found.patch(),
            "peak_to_mean": found.peak_to_mean,
            "input_log_sd": found.input_log_sd,
            "output_log_sd": found.output_log_sd,
            "filled_hours": list(found.filled),
            "read": [{"field": name, "column": column} for name, column in found.read.items()],
            "assumed": [render(message) for message in found.assumed],
            "problems": [{"line": p.line, "problem": render(p.problem)} for p in found.problems],
            "problem_count": found.problem_count,
        }
        if plan is not None:
            data["changes"] = [change.model_dump(mode="json") for change in self.changes(plan)]
        return data


def load_traffic(source: str) -> Traffic:
    """Traffic of a file, or of standard input for "-". Errors: InputError."""
    if source == "-":
        raw = getattr(sys.stdin, "buffer", None)
        if raw is None:
            return Traffic(read_traffic(sys.stdin.read() if sys.stdin else ""), "-")
        return Traffic(read_stream(raw), "-")
    path = Path(source)
    return Traffic(read_traffic(path), path.name)
