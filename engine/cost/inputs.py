"""What the cost lines take: prices and quantities in the plan's currency, as floats or rows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.arrays import Array


@dataclass(frozen=True, slots=True)
class CommittedBase:
    """Accelerators of a service that are paid every hour, and the share on spot of the hours above them."""

    accelerators: Array = 0.0
    term_months: Array = 0.0
    price_per_gpu_hour: Array = 0.0
    price_source: str = ""
    price_date: str = ""
    spot_share: Array = 0.0
    spot_price_per_gpu_hour: Array = 0.0
    spot_source: str = ""
    spot_date: str = ""


@dataclass(frozen=True, slots=True)
class Purchase:
    """How accelerator hours are bought."""

    price_per_gpu_hour: Array
    price_source: str
    price_date: str
    reserved: Array
    term_months: Array
    busy_share: Array
    support_share: Array
    base: CommittedBase = CommittedBase()


@dataclass(frozen=True, slots=True)
class StoragePlan:
    """What is stored, at which price [currency/GB-month], and for how long [months] after the work."""

    dataset_gb: Array
    dataset_price: Array
    checkpoint_gb: Array
    checkpoints_kept: Array
    checkpoint_price: Array
    months_after: Array
    item_gb_months: Array
    item_price: Array
    tariff_source: str
    tariff_date: str
    vectors: VectorStore | None = None


@dataclass(frozen=True, slots=True)
class VectorStore:
    """An index for retrieval: size [GB], its price [currency/GB-month]."""

    size_gb: Array
    price: Array
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class Answers:
    """What an online service sends and takes in over its horizon, and what carries it.

    `requests` [count]; `units` of an answer, tokens or numbers of an embedding, at `bytes_per_unit`;
    `request_gb` comes in; `counted` 1 where answers leave to the internet; prices a balancer-month and a GB.
    """

    requests: Array
    units: Array
    bytes_per_unit: Array
    request_gb: Array
    counted: Array
    encoder: bool
    bytes_source: str
    bytes_date: str
    balancers: Array
    balancer_month_price: Array
    balancer_gb_price: Array
    balancer_source: str
    balancer_date: str

    @property
    def answer_gb(self) -> Array:
        """All answers of the horizon [GB]."""
        return self.requests * self.units * self.bytes_per_unit / 1e9


@dataclass(frozen=True, slots=True)
class RolePlan:
    """One role: full-time equivalents, months (NaN: as long as the work lasts), cost a month."""

    role: str
    fte: Array
    months: Array
    monthly_cost: Array
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class MoneyInputs:
    """Everything priced beside performance. Amounts in plan currency, shares as fractions."""

    purchase: Purchase
    storage: StoragePlan
    roles: tuple[RolePlan, ...]
    egress_gb: Array
    egress_price: Array
    cross_region_gb: Array
    cross_region_price: Array
    network_source: str
    network_date: str
    data_acquisition: Array
    data_preparation: Array
    operations_monthly: Array
    energy_excluded: Array
    energy_price_per_kwh: Array
    energy_source: str
    accelerator_power_w: Array
    power_usage_effectiveness: Array
    deadline_days: Array
    cost_of_delay_per_day: Array
    tax_rate: Array
    experiment_runs: Array
    experiment_run_share: Array
    experiment_failed_share: Array
    experiment_rerun_share: Array
    evaluation_share: Array
    horizon_months: Array
    answers: Answers | None = None
