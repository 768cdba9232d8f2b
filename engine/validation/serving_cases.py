"""Rows of serving measurements as kernel inputs: one case a row, stacked to arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from engine.arrays import FloatArray
from engine.catalog import Catalog
from engine.catalog.facts import Accelerator
from engine.codes import SERVING_PRECISIONS
from engine.performance.inputs import Hardware, ModelShape
from engine.performance.serving_step import ServingInputs
from engine.text import N_, Message
from engine.validation.naming import find_accelerator
from engine.validation.serving_conditions import assumed, latency_limits, sequence_cap, sets_cache_format
from engine.validation.serving_shapes import read_serving_shape, stack_shapes
from engine.validation.tables import DataRow, RowProblem, Skipped, read_cases

NEEDED_COLUMNS = ("gpu",)
METRICS = {
    "tpot_ms": "tpot",
    "tpot_p99_ms": "tpot",
    "itl_ms": "tpot",
    "ttft_ms": "ttft",
    "ttft_p99_ms": "ttft",
    "output_tokens_per_s_total": "output",
    "output_tokens_per_s": "output",
    "total_tokens_per_s": "total",
}
"""What a row's metric is of: time per token, time to first token, output or all tokens a second."""
CONTINUOUS, STATIC, OFFLINE, SERVER, RATE = "continuous", "static", "offline", "server", "rate"
_SPELLINGS = (
    (r"mxfp4", "mxfp4"),
    (r"fp4|nvfp4", "nvfp4"),
    (r"int4|awq|gptq|w4", "int4"),
    (r"fp8|f8|float8|e4m3|e5m2|w8a8-fp", "fp8"),
    (r"int8|w8|sq", "int8"),
    (r"bf16|bfloat16", "bf16"),
    (r"fp16|float16|half|16", "fp16"),
)
_FIRST_VLLM = r"vllm.*(2023|2024|v4\.1|-0\.[2-6]\b)"
_WHOLE_RESERVE = r"trt|tensorrt"
"""Engines that admit a request only when its whole output has room in the cache."""


@dataclass(frozen=True, slots=True)
class ServingRow:
    """One row as scalar kernel inputs, with what its groups go by.

    `kind` is what the metric is of (METRICS), `mode` how it was driven; `concurrency` sequences or clients,
    `requests` of an offline run and `rate` [requests/s] are of the whole system of `replicas` instances.
    `table` names the table it stands in, `source` where that was read.
    """

    id: str
    row: DataRow
    model: ModelShape
    hardware: Hardware
    load: ServingInputs
    accelerator: Accelerator
    precision: str
    engine: str
    source: str
    table: str
    metric: str
    kind: str
    mode: str
    concurrency: float
    requests: float
    rate: float
    replicas: float
    tail: bool
    scored: bool

    @property
    def is_moe(self) -> bool:
        """Whether the network has routed experts."""
        return bool(self.model.num_experts)


def serving_rows(rows: Sequence[DataRow], catalog: Catalog) -> tuple[list[ServingRow], list[Skipped]]:
    """Every row that can be expressed, and the others with the reason."""
    return read_cases(rows, lambda row: serving_row(row, catalog))


