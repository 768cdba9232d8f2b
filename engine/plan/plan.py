"""The Plan: all inputs, with provenance per field; immutable and versioned."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from engine.plan.architecture import Architecture
from engine.plan.base import Contradiction, Section
from engine.plan.cluster import Cluster, Layout, Reliability
from engine.plan.money import (
    Data,
    Finance,
    Governance,
    Meta,
    Network,
    Operations,
    People,
    Schedule,
    Scope,
    Storage,
)
from engine.plan.service import Batch, Serving
from engine.plan.workload import (
    TRAINING_KINDS,
    Experiments,
    Training,
    Workload,
)
from engine.text import N_, Message

SCHEMA_VERSION = 1
_SECTIONS_OF = {"online_inference": ("serving",), "batch_inference": ("batch", "serving")}


class Range(Section):
    """How far an input may lie from its entered value, as low and high (read as P10 and P90)."""

    low: float
    high: float

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low > self.high:
            raise Contradiction("low", Message(N_("at most high, {high}"), {"high": self.high}))
        return self


class Provenance(Section):
    """Where a value comes from; a field without an entry holds its default."""

    kind: Literal["entered", "imported", "assumed", "measured", "catalogue", "optimised"]
    source: str = Field(default="", max_length=500)
    date: str = Field(default="", max_length=10)


class Plan(Section):
    """All inputs of one estimate. Scalars only; arrays live in the engine's KernelInputs."""

    schema_version: Literal[1] = 1
    meta: Meta = Field(default_factory=Meta)
    workload: Workload
    architecture: Architecture
    training: Training | None = None
    serving: Serving | None = None
    batch: Batch | None = None
    cluster: Cluster
    layout: Layout = Field(default_factory=Layout)
    reliability: Reliability = Field(default_factory=Reliability)
    experiments: Experiments = Field(default_factory=Experiments)
    data: Data = Field(default_factory=Data)
    storage: Storage = Field(default_factory=Storage)
    network: Network = Field(default_factory=Network)
    people: People = Field(default_factory=People)
    operations: Operations = Field(default_factory=Operations)
    schedule: Schedule = Field(default_factory=Schedule)
    scope: Scope = Field(default_factory=Scope)
    finance: Finance = Field(default_factory=Finance)
    governance: Governance = Field(default_factory=Governance)
    ranges: dict[str, Range] = Field(default_factory=dict)
    provenance: dict[str, Provenance] = Field(default_factory=dict)

    @property
    def is_training(self) -> bool:
        """Whether the workload is one of the training kinds."""
        return self.workload.kind in TRAINING_KINDS

    @property
    def is_service(self) -> bool:
        """Whether the workload is an online service, which runs its whole horizon."""
        return self.workload.kind == "online_inference"

    @property
    def is_batch(self) -> bool:
        """Whether the workload is an offline inference job."""
        return self.workload.kind == "batch_inference"

    @property
    def deadline_days(self) -> float | None:
        """When the work must have ended [d], None for no deadline: a batch job has its own."""
        days = self.schedule.deadline_days
        if not self.is_batch or self.batch is None:
            return days
        own = self.batch.deadline_hours / 24.0
        return own if days is None else min(own, days)

    @model_validator(mode="after")
    def _has_its_section(self) -> Self:
        for needed in _SECTIONS_OF.get(self.workload.kind, ("training",)):
            if getattr(self, needed) is None:
                accepted = Message(
                    N_("a section {section} with its required fields, for workload.kind {kind}"),
                    {"section": needed, "kind": self.workload.kind},
                )
                raise Contradiction(needed, accepted)
        if self.is_service and self.serving is not None and self.serving.requests_per_second is None:
            accepted = Message(N_("a number of requests a second, for workload.kind online_inference"))
            raise Contradiction("serving.requests_per_second", accepted)
        return self
