"""Rows of training runs as kernel inputs: one case a row, stacked to arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from engine.catalog import Catalog
from engine.catalog.facts import Accelerator
from engine.performance.inputs import Hardware, LayoutInputs, ModelShape, TrainingRun
from engine.performance.training_constants import (
    Facts,
    MemoryConstants,
    TrainingConstants,
    resolve_training_constants,
)
from engine.validation.layouts import BLANK_NODE, read_layout
from engine.validation.naming import (
    Stack,
    apply_network,
    find_accelerator,
    find_stack,
    read_precision,
    source_group,
)
from engine.validation.shapes import read_shape
from engine.validation.tables import DataRow, Skipped, read_cases

Inputs = TypeVar("Inputs", ModelShape, Hardware, LayoutInputs, TrainingRun)
NEEDED_COLUMNS = ("gpu",)
"""Without an accelerator nothing can be predicted; every other column may be missing."""


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """One row as scalar kernel inputs, with what its constants and groups go by.

    `usable` rows are not marked doubtful by the file; `scored` ones are moreover the newest measurement of
    their configuration.
    """

    id: str
    row: DataRow
    model: ModelShape
    hardware: Hardware
    layout: LayoutInputs
    run: TrainingRun
    accelerator: Accelerator
    precision: str
    stack: Stack
    source: str
    configuration: str
    usable: bool
    scored: bool

    @property
    def is_moe(self) -> bool:
        """Whether the network has routed experts."""
        return bool(self.model.num_experts)


def training_cases(rows: Sequence[DataRow], catalog: Catalog) -> tuple[list[TrainingCase], list[Skipped]]:
    """Every row that can be expressed, and the others with the reason."""
    return read_cases(rows, lambda row: training_case(row, catalog))


def training_case(row: DataRow, catalog: Catalog) -> TrainingCase:
    """One row as kernel inputs. Raises RowProblem when it cannot be expressed."""
    part = find_accelerator(catalog, row.text("gpu"))
    precision = read_precision(row.text("dtype"), part)
    per_node = row.positive("gpus_per_node") or min(BLANK_NODE, part.accelerators_per_node)
    placed = apply_network(row.text("interconnect"), part, per_node)
    stack = find_stack(row.text("framework"), row.text("release"), part)
    model = read_shape(row)
    layout, run = read_layout(row, model, stack.name)
    usable = row.text("use_in_fit").casefold() in ("", "yes")
    return TrainingCase(
        id=row.id,
        row=row,
        model=model,
        hardware=hardware_of(placed, precision, per_node, catalog),
        layout=layout,
        run=run,
        accelerator=part,
        precision=precision,
        stack=stack,
        source=source_group(row.text("source")),
        configuration=row.text("dup_group") or row.id,
        usable=usable,
        scored=usable and row.text("primary").casefold() in ("", "yes"),
    )


def hardware_of(part: Accelerator, precision: str, per_node: float, catalog: Catalog) -> Hardware:
    """An accelerator as kernel input; a port nobody publishes is the catalogue's default."""
    default = catalog.fact("defaults", "nic_bandwidth")
    peak, bf16 = part.peak(precision), part.peak("bf16")
    assert peak is not None and bf16 is not None and default.value is not None
    return Hardware(
        peak_flops=peak,
        peak_bf16_flops=bf16,
        memory_bytes=part.memory_bytes,
        memory_bandwidth_bytes_per_s=part.memory_bandwidth_bytes_per_s,
        scale_up_bandwidth_bytes_per_s=part.scale_up_bandwidth_bytes_per_s,
        scale_up_domain=float(part.scale_up_domain),
        nic_bandwidth_bytes_per_s=part.nic_bandwidth_bytes_per_s or default.value,
        accelerators_per_node=per_node,
    )


def stack_inputs(items: Sequence[Inputs]) -> Inputs:
    """Scalar inputs of many rows as one input of arrays, shape (rows,); the rest stays the first one's."""
    names = [f.name for f in fields(items[0]) if isinstance(getattr(items[0], f.name), int | float)]
    columns: dict[str, Any] = {name: np.array([getattr(i, name) for i in items], float) for name in names}
    return replace(items[0], **columns)


def stack_constants(cases: Sequence[TrainingCase], constants: Facts) -> TrainingConstants:
    """The constants of every row as one group of arrays, shape (rows,); each kind is looked up once."""
    kinds = [
        (c.accelerator.family, c.precision, c.stack.name, c.accelerator.tdp_w, c.stack.release) for c in cases
    ]
    unique = sorted(set(kinds), key=repr)
    index = np.array([unique.index(kind) for kind in kinds])
    found = [
        resolve_training_constants(constants, family, precision, stack=stack, power_w=power, release=release)
        for family, precision, stack, power, release in unique
    ]
    memory = _columns([item.memory for item in found], MemoryConstants, index, {})
    return TrainingConstants(
        **_columns(found, TrainingConstants, index, {"memory": MemoryConstants(**memory)})
    )


def _columns(
    found: Sequence[Any], kind: type[Any], index: np.ndarray[Any, Any], given: dict[str, Any]
) -> dict[str, Any]:
    """Fields of looked-up constants as arrays, one element a row; `given` stands in for nested ones."""
    names = [field.name for field in fields(kind) if field.name not in given]
    return given | {name: np.array([getattr(item, name) for item in found], float)[index] for name in names}
