"""Names in published tables: accelerators, precisions, software stacks, sources and networks.

Every rule here is an assumption that the documentation states: published tables spell things in many ways.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.catalog import Accelerator, Catalog
from engine.text import N_, Message
from engine.validation.tables import RowProblem

_WIDER = {"nvfp4": "mxfp8", "mxfp8": "fp8", "fp8": "bf16", "fp16": "bf16"}
"""A precision that an accelerator has no peak for is computed in the next wider one."""
_STACK_WORDS = (
    (r"composer|llm-foundry|torchtitan|fsdp|lit-gpt|litgpt|torchtune|automodel|accelerate|olmo|fms", "fsdp"),
    (r"maxtext|jax|pax|levanter", "jax"),
    (r"^megatron-deepspeed|gpt-neox|neox", "megatron_deepspeed"),
)
_MEGATRON_WORDS = r"megatron|nemo|mcore|primus|megascale|bridge|vtrain|deepspeed|colossal"
_OLD_FAMILIES = ("volta", "ampere")
_MODERN_RELEASE, _RECENT_RELEASE = (26, 4), (25, 8)


@dataclass(frozen=True, slots=True)
class Stack:
    """A software stack of the constants, whether the row's framework named it, its release date [year]."""

    name: str
    known: bool
    release: float | None = None


def find_accelerator(catalog: Catalog, name: str) -> Accelerator:
    """The accelerator a table means: an id or alias however it is spelled, else the nearest in its words.

    Raises RowProblem when nothing in the name is known.
    """
    wanted = _plain(name)
    known = {_plain(alias): target for alias, target in catalog.aliases.items()}
    known |= {_plain(item.name): key for key, item in catalog.accelerators.items()}
    known |= {_plain(key): key for key in catalog.accelerators}
    found = known.get(wanted) or _nearest(catalog, wanted)
    if not wanted or found is None or found not in catalog.accelerators:
        raise RowProblem(Message(N_("unknown accelerator {name}"), {"name": name[:40]}))
    return catalog.accelerators[found]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _nearest(catalog: Catalog, wanted: str) -> str | None:
    """The id with most characters found as words in the name; its own model word must be among them."""
    best, best_score = None, 0
    for key in catalog.accelerators:
        words = key.split("-")
        model = words[1] if words[0] in ("tpu", "rtx", "ascend", "kunlun") and len(words) > 1 else words[0]
        if model not in wanted:
            continue
        score = 10 * len(model) + sum(len(w) if w in wanted else -1 for w in words)
        if score > best_score:
            best, best_score = key, score
    return best


def read_precision(name: str, accelerator: Accelerator) -> str:
    """The precision of the matrix products; an empty cell is bf16, or fp16 where there is no bf16 peak."""
    word = _plain(name)
    if "fp4" in word:
        precision = "nvfp4"
    elif "fp8" in word or "float8" in word:
        precision = "mxfp8" if "mx" in word else "fp8"
    elif "fp16" in word or "float16" in word or word == "half":
        precision = "bf16" if "bfloat16" in word else "fp16"
    elif not word or "bf16" in word:
        precision = "bf16"
    else:
        raise RowProblem(Message(N_("precision {name} is not modelled"), {"name": name[:40]}))
    while accelerator.peak(precision) is None and precision in _WIDER:
        precision = _WIDER[precision]
    if accelerator.peak(precision) is None:
        raise RowProblem(Message(N_("{name} has no peak in 16 bits"), {"name": accelerator.name}))
    return precision


def find_stack(framework: str, release: str, accelerator: Accelerator) -> Stack:
    """The stack whose constants a framework's rows take.

    Megatron-Core, NeMo and Megatron-Bridge go by release (2026.04 and newer, from 2025.08, older); without
    one, Volta and Ampere rows are taken as Megatron of 2021-22 and newer accelerators as of 2024. A framework
    nobody knows is taken as PyTorch FSDP on NVIDIA's and AMD's parts and as JAX on TPUs.
    """
    word = framework.casefold()
    for pattern, name in _STACK_WORDS:
        if re.search(pattern, word) and not re.search(r"primus", word):
            return Stack(name, True)
    if re.search(_MEGATRON_WORDS, word):
        return _megatron_of(release, accelerator, word)
    return Stack("jax" if "tpu" in accelerator.family.casefold() else "fsdp", False)


def _megatron_of(release: str, accelerator: Accelerator, word: str) -> Stack:
    version = re.search(r"(?<!\d)(2[3-9])\.(\d{2})", release)
    if version:
        number = (int(version[1]), int(version[2]))
        recent = "megatron_2025" if number >= _RECENT_RELEASE else "megatron_2024"
        name = "megatron" if number >= _MODERN_RELEASE else recent
        return Stack(name, True, 2000.0 + number[0] + min(number[1], 12) / 12.0)
    if "bridge" in word:
        return Stack("megatron", True)
    if "nemo" in word or "megascale" in word:
        return Stack("megatron_2024", True)
    if "primus" in word:
        return Stack("megatron_2025", True)
    old = any(family in accelerator.family.casefold() for family in _OLD_FAMILIES)
    return Stack("megatron_2021" if old else "megatron_2024", True)


def source_group(source: str) -> str:
    """Repository or paper of a source text: what is left out together when cross-validating."""
    paper = re.search(r"arxiv\s*:?\s*(\d{4}\.\d{4,5})", source, re.IGNORECASE)
    repository = re.match(r"[\w.-]+/[\w.-]+", source)
    if "SC21" in source:
        return "megatron-lm sc21"
    if repository and not paper:
        return repository[0].casefold()
    return f"arxiv {paper[1]}" if paper else source[:40].strip().casefold()


def apply_network(text: str, accelerator: Accelerator, per_node: float) -> Accelerator:
    """The accelerator with the port and the fast domain that an interconnect text states.

    "8x400Gb", "4x100Gb/node" and "1600Gbps/node" are of a node of `per_node` accelerators, "400Gb/GPU" and
    "400Gb/s per GPU" of one; a plain "400Gbps" is of a node. Without a figure the catalogue's port stays.
    """
    word = text.casefold()
    domain = accelerator.scale_up_domain
    rack = re.search(r"nvl\s?(\d+)", word)
    if rack:
        domain = int(rack[1])
    elif domain <= accelerator.accelerators_per_node:
        domain = int(min(domain, per_node))
    ports = re.search(r"(?:(\d+)\s*x\s*)?(\d+)\s*g(?:b|bps|bit)", word)
    bandwidth = accelerator.nic_bandwidth_bytes_per_s
    if ports and "nvl72" not in word:
        one = int(ports[2]) * (int(ports[1]) if ports[1] else 1)
        each = bool(re.search(r"/\s*gpu|per\s+gpu|/\s*chip", word)) and not ports[1]
        bandwidth = one * 1e9 / 8.0 / (1.0 if each else per_node)
    return replace(accelerator, scale_up_domain=domain, nic_bandwidth_bytes_per_s=bandwidth)
