"""What a service's traffic costs beside accelerators: answers sent, load balancers, the vector store."""

from __future__ import annotations

from engine.arrays import Array
from engine.cost.inputs import Answers, VectorStore
from engine.cost.ledger import HOURS_PER_MONTH, SECONDS_PER_HOUR
from engine.defaults import default_fact
from engine.performance.fleet import months_of_growth
from engine.values import PlanValues

BYTES = "network.answer_bytes_per_token"


def lower_answers(values: PlanValues) -> Answers | None:
    """Traffic of an online service over the horizon; None for other workloads."""
    plan, number = values.plan, values.number
    if plan.serving is None or plan.workload.kind != "online_inference":
        return None
    encoder = plan.architecture.kind == "encoder"
    requests = requests_in_horizon(values)
    fact = (
        values.catalog.find("network", "embedding_bytes_per_number")
        if encoder
        else default_fact(plan, values.catalog, BYTES)
    )
    entered = not encoder and plan.network.answer_bytes_per_token is not None
    balancer = values.catalog.find("network", "load_balancer_month")
    return Answers(
        requests=requests,
        units=float(plan.architecture.hidden_size) if encoder else number("serving.output_tokens"),
        bytes_per_unit=values.fact_number(fact) if encoder else number(BYTES),
        request_gb=requests
        * number("serving.input_tokens")
        * values.fact("network", "request_bytes_per_token")
        / 1e9,
        counted=number("network.egress_from_traffic"),
        encoder=encoder,
        bytes_source="" if entered or fact is None else fact.source,
        bytes_date="" if entered or fact is None else fact.date,
        balancers=number("network.load_balancers"),
        balancer_month_price=values.fact_number(balancer),
        balancer_gb_price=values.fact("network", "load_balancer_gb"),
        balancer_source=balancer.source if balancer else "",
        balancer_date=balancer.date if balancer else "",
    )


def requests_in_horizon(values: PlanValues) -> Array:
    """Requests of an online service over its horizon, growth counted [count]."""
    number = values.number
    months = months_of_growth(number("serving.growth_per_month"), number("schedule.horizon_months"))
    return number("serving.requests_per_second") * SECONDS_PER_HOUR * HOURS_PER_MONTH * months


def lower_vectors(values: PlanValues) -> VectorStore:
    """The index for retrieval: its size as entered, else from the number of vectors."""
    number, fact = values.number, values.catalog.find("storage", "vector_store")
    size: Array = (
        number("storage.vectors")
        * number("storage.vector_dimensions")
        * values.fact("defaults", "vector_bytes_per_number")
        / 1e9
    )
    own = "storage.vector_store_gb" in values.overrides or values.plan.storage.vector_store_gb is not None
    return VectorStore(
        size_gb=number("storage.vector_store_gb") if own else size,
        price=values.fact_number(fact),
        source=fact.source if fact else "",
        date=fact.date if fact else "",
    )
