"""What an imported network comes to, in lines for a reader: for the window and the terminal. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.plan import find_field
from engine.text import N_
from gui.formatting import number, quantity
from gui.i18n import translator

COMPONENT_WORDS = {
    "embedding": N_("Embeddings"),
    "output_head": N_("Output head"),
    "attention": N_("Attention and other mixers"),
    "mlp": N_("Dense MLPs"),
    "experts": N_("Routed experts"),
    "shared_experts": N_("Shared experts"),
    "router": N_("Routers"),
    "small": N_("Norms and small parts"),
    "vision": N_("Vision tower"),
    "prediction": N_("Layers that predict further tokens (not in the total)"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, its value in short, and in full where that says more."""

    title: str
    value: str
    full: str = ""
    part: bool = False


def network_lines(found: dict[str, Any], lang: str) -> list[Line]:
    """Parameters with their parts, operations, weights and KV cache of an import's plain data."""
    tr = translator(lang).tr
    kv, weights, flops = found["kv_bytes"], found["weight_bytes"], found["flops_per_token"]
    context = number(kv["context"], lang)
    lines = [
        _count(tr("Parameters"), found["parameters_total"], lang),
        *(
            _count(tr(COMPONENT_WORDS[key]), value, lang, part=True)
            for key, value in found["parameters"].items()
            if value
        ),
        _count(tr("Active parameters"), found["parameters_active"], lang),
        Line(tr("Weights in bf16"), *_bytes(weights["bf16"], lang)),
        Line(tr("Weights as published"), *_bytes(weights["as_published"], lang)),
        Line(
            tr("FLOP a token, forward, at {context} tokens").format(context=context),
            quantity(flops["forward"], "FLOP", lang),
        ),
        Line(tr("FLOP a token, training"), quantity(flops["training"], "FLOP", lang)),
    ]
    if found["architecture"]["kind"] != "decoder":
        return lines
    lines += [
        Line(tr("KV cache of the first token"), *_bytes(kv["per_token"], lang)),
        Line(tr("KV cache at {context} tokens").format(context=context), *_bytes(kv["at_context"], lang)),
    ]
    if kv["state_bytes"]:
        lines.append(Line(tr("Recurrent state of a sequence"), *_bytes(kv["state_bytes"], lang)))
    return lines


def value_text(value: Any, lang: str) -> str:
    """A value of a file as people write it."""
    tr = translator(lang).tr
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, int | float):
        return number(value, lang)
    return "–" if value is None else str(value)


def name_text(name: str, lang: str) -> str:
    """What a field of a network is called; its own name when no form shows it."""
    tr = translator(lang).tr
    for prefix in ("", "details.", "state_space.", "linear_attention."):
        spec = find_field(f"architecture.{prefix}{name}")
        if spec is not None and spec.path.endswith(name):
            return tr(spec.title)
    return name


def _count(title: str, value: int, lang: str, *, part: bool = False) -> Line:
    return Line(title, quantity(value, "", lang), number(value, lang), part)


def _bytes(value: float, lang: str) -> tuple[str, str]:
    full = translator(lang).tr("{count} bytes").format(count=number(value, lang))
    gib = 2.0**30
    return (quantity(value / gib, "GiB", lang), full) if value >= gib / 10.0 else (full, "")
