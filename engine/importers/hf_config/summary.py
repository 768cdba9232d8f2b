"""What an imported network comes to: parameters, operations, weights and cache, with their sources."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from engine.architecture.cache import kv_bytes, state_bytes
from engine.architecture.counting import Parameters, count_parameters
from engine.architecture.operations import count_operations
from engine.errors import InputError
from engine.importers.hf_config.records import ConfigImport, WeightFormat
from engine.text import N_, Message

COMPONENTS = (
    "embedding",
    "output_head",
    "attention",
    "mlp",
    "experts",
    "shared_experts",
    "router",
    "small",
    "vision",
)
"""Components of Parameters that add up to the total."""

FALLBACK_CONTEXT = 4096
"""Context of networks whose file names none, where a figure needs one."""

LONGEST_CONTEXT = 10**9

ACTIVE_CONVENTION = N_(
    "Active parameters: all that a text token meets, with both embedding matrices and the experts it is "
    "routed to, without the vision tower and layers that predict further tokens."
)


def summarise(
    found: ConfigImport,
    *,
    render: Callable[[Message], str],
    context: int | None = None,
    value_bytes: float = 2.0,
    honour_windows: bool = True,
) -> dict[str, Any]:
    """Plain data of an import. `context` [tokens] defaults to the network's longest; `render` makes texts.

    KV cache of one sequence in `value_bytes` [byte] a value; per_token is that of the first token. Errors:
    InputError for a context or a size of values that is impossible.
    """
    a = found.architecture
    tokens = _context(context, a.max_position_embeddings)
    _check_bytes(value_bytes)
    counts, operations = count_parameters(a), count_operations(a, float(tokens))
    cache = [kv_bytes(a, n, value_bytes=value_bytes, honour_windows=honour_windows) for n in (1, tokens)]
    return {
        "model_type": found.model_type,
        "architecture": a.model_dump(mode="json"),
        "parameters_total": counts.total,
        "parameters_active": counts.active,
        "parameters_text": counts.total - counts.vision,
        "parameters": {name: getattr(counts, name) for name in (*COMPONENTS, "prediction")},
        "active_convention": render(Message(ACTIVE_CONVENTION)),
        "flops_per_token": {
            "context": tokens,
            "linear": operations.linear,
            "attention": operations.attention,
            "logits": operations.logits,
            "forward": operations.forward,
            "training": operations.training,
        },
        "weight_bytes": weight_bytes(counts, found.weight_formats),
        "weight_formats": [{"part": f.part, "name": f.name, "bits": f.bits} for f in found.weight_formats],
        "kv_bytes": {
            "per_token": whole(cache[0]),
            "context": tokens,
            "at_context": whole(cache[1]),
            "state_bytes": whole(state_bytes(a)),
            "value_bytes": value_bytes,
            "honours_windows": honour_windows,
        },
        "read": [{"field": i.field, "value": _jsonable(i.value), "key": i.key} for i in found.read],
        "assumed": [
            {
                "field": item.field,
                "value": _jsonable(item.value),
                "why": render(item.why),
                "affects_counts": item.affects_counts,
            }
            for item in found.assumed
        ],
        "unsupported": [render(message) for message in found.unsupported],
    }


def weight_bytes(counts: Parameters, formats: tuple[WeightFormat, ...]) -> dict[str, int | float]:
    """Bytes of all weights in 16 and 8 bits whatever the file's type, and as the file says of each part."""
    bits = {item.part: item.bits for item in formats}
    # Norms, biases and the like stay in 16 bits at least, however small the rest.
    rest = bits.get("rest", 16.0)
    small = max(rest, 16.0)
    published = sum(
        getattr(counts, name) * (small if name == "small" else bits.get(name, rest)) for name in COMPONENTS
    )
    return {"bf16": counts.total * 2, "fp8": counts.total, "as_published": whole(published / 8.0)}


def _jsonable(value: Any) -> Any:
    """A value of a file with words for the numbers JSON does not know."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _jsonable(item) for key, item in value.items()}
    return [_jsonable(item) for item in value] if isinstance(value, list | tuple) else value


def whole(value: float) -> int | float:
    """A count as a whole number where it is one."""
    return int(value) if float(value).is_integer() else value


def _context(asked: int | None, longest: int | None) -> int:
    if asked is None:
        return longest or FALLBACK_CONTEXT
    if not 1 <= asked <= LONGEST_CONTEXT:
        accepted = Message(N_("a whole number of tokens from 1 to {most}"), {"most": LONGEST_CONTEXT})
        raise InputError("--context", asked, accepted)
    return asked


def _check_bytes(value_bytes: float) -> None:
    if not 0.0 < value_bytes <= 16.0:
        raise InputError("--kv-bytes", value_bytes, Message(N_("a number of bytes above 0, at most 16")))
