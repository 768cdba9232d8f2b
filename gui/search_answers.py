"""Layouts, fleets and services that a search found, as the JSON scripts rely on. Qt-free."""

from __future__ import annotations

from typing import Any

from engine.results import FleetReport, LayoutReport, ServiceReport
from gui.i18n import render, tr


def reasoned(found: LayoutReport | FleetReport) -> dict[str, Any]:
    """A search as JSON, with what was left out in the current language."""
    reasons = {tr(reason): count for reason, count in found.excluded.items()}
    return found.model_dump(mode="json") | {"excluded": reasons}


def service_data(found: ServiceReport, currency: str) -> dict[str, Any]:
    """A report on a service as JSON; sentences in the current language."""
    data = found.model_dump(mode="json")
    data["problem"] = None if found.problem is None else render(found.problem, currency)
    data["remedies"] = [render(message, currency) for message in found.remedies]
    if found.fleets is not None:
        data["fleets"] = fleet_data(found.fleets, currency)
    return data


def fleet_data(found: FleetReport, currency: str) -> dict[str, Any]:
    """Fleets as JSON, with why each is as it is."""
    data = reasoned(found)
    for key, options in (("cheapest", found.cheapest), ("frontier", found.frontier)):
        for row, option in zip(data[key], options, strict=True):
            row["why"] = [render(message, currency) for message in option.why]
    return data
