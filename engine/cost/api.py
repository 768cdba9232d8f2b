"""What an API that is paid by the token would cost for the same traffic."""

from __future__ import annotations

from dataclasses import dataclass

from engine.arrays import Array
from engine.cost.inputs import MoneyInputs
from engine.cost.ledger import Line, LineSpec, total
from engine.cost.overheads import EVERYTHING, tax_line
from engine.plan.money import Scope
from engine.text import N_

API = LineSpec(
    "operations",
    N_("API by the token"),
    "run",
    "requests",
    "variable",
    N_("requests, times what their uncached input, cached input and output cost"),
)


@dataclass(frozen=True, slots=True)
class ApiTraffic:
    """Tokens of a request, share of its input read from the cache, prices [currency/M tokens]."""

    requests: Array
    input_tokens: Array
    output_tokens: Array
    cached_share: Array
    input_price: Array
    cached_price: Array
    output_price: Array


def price_of_request(traffic: ApiTraffic) -> Array:
    """Price of one request [plan currency], without tax."""
    read = traffic.input_tokens * traffic.cached_share
    paid = (traffic.input_tokens - read) * traffic.input_price + read * traffic.cached_price
    return (paid + traffic.output_tokens * traffic.output_price) / 1e6


def api_total(traffic: ApiTraffic, money: MoneyInputs, scope: Scope, *, end_day: Array) -> Array:
    """Bill of the API for all requests [plan currency]; taxed where the plan's own lines are."""
    line = Line(API, traffic.requests, price_of_request(traffic), {}, 0.0, 0.0, end_day)
    tax = tax_line(money, [line], EVERYTHING, end_day=end_day)
    return total([line, tax] if tax.in_scope(scope) else [line], EVERYTHING)