def serving_row(row: DataRow, catalog: Catalog) -> ServingRow:
    """One row as kernel inputs; `value` is never read. Raises RowProblem when it cannot be expressed.

    Blanks: input and output 1,024 tokens; concurrency 1; parallel sizes 1, tensor parallel the accelerators
    of the instance; weights in 16 bits; cache in 8 bits with weights of 8 bits or fewer, else in 16. A cache
    format that the file itself guesses ("fp8?") is 16 bits, as engines keep it unless told, except where the
    benchmark's recipe is known to tell them.
    ROCm takes the catalogue's `amd_compute_factor`.
    """
    metric = row.text("metric")
    kind = METRICS.get(metric)
    if kind is None:
        raise RowProblem(Message(N_("metric {metric} is not modelled"), {"metric": metric[:40]}))
    part = find_accelerator(catalog, row.text("gpu"))
    model = read_serving_shape(row)
    weights = read_format(row.text("weight_dtype"), "bf16")
    mode, replicas = _mode(row), _layout(row)[3]
    load = _load(row, weights, mode, part, catalog)
    tokens = float(np.asarray(load.input_tokens + np.asarray(load.output_tokens)))
    return ServingRow(
        id=row.id,
        row=row,
        model=model,
        hardware=serving_hardware(part, weights, catalog),
        load=load,
        accelerator=part,
        precision=weights,
        engine=engine_name(row.text("engine").casefold()),
        source=serving_source(row),
        table=row.text("group"),
        metric=metric,
        kind=kind,
        mode=mode,
        concurrency=row.amount("concurrency_or_batch") or assumed("blank_concurrency"),
        requests=_offline_requests(tokens),
        rate=row.amount("request_rate"),
        replicas=replicas,
        tail="p99" in metric,
        scored=row.text("score").casefold() in ("", "yes"),
    )


def _load(row: DataRow, weights: str, mode: str, part: Accelerator, catalog: Catalog) -> ServingInputs:
    engine = row.text("engine").casefold()
    cache = _cache_format(row, weights, engine)
    shrink = assumed("random_length_share") if row.text("group").casefold().startswith("inferencex") else 1.0
    tensor, pipeline, copies, _ = _layout(row)
    limits = _limits(row) if mode == SERVER else (np.inf, np.inf)
    return ServingInputs(
        requests_per_second=1.0,
        input_tokens=(row.amount("isl") or assumed("blank_input_tokens")) * shrink,
        output_tokens=max(1.0, (row.amount("osl") or assumed("blank_output_tokens")) * shrink),
        prefix_hit_rate=0.0,
        weight_precision_code=float(SERVING_PRECISIONS.index(weights)),
        kv_precision_code=float(SERVING_PRECISIONS.index(cache)),
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        ttft_slo_s=limits[0],
        tpot_slo_s=limits[1],
        arrival_cv=1.0,
        max_num_seqs=sequence_cap(engine),
        attention_data_parallel=copies,
        reserved_output_share=1.0 if re.search(_WHOLE_RESERVE, engine) else 0.5,
        software_factor=_software_factor(part, catalog),
    )


def _cache_format(row: DataRow, weights: str, engine: str) -> str:
    name = row.text("kv_dtype")
    if name.endswith("?") and not sets_cache_format(row.text("group").casefold(), engine):
        return "bf16"
    return read_format(name, "bf16" if weights in ("bf16", "fp16") else "fp8")


def _software_factor(part: Accelerator, catalog: Catalog) -> float:
    factor = catalog.fact("serving", "amd_compute_factor").value
    return factor if part.vendor == "AMD" and factor is not None else 1.0


def _mode(row: DataRow) -> str:
    word = row.text("mode").casefold()
    if row.amount("request_rate"):
        return RATE
    if "server" in word or "interactive" in word:
        return SERVER
    if "static" in word or "batch" in word or "latency" in word:
        return STATIC
    if "offline" in word or "max" in word or not row.amount("concurrency_or_batch"):
        return OFFLINE
    return CONTINUOUS


def _offline_requests(tokens: float) -> float:
    """Requests of an offline run that states none: so many tokens in all, within a range."""
    requests = assumed("offline_run_tokens") / tokens
    return min(max(requests, assumed("offline_fewest_requests")), assumed("offline_most_requests"))


def _limits(row: DataRow) -> tuple[float, float]:
    """Latency limits of a row's scenario and network [s]."""
    word, model = row.text("mode").casefold(), row.text("model").casefold()
    scenario = "interactive" if "interactive" in word else "server"
    return latency_limits(scenario, model)


