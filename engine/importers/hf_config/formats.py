"""Precisions the weights are stored in: the file's type, and what its quantisation says of each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.importers.hf_config.fields import Fields
from engine.importers.hf_config.records import WeightFormat

_DTYPES: Mapping[str, tuple[str, float]] = {
    "bfloat16": ("bf16", 16.0),
    "float16": ("fp16", 16.0),
    "half": ("fp16", 16.0),
    "float32": ("fp32", 32.0),
    "float": ("fp32", 32.0),
    "float8_e4m3fn": ("fp8", 8.0),
}
# Bits a weight with its scales: one 8-bit scale for 32 weights (MX) or 16 (NVFP4), one fp32 scale a block of
# 128 x 128 weights (fp8), one fp16 scale and zero for a group of 128 (int4).
_BITS: Mapping[str, float] = {
    "mxfp4": 4.25,
    "nvfp4": 4.5,
    "fp8": 8.0,
    "int8": 8.0,
    "int4": 4.15625,
    "nf4": 4.127,
    "bf16": 16.0,
}
_PARTS: Mapping[str, tuple[str, ...]] = {
    "embedding": ("embed_tokens", "embed"),
    "output_head": ("lm_head", "output_layer"),
    "attention": ("self_attn", "attn", "attention", "linear_attn", "mixer"),
    "router": ("router", "gate", "mlp.gate"),
    "experts": ("experts",),
    "shared_experts": ("shared_expert", "shared_experts"),
    "mlp": ("mlp", "feed_forward"),
    "vision": ("vision_tower", "visual", "vision_model"),
}


def read_dtype(whole: Mapping[str, Any], text: Mapping[str, Any]) -> str:
    """Short name of the stored type ("bf16"); empty when the file does not say."""
    for data in (text, whole):
        for key in ("dtype", "torch_dtype"):
            found = data.get(key)
            if isinstance(found, str) and found:
                plain = found.removeprefix("torch.")
                return _DTYPES.get(plain, (plain[:40], 16.0))[0]
    return ""


def read_formats(
    whole: Mapping[str, Any], text: Mapping[str, Any], fields: Fields
) -> tuple[WeightFormat, ...]:
    """Formats by part, "rest" first. Parts a quantisation leaves alone keep the file's own type."""
    name = read_dtype(whole, text)
    plain = WeightFormat("rest", name or "bf16", _plain_bits(name))
    found = _quantisation(whole, text)
    if found is None:
        return (plain,)
    quantised, kept = found
    bits = _BITS.get(quantised, 16.0)
    if quantised == "mxfp4":
        # Checkpoints in MXFP4 convert the experts only.
        return (plain, WeightFormat("experts", quantised, bits))
    parts = {"embedding", "router", *(["vision"] if kept else []), *_kept_parts(kept)}
    plain_name = name if name and name != quantised else "bf16"
    own = [WeightFormat(part, plain_name, _plain_bits(plain_name)) for part in sorted(parts)]
    experts = text.get("expert_dtype") or whole.get("expert_dtype")
    if experts == "fp4":
        own.append(WeightFormat("experts", "mxfp4", _BITS["mxfp4"]))
    return (WeightFormat("rest", quantised, bits), *own)


def _plain_bits(name: str) -> float:
    return next((bits for short, bits in _DTYPES.values() if short == name), 16.0)


def _quantisation(whole: Mapping[str, Any], text: Mapping[str, Any]) -> tuple[str, Sequence[str]] | None:
    """Format of quantised weights and the modules left out, from any of the usual objects."""
    for data in (whole, text):
        for key in ("quantization_config", "compression_config", "quantization", "hf_quant_config"):
            found = data.get(key)
            if isinstance(found, Mapping) and found:
                nested = found.get("quantization")
                inner = nested if isinstance(nested, Mapping) else found
                name = _format(inner)
                return (name, _kept(inner)) if name else None
    return None


def _format(config: Mapping[str, Any]) -> str:
    method = str(config.get("quant_method") or config.get("quant_algo") or config.get("format") or "").lower()
    if "mxfp4" in method:
        return "mxfp4"
    if "nvfp4" in method or "fp4" in method:
        return "nvfp4"
    if method in ("gptq", "awq", "autoround", "auto-round", "bitsandbytes", "compressed-tensors", "modelopt"):
        return _by_bits(config)
    return "fp8" if "fp8" in method or "float8" in method else "int8" if "int8" in method else ""


def _by_bits(config: Mapping[str, Any]) -> str:
    """Format from a count of bits, at the top or in the first group of a compressed-tensors file."""
    algorithm = str(config.get("quant_algo") or "").lower()
    if algorithm:
        return _format({"quant_method": algorithm.replace("modelopt", "")})
    if config.get("load_in_4bit"):
        return "nf4"
    if config.get("load_in_8bit"):
        return "int8"
    weights: Any = config
    groups = config.get("config_groups")
    if isinstance(groups, Mapping) and groups:
        first = next(iter(groups.values()))
        weights = first.get("weights") if isinstance(first, Mapping) else None
    if not isinstance(weights, Mapping):
        return ""
    bits = weights.get("bits") or weights.get("num_bits") or weights.get("w_bit")
    kind = "fp" if weights.get("type") == "float" else "int"
    return _SIZED.get(f"{kind}{bits}", "")


_SIZED: Mapping[str, str] = {"int4": "int4", "int8": "int8", "fp8": "fp8", "fp4": "nvfp4"}

_LEFT_ALONE = (
    "modules_to_not_convert",
    "ignore",
    "exclude_modules",
    "ignored_layers",
    "llm_int8_skip_modules",
)


def _kept(config: Mapping[str, Any]) -> Sequence[str]:
    for key in _LEFT_ALONE:
        found = config.get(key)
        if isinstance(found, list):
            return [item for item in found if isinstance(item, str)]
    return ()


def _kept_parts(modules: Sequence[str]) -> set[str]:
    """Parts whose modules the file lists as left alone."""
    names = {part for module in modules for part in module.replace("*", "").split(".") if part}
    return {part for part, words in _PARTS.items() if part not in ("mlp", "experts") and names & set(words)}
