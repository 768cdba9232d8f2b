"""Network shapes of serving rows: the columns' sizes, what families are known to do, and their totals."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from engine.catalog.presets import Preset, load_presets
from engine.performance.flops import attention_kinds, count_parameters
from engine.performance.inputs import AttentionKind, ModelShape, ParameterCounts
from engine.validation.shapes import BLANK_HEAD, read_shape
from engine.validation.tables import DataRow, shipped_text

PATTERNS, NETWORKS = "attention_patterns.csv", "networks.csv"
BLANK_SERVING_VOCABULARY = 128256.0
_LATENT_SIZES = (1536.0, 512.0, 128.0, 64.0, 128.0)
"""q_lora_rank, kv_lora_rank, nope, rope and value head sizes of every published large latent network."""
_PRESET_COLUMNS = {
    "n_layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "ffn": "intermediate_size",
    "vocab": "vocab_size",
    "experts": "num_experts",
    "topk": "num_experts_per_tok",
    "moe_ffn": "moe_intermediate_size",
    "shared_ffn": "shared_expert_intermediate_size",
}
PRESET_COUNT_ERROR = 0.1
"""Largest relative error of a preset's parameters as columns tell them: vision towers, uneven layers."""
_STATE_BYTES = 4.0
_KINDS = 2
"""Attention kinds of a row: whole context and windowed; a kind a network lacks has no layers."""


@dataclass(frozen=True, slots=True)
class AttentionPattern:
    """What a family's layers do: shares of layers that attend and that see a window, and state elements."""

    expression: str
    attending_share: float
    windowed_share: float
    window: float
    state_values: float


@lru_cache(maxsize=1)
def read_patterns() -> tuple[AttentionPattern, ...]:
    """The families whose layers differ, from the package's own table."""
    names = ("attending_share", "windowed_share", "window", "state_values")
    return tuple(
        AttentionPattern(row["model"], **{name: float(row[name]) for name in names})
        for row in csv.DictReader(io.StringIO(shipped_text(PATTERNS)))
    )


@lru_cache(maxsize=1)
def known_networks() -> Mapping[str, Mapping[str, str]]:
    """Columns of networks that files name without their sizes, by plain name: the table's, then presets'.

    Presets whose shape the columns cannot tell, by their count of parameters, are left out.
    """
    presets = {_plain(name): _preset_cells(preset) for name, preset in load_presets().items()}
    told = {name: cells for name, cells in presets.items() if _count_error(cells) <= PRESET_COUNT_ERROR}
    table = csv.DictReader(io.StringIO(shipped_text(NETWORKS)))
    return told | {_plain(cells["model"]): cells for cells in table}


def _count_error(cells: Mapping[str, str]) -> float:
    shape = read_serving_shape(DataRow(cells["model"], cells))
    return abs(float(count_parameters(shape).total) / 1e9 / float(cells["params_total_B"]) - 1.0)


def _preset_cells(preset: Preset) -> Mapping[str, str]:
    shape = preset.architecture
    sizes = {column: getattr(shape, name) for column, name in _PRESET_COLUMNS.items()}
    cells = {column: str(value) for column, value in sizes.items() if isinstance(value, int)}
    latent = "MLA" if shape.kv_lora_rank else ""
    own = {"model": preset.name, "params_total_B": str(preset.published_parameters / 1e9), "attn": latent}
    return cells | own


def _plain(name: str) -> str:
    word = re.sub(r"[^a-z0-9]", "", name.casefold().rpartition("/")[2])
    return re.sub(r"((nv)?fp[48]|bf16|instruct|it)+$", "", word)


def _known(name: str, *, nearly: bool) -> Mapping[str, str] | None:
    """A network by its plain name; `nearly`: else the one whose name it goes on from, or the only one that
    goes on from it.
    """
    wanted, known = _plain(name), known_networks()
    if wanted in known or not nearly:
        return known.get(wanted)
    longer = max((key for key in known if wanted.startswith(key)), key=len, default="")
    shorter = [key for key in known if wanted and key.startswith(wanted)]
    found = longer or (shorter[0] if len(shorter) == 1 else "")
    return known.get(found)


def _completed(row: DataRow) -> DataRow:
    """The row with a known network's columns where it has no sizes of its own."""
    if row.amount("n_layers"):
        return row
    known = _known(row.text("model"), nearly=not row.amount("params_total_B"))
    if known is None:
        return row
    return DataRow(row.id, {**row.cells, **known, "model": row.text("model")})