def _layout(row: DataRow) -> tuple[float, float, float, float]:
    """Tensor, pipeline and attention-data parallel sizes, and instances of the system."""
    pipeline, copies = row.count("pp", 1.0), row.count("attn_dp", 1.0)
    instance = row.amount("n_gpus_per_instance")
    tensor = row.count("tp", max(1.0, instance // (pipeline * copies)))
    size = tensor * pipeline * copies
    total = row.amount("n_gpus_total") or instance or size
    return tensor, pipeline, copies, max(1.0, total / (instance or size))


def read_format(name: str, blank: str) -> str:
    """A stored number format by its spelling; an empty cell is `blank`. Raises RowProblem for others."""
    word = name.casefold()
    if not word:
        return blank
    found = next((target for pattern, target in _SPELLINGS if re.search(pattern, word)), None)
    if found is None:
        raise RowProblem(Message(N_("precision {name} is not modelled"), {"name": name[:40]}))
    return found


def engine_name(word: str) -> str:
    """An engine of ENGINES, or other; vLLM before version 1 of its core is one of its own."""
    for pattern, name in (
        (_FIRST_VLLM, "vllm_v0"),
        ("vllm", "vllm"),
        ("sglang", "sglang"),
        ("trt|tensorrt", "trtllm"),
    ):
        if re.search(pattern, word):
            return name
    return "lmdeploy" if "lmdeploy" in word else "other"


def serving_source(row: DataRow) -> str:
    """Repository or paper a row was read in: what is left out together when cross-validating."""
    text = row.text("source")
    paper = re.search(r"arxiv\s*:?\s*(\d{4}\.\d{4,5})", text, re.IGNORECASE)
    if paper:
        return f"arxiv {paper[1]}"
    if "InferenceX" in text:
        return "inferencex"
    repository = re.search(r"(?:^|\()([\w.-]+/[\w.-]+?)@?(?=[@\s)])", text)
    if "TensorRT-LLM" in text:
        return "tensorrt-llm documentation"
    if text.startswith("mlcommons"):
        return text.split(" ")[0].casefold()
    return repository[1].casefold() if repository else text[:24].strip().casefold()


def serving_hardware(part: Accelerator, weights: str, catalog: Catalog) -> Hardware:
    """An accelerator as kernel input for weights of a format; what it cannot compute in runs in 16 bits."""
    bf16 = part.peak("bf16") or part.peak("fp16")
    if bf16 is None:
        raise RowProblem(Message(N_("{name} has no peak in 16 bits"), {"name": part.name}))
    peak = part.peak(weights)
    if peak is None:
        slow = catalog.fact("serving", "weight_only_compute_factor").value
        assert slow is not None
        peak = bf16 * (slow if weights in ("int4", "mxfp4", "nvfp4") else 1.0)
    port = catalog.fact("defaults", "nic_bandwidth").value
    assert port is not None
    return Hardware(
        peak_flops=peak,
        peak_bf16_flops=bf16,
        memory_bytes=part.memory_bytes,
        memory_bandwidth_bytes_per_s=part.memory_bandwidth_bytes_per_s,
        scale_up_bandwidth_bytes_per_s=part.scale_up_bandwidth_bytes_per_s,
        scale_up_domain=float(part.scale_up_domain),
        nic_bandwidth_bytes_per_s=part.nic_bandwidth_bytes_per_s or port,
        accelerators_per_node=float(part.accelerators_per_node),
    )


def stack_rows(cases: Sequence[ServingRow]) -> tuple[ModelShape, Hardware, ServingInputs]:
    """Kernel inputs of many rows as arrays, shape (rows,)."""
    hardware = Hardware(**_columns([case.hardware for case in cases], Hardware))
    load = ServingInputs(**_columns([case.load for case in cases], ServingInputs))
    return stack_shapes([case.model for case in cases]), hardware, load


def _columns(items: Sequence[object], kind: type[Hardware] | type[ServingInputs]) -> dict[str, FloatArray]:
    return {f.name: np.array([float(getattr(item, f.name)) for item in items]) for f in fields(kind)}
