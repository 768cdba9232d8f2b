"""Everything around the compute: storage, network, data, people, operations, time, money, governance."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le
from pydantic import Field

from engine.plan.base import CalendarDay, Section, Whole, declare
from engine.text import N_

Category = Literal["compute", "people", "data", "failures", "storage", "network", "energy", "operations"]
KeptCount = Annotated[Whole, Ge(1), Le(10_000_000)]
CATEGORIES: tuple[Category, ...] = (
    "compute",
    "people",
    "data",
    "failures",
    "storage",
    "network",
    "energy",
    "operations",
)


class Meta(Section):
    """Who this plan belongs to and the currency it is counted in."""

    name: str = declare(N_("Plan name"), default="", max_length=200)
    organisation: str = declare(N_("Organisation"), default="", max_length=200, advanced=True)
    project: str = declare(N_("Project"), default="", max_length=200)
    team: str = declare(N_("Team"), default="", max_length=200)
    owner: str = declare(N_("Owner"), default="", max_length=200)
    currency: str = declare(N_("Currency"), default="USD", pattern=r"^[A-Z]{3}$", help=N_("ISO 4217 code."))


class Scope(Section):
    """What the estimate includes."""

    categories: Annotated[tuple[Category, ...], Field(strict=False)] = declare(
        N_("Categories"), default=CATEGORIES
    )
    include_retries: bool = declare(N_("Include failures and retries"), default=True)
    include_experiments: bool = declare(N_("Include experiments"), default=True)


class StorageItem(Section):
    """A further stored object: a data set, an archive, logs."""

    name: str = declare(N_("Name"), max_length=200)
    kind: str = declare(N_("Kind"), default="data", max_length=50)
    size_gb: float = declare(N_("Size"), unit="GB", ge=0, le=1e12)
    copies: float = declare(N_("Copies"), default=1.0, ge=0, le=1000)
    months: float = declare(N_("Months kept"), unit="months", ge=0, le=1200)
    tier: str = declare(N_("Storage tier"), default="hot_object", max_length=50)


class Storage(Section):
    """Data sets and checkpoints, and how long they are kept."""

    dataset_gb: float | None = declare(
        N_("Data sets"),
        unit="GB",
        default=None,
        ge=0,
        le=1e12,
        help=N_("Empty means four bytes a training token."),
    )
    checkpoints_kept: KeptCount | Literal["all"] = declare(
        N_("Checkpoints kept"),
        default=10,
        help=N_("The newest so many stay; all keeps every one."),
    )
    checkpoint_tier: str = declare(N_("Checkpoint tier"), default="hot_object", max_length=50, advanced=True)
    months_after_run: float = declare(N_("Kept after the run"), unit="months", default=6.0, ge=0, le=1200)
    items: Annotated[tuple[StorageItem, ...], Field(strict=False)] = declare(
        N_("Further items"), default=(), advanced=True
    )
    vector_store_gb: float | None = declare(
        N_("Vector store"),
        unit="GB",
        default=None,
        ge=0,
        le=1e12,
        advanced=True,
        help=N_("Index for retrieval. Empty means from the number of vectors."),
    )
    vectors: float = declare(N_("Vectors"), unit="vectors", default=0.0, ge=0, le=1e15, advanced=True)
    vector_dimensions: Whole = declare(
        N_("Numbers in a vector"), default=1024, ge=1, le=1_000_000, advanced=True
    )


class Network(Section):
    """Data that crosses a priced border."""

    egress_gb: float = declare(N_("Internet egress"), unit="GB", default=0.0, ge=0, le=1e12)
    egress_from_traffic: bool = declare(
        N_("Answers leave to the internet"),
        default=True,
        help=N_("Counts the answers of an online service as egress, beside what is entered."),
    )
    answer_bytes_per_token: float | None = declare(
        N_("Bytes sent a token"),
        unit="byte/token",
        default=None,
        ge=0,
        le=1e6,
        advanced=True,
        help=N_("With the overhead of streaming. Empty means the catalogue's figure."),
    )
    load_balancers: Whole = declare(N_("Load balancers"), default=0, ge=0, le=1_000_000, advanced=True)
    cross_region_gb: float = declare(N_("Cross-region traffic"), unit="GB", default=0.0, ge=0, le=1e12)


class Data(Section):
    """Data that is bought or prepared."""

    acquisition_cost: float | None = declare(
        N_("Data licences"),
        unit="currency",
        default=0.0,
        ge=0,
        le=1e12,
        help=N_("0 means nothing is bought; empty means not known yet."),
    )
    preparation_cost: float | None = declare(
        N_("Cleaning and labelling"),
        unit="currency",
        default=0.0,
        ge=0,
        le=1e12,
        help=N_("0 means none; empty means not known yet."),
    )


class Role(Section):
    """People of one role."""

    role: Literal["ml_engineer", "infra_engineer", "data_engineer", "manager"] = declare(N_("Role"))
    fte: float = declare(N_("Full-time equivalents"), unit="FTE", ge=0, le=100_000)
    months: float | None = declare(
        N_("Months"),
        unit="months",
        default=None,
        ge=0,
        le=1200,
        help=N_("Empty means as long as the work lasts."),
    )
    monthly_cost: float | None = declare(
        N_("Cost a month"),
        unit="currency/FTE-month",
        default=None,
        ge=0,
        le=1e7,
        help=N_("Empty means the catalogue's figure."),
    )


class People(Section):
    """Who works on it."""

    roles: Annotated[tuple[Role, ...], Field(strict=False)] = declare(N_("Roles"), default=())


class Operations(Section):
    """Running costs beside the accelerators."""

    monthly_cost: float = declare(
        N_("Fixed cost a month"),
        unit="currency/month",
        default=0.0,
        ge=0,
        le=1e9,
        help=N_("Monitoring, registries, licences."),
    )
    support_share: float = declare(
        N_("Support plan"),
        unit="share",
        default=0.0,
        ge=0,
        le=1,
        help=N_("Share of the accelerator bill paid for vendor support."),
    )
    energy_included: bool = declare(N_("Energy in the GPU price"), default=True, advanced=True)
    energy_price_per_kwh: float | None = declare(
        N_("Electricity"),
        unit="currency/kWh",
        default=None,
        ge=0,
        le=100,
        advanced=True,
        help=N_("Counts when energy is not in the GPU price. Empty means the catalogue's figure."),
    )


class Schedule(Section):
    """When it starts, how long it may take and what delay costs."""

    start_date: CalendarDay | None = declare(N_("Start"), unit="date", default=None, help=N_("YYYY-MM-DD."))
    horizon_months: float = declare(
        N_("Horizon"),
        unit="months",
        default=12.0,
        gt=0,
        le=240,
        help=N_("How long a service runs."),
    )
    deadline_days: float | None = declare(N_("Deadline"), unit="d", default=None, gt=0, le=100_000)
    cost_of_delay_per_day: float | None = declare(
        N_("Cost of delay"), unit="currency/d", default=None, ge=0, le=1e9
    )
    interruptible: bool | None = declare(
        N_("Interruptible"), default=None, help=N_("May the work stop and go on later?")
    )


CurrencyPair = Annotated[str, Field(pattern=r"^[A-Z]{3}/[A-Z]{3}$")]


class FxRate(Section):
    """Price of one unit of the first currency in the second."""

    rate: float = declare(N_("Rate"), ge=1e-9, le=1e9)
    date: CalendarDay = declare(N_("Date of the rate"))


class Finance(Section):
    """Exchange rates, tax, and the percentile the proposal asks for."""

    fx_rates: dict[CurrencyPair, FxRate] = declare(
        N_("Exchange rates"),
        default_factory=dict,
        advanced=True,
        help=N_("For example USD/CNY."),
    )
    tax_rate: float = declare(N_("Tax"), unit="share", default=0.0, ge=0, le=1)
    contingency: float = declare(
        N_("Contingency"),
        unit="share",
        default=0.0,
        ge=0,
        le=1,
        advanced=True,
        help=N_("Added to the asked amount, not to the estimate."),
    )
    ask_percentile: float = declare(N_("Percentile asked for"), unit="percentile", default=80.0, ge=50, le=99)


class Governance(Section):
    """What is in place to keep the plan honest; empty means not known, which is an answer."""

    budget: float | None = declare(N_("Budget"), unit="currency", default=None, ge=0, le=1e12)
    tag_coverage: float | None = declare(N_("Tagged share of cost"), unit="share", default=None, ge=0, le=1)
    budget_alerts: bool | None = declare(N_("Budget alerts"), default=None)
    idle_reclaim: bool | None = declare(N_("Idle GPUs reclaimed"), default=None)
    evaluation_set: bool | None = declare(N_("Evaluation set"), default=None)
    rollback_path: bool | None = declare(N_("Rollback path"), default=None)