def read_serving_shape(given: DataRow) -> ModelShape:
    """The row's network, counted.

    Sizes are the columns'. The total of parameters tells what no column says: plain or gated MLPs, tied
    embeddings, and how many layers have experts. Families with windows or recurrent layers go by name, and
    so do known networks without sizes.
    Blanks: as read_shape; vocabulary 128,256; without layers or hidden size a network of the same
    parameters. Raises RowProblem when the parameters are blank as well.
    """
    row = _completed(given)
    if not row.amount("n_layers") or not row.amount("hidden"):
        return _with_kinds(read_shape(row), None)
    sized = _sized(row)
    total = row.amount("params_total_B")
    shape = sized if not total else _nearest(sized, total * 1e9)
    word = row.text("model").casefold()
    pattern = next((item for item in read_patterns() if re.search(item.expression, word)), None)
    return _with_kinds(shape, pattern)


def _sized(row: DataRow) -> ModelShape:
    hidden, layers = row.amount("hidden") or 1.0, row.amount("n_layers") or 1.0
    heads = row.amount("n_heads") or max(1.0, hidden / BLANK_HEAD)
    experts = row.amount("experts")
    latent = _LATENT_SIZES if row.text("attn").casefold() == "mla" else (0.0,) * 5
    return ModelShape(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=row.amount("n_kv_heads") or heads,
        head_dim=row.amount("head_dim") or hidden / heads,
        intermediate_size=row.amount("ffn") or hidden * 8.0 / 3.0,
        vocab_size=row.amount("vocab") or BLANK_SERVING_VOCABULARY,
        num_experts=experts,
        num_experts_per_tok=min(row.amount("topk") or 1.0, experts),
        moe_intermediate_size=(row.amount("moe_ffn") or row.amount("ffn") or hidden) if experts else 0.0,
        shared_expert_intermediate_size=row.amount("shared_ffn") if experts else 0.0,
        q_lora_rank=latent[0],
        kv_lora_rank=latent[1],
        qk_nope_head_dim=latent[2],
        qk_rope_head_dim=latent[3],
        v_head_dim=latent[4],
    )


def _nearest(shape: ModelShape, total: float) -> ModelShape:
    """The variant whose parameters come nearest to the published total; the common one on a tie."""
    options = [
        _with_dense_layers(replace(shape, gated_mlp=gated, tie_word_embeddings=tied), total)
        for gated in (1.0, 0.0)
        for tied in (0.0, 1.0)
    ]
    # A rounded total must not turn an ordinary network into a rare one.
    penalties = (0.0, 0.01, 0.01, 0.02)
    misses = [abs(float(count_parameters(option).total) / total - 1.0) for option in options]
    return min(zip(misses, penalties, options, strict=True), key=lambda item: item[0] + item[1])[2]


def _with_dense_layers(shape: ModelShape, total: float) -> ModelShape:
    """As many layers without experts as the total leaves room for."""
    if not shape.num_experts:
        return shape
    every = float(count_parameters(shape).total)
    one = float(count_parameters(replace(shape, first_k_dense_replace=1.0)).total)
    layers = float(shape.num_hidden_layers)
    missing = (every - total) / (every - one) if every > one else 0.0
    dense = float(round(missing))
    # Half a layer is what rounding of a published total amounts to.
    return replace(shape, first_k_dense_replace=min(max(dense, 0.0), layers - 1.0))


def _with_kinds(shape: ModelShape, pattern: AttentionPattern | None) -> ModelShape:
    kind = attention_kinds(shape)[0]
    layers, windowed, window, state = float(shape.num_hidden_layers), 0.0, 0.0, 0.0
    attending = layers
    if pattern is not None:
        attending = float(round(layers * pattern.attending_share))
        windowed, window = float(round(attending * pattern.windowed_share)), pattern.window
        state = (layers - attending) * pattern.state_values * _STATE_BYTES
    return replace(
        shape,
        recurrent_layers=layers - attending,
        state_bytes=state,
        counted=count_parameters(shape),
        attention_kinds=(
            replace(kind, layers=attending - windowed),
            replace(kind, layers=windowed, window=window),
        ),
    )


def stack_shapes(shapes: Sequence[ModelShape]) -> ModelShape:
    """Counted shapes of many rows as one of arrays, shape (rows,)."""
    nested = {"head_weights", "counted", "applied", "attention_kinds"}
    plain: dict[str, Any] = {
        f.name: _column(shapes, f.name) for f in fields(ModelShape) if f.name not in nested
    }
    counts = [shape.counted or count_parameters(shape) for shape in shapes]
    counted = ParameterCounts(**{f.name: _column(counts, f.name) for f in fields(ParameterCounts)})
    kinds = tuple(_stack_kind([shape.attention_kinds[place] for shape in shapes]) for place in range(_KINDS))
    return ModelShape(**plain, counted=counted, attention_kinds=kinds)


def _stack_kind(kinds: Sequence[AttentionKind]) -> AttentionKind:
    return AttentionKind(**{f.name: _column(kinds, f.name) for f in fields(AttentionKind)})


def _column(items: Sequence[object], name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([float(getattr(item, name)) for item in items])
