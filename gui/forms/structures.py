"""Fields that hold lists or tables, as rows with typed columns. Qt-free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, get_args

from engine.plan import FieldSpec
from engine.plan.architecture import LayerGroup, Mixer, MlpKind
from engine.plan.service import OtherModel, ServingPrecision
from engine.plan.workload import MeasuredRun
from engine.text import N_
from gui.forms.field_spec import FormField

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """One column: its key in the row, title, kind (number, text, choice, date), unit, whether empty."""

    key: str
    title: str
    kind: str = "number"
    unit: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()
    width: int = 80

    def field(self) -> FormField:
        """The column as a form field, so that cells read and write text like any other field."""
        spec = FieldSpec(
            path=self.key, title=self.title, help="", unit=self.unit, kind=self.kind,
            choices=self.choices, words=(), nullable=self.nullable, advanced=False,
            required=not self.nullable, default=None, minimum=0.0, maximum=1e15,
            exclusive_minimum=False, exclusive_maximum=False,
        )  # fmt: skip
        return FormField(
            spec, {"number": "quantity", "choice": "choice", "date": "date"}.get(self.kind, "text")
        )


@dataclass(frozen=True, slots=True)
class RowsSpec:
    """How a structure field becomes rows and back, and the row that "Add" appends."""

    columns: tuple[ColumnSpec, ...]
    to_rows: Callable[[Any], list[Row]]
    from_rows: Callable[[Sequence[Row]], Any]
    new_row: Callable[[], Row]
    add_text: str
    empty_word: str = N_("automatic")


def _models_to_rows(value: Any) -> list[Row]:
    return [item.model_dump() for item in value or ()]


def _table_to_rows(value: Any) -> list[Row]:
    return [{"key": key, **_cells(item)} for key, item in (value or {}).items()]


def _cells(item: Any) -> Row:
    return {"value": item} if isinstance(item, int | float) else item.model_dump()


def _rows_to_rates(rows: Sequence[Row]) -> dict[str, Row]:
    return {row["key"]: {"rate": row["rate"], "date": row["date"] or ""} for row in rows}


def _rows_to_figures(rows: Sequence[Row]) -> dict[str, float]:
    return {row["key"]: row["value"] for row in rows}


ROLES = RowsSpec(
    columns=(
        ColumnSpec(
            "role",
            N_("Role"),
            "choice",
            choices=("ml_engineer", "infra_engineer", "data_engineer", "manager"),
            width=214,
        ),
        ColumnSpec("fte", N_("People, FTE"), unit="FTE", width=80),
        ColumnSpec("months", N_("Months"), unit="months", nullable=True, width=90),
        ColumnSpec("monthly_cost", N_("Cost a month"), unit="currency/FTE-month", nullable=True, width=110),
    ),
    to_rows=_models_to_rows,
    from_rows=list,
    new_row=lambda: {"role": "ml_engineer", "fte": 1.0, "months": None, "monthly_cost": None},
    add_text=N_("Add a role"),
)
RUNS = RowsSpec(
    columns=(
        ColumnSpec("tokens_per_s_per_gpu", N_("Measured"), unit="tokens/s/GPU", width=110),
        ColumnSpec("accelerator_count", N_("GPUs"), nullable=True, width=76),
        ColumnSpec("tensor_parallel", N_("Tensor"), nullable=True, width=62),
        ColumnSpec("pipeline_parallel", N_("Pipeline"), nullable=True, width=62),
        ColumnSpec("micro_batch", N_("Micro-batch"), nullable=True, width=76),
        ColumnSpec("sequence_length", N_("Sequence"), nullable=True, width=76),
    ),
    to_rows=_models_to_rows,
    from_rows=list,
    new_row=lambda: MeasuredRun(tokens_per_s_per_gpu=1000.0).model_dump(),
    add_text=N_("Add a measured run"),
    empty_word=N_("plan"),
)
MODELS = RowsSpec(
    columns=(
        ColumnSpec("preset", N_("Network preset"), "text", width=128),
        ColumnSpec("requests_per_second", N_("Requests/s"), width=74),
        ColumnSpec("input_tokens", N_("Input"), unit="tokens", width=70),
        ColumnSpec("output_tokens", N_("Output"), unit="tokens", width=70),
        ColumnSpec("tensor_parallel", N_("Split"), width=48),
        ColumnSpec("weight_precision", N_("Weights"), "choice", choices=get_args(ServingPrecision), width=78),
        ColumnSpec("profile", N_("Profile"), "choice", choices=("chat", "code", "api", "flat"), width=90),
    ),
    to_rows=_models_to_rows,
    from_rows=list,
    new_row=lambda: OtherModel(
        preset="Llama-3.1-8B", requests_per_second=1.0, input_tokens=1000.0, output_tokens=200.0
    ).model_dump(),
    add_text=N_("Add a model"),
)
ITEMS = RowsSpec(
    columns=(
        ColumnSpec("name", N_("Name"), "text", width=140),
        ColumnSpec("kind", N_("Kind"), "text", width=80),
        ColumnSpec("size_gb", N_("Size"), unit="GB", width=80),
        ColumnSpec("copies", N_("Copies"), width=60),
        ColumnSpec("months", N_("Months"), unit="months", width=60),
        ColumnSpec("tier", N_("Storage tier"), "text", width=110),
    ),
    to_rows=_models_to_rows,
    from_rows=list,
    new_row=lambda: {
        "name": "", "kind": "data", "size_gb": 0.0, "copies": 1.0, "months": 1.0, "tier": "hot_object",
    },
    add_text=N_("Add an item"),
)  # fmt: skip
LAYERS = RowsSpec(
    columns=(
        ColumnSpec("count", N_("Layers"), width=60),
        ColumnSpec("mixer", N_("Token mixer"), "choice", choices=get_args(Mixer), width=140),
        ColumnSpec("mlp", N_("MLP"), "choice", choices=get_args(MlpKind), width=100),
        ColumnSpec("sliding_window", N_("Window"), unit="tokens", nullable=True, width=86),
        ColumnSpec("num_key_value_heads", N_("Key-value heads"), nullable=True, width=100),
        ColumnSpec("intermediate_size", N_("MLP size"), nullable=True, width=84),
    ),
    to_rows=_models_to_rows,
    from_rows=list,
    new_row=lambda: LayerGroup(count=1, mlp="dense").model_dump(),
    add_text=N_("Add a kind of layer"),
    empty_word=N_("as above"),
)
RATES = RowsSpec(
    columns=(
        ColumnSpec("key", N_("Pair"), "text", width=110),
        ColumnSpec("rate", N_("Rate"), width=90),
        ColumnSpec("date", N_("Date of the rate"), "date", width=120),
    ),
    to_rows=_table_to_rows,
    from_rows=_rows_to_rates,
    new_row=lambda: {"key": "USD/CNY", "rate": 1.0, "date": date.today().isoformat()},
    add_text=N_("Add a rate"),
)
PEAKS = RowsSpec(
    columns=(
        ColumnSpec(
            "key",
            N_("Precision"),
            "choice",
            choices=("bf16", "fp16", "fp8", "int8", "fp4", "int4"),
            width=110,
        ),
        ColumnSpec("value", N_("Dense peak"), unit="TFLOP/s", width=110),
    ),
    to_rows=_table_to_rows,
    from_rows=_rows_to_figures,
    new_row=lambda: {"key": "fp8", "value": 1.0},
    add_text=N_("Add a precision"),
)

ROWS: Mapping[str, RowsSpec] = {
    "architecture.layer_groups": LAYERS,
    "training.measured_runs": RUNS,
    "serving.other_models": MODELS,
    "people.roles": ROLES,
    "storage.items": ITEMS,
    "finance.fx_rates": RATES,
    "cluster.accelerator_spec.peak_tflops": PEAKS,
}
