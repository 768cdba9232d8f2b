"""Lines of a service's traffic: answers that leave to the internet, load balancers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.arrays import Array
from engine.cost.inputs import Answers, MoneyInputs
from engine.cost.ledger import DAYS_PER_MONTH, Line, LineSpec, Term
from engine.text import N_

ANSWERS = LineSpec(
    "network",
    N_("Internet egress"),
    "run",
    "GB",
    "variable",
    N_("(GB entered + requests x output tokens x bytes a token), times the price"),
)
EMBEDDINGS = replace(
    ANSWERS, formula=N_("(GB entered + requests x numbers in a vector x bytes a number), times the price")
)
BALANCERS = LineSpec(
    "network",
    N_("Load balancers"),
    "run",
    "months",
    "fixed",
    N_("load balancers x months, times the price a month"),
)
BALANCED = LineSpec(
    "network",
    N_("Load balancer traffic"),
    "run",
    "GB",
    "variable",
    N_("GB of requests and answers, times the price a GB"),
)


def answered_egress(money: MoneyInputs, answers: Answers, end_day: Array) -> Line:
    """Egress entered and, where they leave to the internet, the answers of the horizon."""
    # Bytes nobody knows must not hide what was entered when answers are not counted.
    sent = np.where(np.asarray(answers.counted) > 0, answers.answer_gb, 0.0)
    path = None if answers.encoder else "network.answer_bytes_per_token"
    unit = "byte/number" if answers.encoder else "byte/token"
    length = (
        {N_("numbers in a vector"): Term(answers.units, "numbers", "architecture.hidden_size")}
        if answers.encoder
        else {N_("output tokens"): Term(answers.units, "tokens/request", "serving.output_tokens")}
    )
    terms = {
        N_("GB entered"): Term(money.egress_gb, "GB", "network.egress_gb"),
        N_("requests of the horizon"): Term(answers.requests, "requests"),
        **length,
        N_("bytes sent"): Term(answers.bytes_per_unit, unit, path, answers.bytes_source, answers.bytes_date),
        N_("answers sent"): Term(sent, "GB"),
        N_("price"): Term(money.egress_price, "currency/GB", None, money.network_source, money.network_date),
    }
    spec = EMBEDDINGS if answers.encoder else ANSWERS
    return Line(spec, money.egress_gb + sent, money.egress_price, terms, 0.0, 0.0, end_day)


def balancer_lines(answers: Answers, end_day: Array) -> list[Line]:
    """Load balancers by the month, and what passes through them; nothing without one."""
    count = np.asarray(answers.balancers, dtype=float)
    months = end_day / DAYS_PER_MONTH
    passed = np.where(count > 0, answers.request_gb + answers.answer_gb, 0.0)
    source, date = answers.balancer_source, answers.balancer_date
    kept = {
        N_("load balancers"): Term(count, "", "network.load_balancers"),
        N_("number of months"): Term(months, "months"),
        N_("price a month"): Term(answers.balancer_month_price, "currency/month", None, source, date),
    }
    traffic = {
        N_("GB of requests"): Term(answers.request_gb, "GB"),
        N_("GB of answers"): Term(answers.answer_gb, "GB"),
        N_("price"): Term(answers.balancer_gb_price, "currency/GB", None, source, date),
    }
    return [
        Line(BALANCERS, count * months, answers.balancer_month_price, kept, 0.0, 0.0, end_day),
        Line(BALANCED, passed, answers.balancer_gb_price, traffic, 0.0, 0.0, end_day),
    ]
