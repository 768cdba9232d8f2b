"""The units people read and type: names, conversion to a field's own unit, magnitudes. Qt-free."""

from __future__ import annotations

from collections.abc import Mapping

from engine.text import N_

UNIT_WORDS = (
    N_("s"), N_("ms"), N_("min"), N_("h"), N_("d"), N_("months"), N_("month"), N_("week"), N_("step"),
    N_("tokens"), N_("M tokens"), N_("GPU-h"), N_("GPUs"), N_("GPU"), N_("lot"), N_("GB"), N_("TB"), N_("PB"),
    N_("GiB"), N_("TiB"), N_("GB-month"), N_("GB-months"), N_("W"), N_("kW"), N_("MW"), N_("kWh"), N_("MWh"),
    N_("GWh"), N_("FTE"), N_("FTE-month"),
    N_("FTE-months"), N_("requests"), N_("request"), N_("sequences"), N_("instances"), N_("checkpoints"),
    N_("parameters"), N_("per node-day"), N_("per node-hour"), N_("percentile"), N_("ratio"), N_("share"),
    N_("date"), N_("currency"), N_("currency unit"), N_("interruptions"), N_("x"), N_("Gbit/s"), N_("GB/s"),
    N_("TFLOP/s"), N_("vectors"), N_("byte"), N_("token"),
)  # fmt: skip
"""Names the translators see; a name with "/" is put together from its parts."""

SINGULAR = {
    "tokens": "token", "GPUs": "GPU", "instances": "instance", "checkpoints": "checkpoint", "months": "month",
    "requests": "request", "sequences": "sequence", "parameters": "parameter", "FTE-months": "FTE-month",
    "GB-months": "GB-month", "interruptions": "interruption",
}  # fmt: skip
"""English forms for exactly one; Chinese has no plural."""

_TIME_S = {
    "us": 1e-6, "μs": 1e-6, "ms": 1e-3, "毫秒": 1e-3,
    "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "秒": 1.0,
    "min": 60.0, "minute": 60.0, "minutes": 60.0, "分": 60.0, "分钟": 60.0,
    "h": 3600.0, "hr": 3600.0, "hour": 3600.0, "hours": 3600.0, "时": 3600.0, "小时": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0, "天": 86400.0, "日": 86400.0,
    "wk": 604800.0, "week": 604800.0, "weeks": 604800.0, "周": 604800.0,
}  # fmt: skip
_BYTES = {
    "B": 1.0, "byte": 1.0, "bytes": 1.0,
    "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18,
    "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "PiB": 2.0**50,
}  # fmt: skip
_MONTHS = {
    "mo": 1.0, "month": 1.0, "months": 1.0, "个月": 1.0, "月": 1.0,
    "y": 12.0, "yr": 12.0, "year": 12.0, "years": 12.0, "年": 12.0,
}  # fmt: skip
_POWER_W = {"W": 1.0, "kW": 1e3, "MW": 1e6}
_COMPUTE = {
    "TFLOP/s": 1.0, "TFLOPS": 1.0, "TFLOPs": 1.0, "GFLOP/s": 1e-3,
    "PFLOP/s": 1e3, "PFLOPS": 1e3, "EFLOP/s": 1e6,
}  # fmt: skip
_BITS = {"Mbit/s": 1e-3, "Gbit/s": 1.0, "Gb/s": 1.0, "Gbps": 1.0, "Tbit/s": 1e3, "Tbps": 1e3, "GB/s": 8.0}
_BYTE_RATES = {"MB/s": 1e-3, "GB/s": 1.0, "GBps": 1.0, "TB/s": 1e3, "Gbit/s": 0.125, "Gbps": 0.125}
_NAMES = {
    "tokens": ("token", "tok"),
    "GPUs": ("GPU", "gpus", "gpu", "卡", "张"),
    "GPU-h/week": ("GPU-h", "GPU-hours", "GPU-h a week", "GPU-hours a week", "GPU-h per week"),
    "requests": ("request", "req"),
    "requests/s": ("req/s", "rps", "qps", "requests", "req"),
    "sequences": ("sequence",),
    "FTE": ("fte", "people", "人"),
    "tokens/step": ("tokens", "token", "tok", "tokens a step", "tokens per step"),
    "tokens/request": ("tokens", "token", "tok", "tokens a request", "tokens per request"),
    "ratio": ("x", "×", "倍"),
    "percentile": ("%", "分位"),
    "currency/GPU-h": (
        "/GPU-h",
        "/GPUh",
        "/GPU-hour",
        "/h",
        "per GPU-h",
        "per GPU-hour",
        "per GPU hour",
        "/GPU 时",
    ),
    "currency/month": ("/month", "a month", "per month", "/月"),
    "currency/M tokens": ("/M tokens", "/MTok", "/1M tokens", "per million tokens", "per M tokens"),
    "currency/d": ("/d", "/day", "a day", "per day", "/天"),
    "currency/FTE-month": ("/FTE-month", "/month", "a month", "per month", "/月"),
    "per node-day": ("/node-day", "a node-day"),
    "per node-hour": ("/node-hour", "a node-hour"),
}

MAGNITUDES = {
    "万亿": 1e12, "trillion": 1e12, "billion": 1e9, "million": 1e6, "thousand": 1e3,
    "十亿": 1e9, "百万": 1e6, "亿": 1e8, "万": 1e4, "千": 1e3, "bn": 1e9,
    "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15,
}  # fmt: skip
"""What may stand between a number and its unit. Longer names first, so that they win."""

TIME_UNITS = ("s", "ms", "min", "h", "d")


def unit_scales(unit: str) -> Mapping[str, float]:
    """Names that may follow a number in a field of `unit`, and their size in that unit."""
    families: tuple[Mapping[str, float], ...] = (_TIME_S, _BYTES, _MONTHS, _POWER_W, _COMPUTE)
    if unit == "Gbit/s":
        return _BITS
    if unit == "GB/s":
        return _BYTE_RATES
    if unit == "share":
        return {"%": 0.01, "percent": 0.01, "share": 1.0}
    for family in families:
        if unit in family:
            return {name: size / family[unit] for name, size in family.items()}
    return dict.fromkeys((unit, *_NAMES.get(unit, ())), 1.0)
