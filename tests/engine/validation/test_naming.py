"""Names of published tables resolve however they are spelled."""

from __future__ import annotations

import pytest

from engine.catalog import load_catalog
from engine.validation.naming import (
    apply_network,
    find_accelerator,
    find_stack,
    read_precision,
    source_group,
)
from engine.validation.tables import RowProblem

CATALOG = load_catalog()


@pytest.mark.parametrize(
    ("name", "identifier"),
    [
        ("H100-80GB-SXM", "h100-sxm"),
        ("NVIDIA H100 SXM5 80GB", "h100-sxm"),
        ("h100", "h100-sxm"),
        ("A100-SXM4-40GB", "a100-sxm-40"),
        ("a100_80gb_sxm", "a100-sxm-80"),
        ("DGX-GB300", "gb300"),
        ("B300-288GB", "b300"),
        ("AMD Instinct MI300X", "mi300x"),
        ("MI355X", "mi355x"),
        ("TPU v5p", "tpu-v5p"),
        ("v5p-256", "tpu-v5p"),
        ("V100", "v100-sxm2-16"),
        ("H100-96GB-HBM2e-500W", "h100-sxm-500w"),
    ],
)
def test_accelerators(name: str, identifier: str) -> None:
    assert find_accelerator(CATALOG, name).id == identifier


def test_every_id_and_alias_is_itself() -> None:
    for key in CATALOG.accelerators:
        assert find_accelerator(CATALOG, key.upper().replace("-", " ")).id == key
    for alias, key in CATALOG.aliases.items():
        assert find_accelerator(CATALOG, alias).id == key


@pytest.mark.parametrize("name", ["", "abacus", "?", "100"])
def test_nonsense_is_no_accelerator(name: str) -> None:
    with pytest.raises(RowProblem):
        find_accelerator(CATALOG, name)


@pytest.mark.parametrize(
    ("name", "part", "precision"),
    [
        ("FP8-CS", "h100-sxm", "fp8"),
        ("fp8_mx", "gb200", "mxfp8"),
        ("NVFP4", "gb200", "nvfp4"),
        ("bfloat16", "h100-sxm", "bf16"),
        ("", "h100-sxm", "bf16"),
        ("fp8", "a100-sxm-80", "bf16"),  # no fp8 peak: the next wider precision
        ("nvfp4", "h100-sxm", "mxfp8"),
    ],
)
def test_precisions(name: str, part: str, precision: str) -> None:
    assert read_precision(name, CATALOG.accelerator(part)) == precision


def test_a_precision_the_model_lacks_is_a_problem() -> None:
    with pytest.raises(RowProblem, match="int4"):
        read_precision("int4", CATALOG.accelerator("h100-sxm"))


@pytest.mark.parametrize(
    ("framework", "release", "part", "stack"),
    [
        ("Megatron-Bridge", "26.06", "gb200", "megatron"),
        ("Megatron-Bridge", "26.02.01", "gb200", "megatron_2025"),
        ("NeMo/Megatron", "25.05", "h100-sxm", "megatron_2024"),
        ("NeMo", "nemo-v2.1.0", "h100-sxm", "megatron_2024"),
        ("Megatron-LM", "", "a100-sxm-80", "megatron_2021"),
        ("Megatron-Core", "", "h100-sxm", "megatron_2024"),
        ("Megatron-DeepSpeed", "", "a100-sxm-80", "megatron_deepspeed"),
        ("DeepSpeed ZeRO-3", "", "a100-sxm-80", "megatron_2021"),
        ("composer/FSDP", "", "a100-sxm-40", "fsdp"),
        ("Primus/Megatron or torchtitan", "", "mi325x", "megatron_2025"),
        ("MaxText", "", "tpu-v5p", "jax"),
    ],
)
def test_stacks(framework: str, release: str, part: str, stack: str) -> None:
    found = find_stack(framework, release, CATALOG.accelerator(part))
    assert (found.name, found.known) == (stack, True)


def test_an_unknown_stack_has_a_stated_stand_in() -> None:
    assert find_stack("own trainer", "", CATALOG.accelerator("h100-sxm")).known is False
    assert find_stack("", "", CATALOG.accelerator("tpu-v4")).name == "jax"


def test_sources_group_by_repository_or_paper() -> None:
    assert source_group("NVIDIA/NeMo v2.0.0:docs/x.md") == source_group("NVIDIA/NeMo v2.1.0:docs/y.md")
    assert source_group("arXiv2205.05198 Table 5 (values in a/b)") == "arxiv 2205.05198"
    assert source_group("Megatron-LM SC21 arXiv2104.04473 Table 1") == source_group(
        "Megatron-LM SC21 Table 2"
    )


@pytest.mark.parametrize(
    ("text", "per_node", "gigabits"),
    [
        ("1600Gbps/node RoCE", 8, 200.0),
        ("8x400Gb", 8, 400.0),
        ("4x100Gb Omni-Path/node", 8, 50.0),
        ("IB 400Gb/GPU", 8, 400.0),
        ("400Gb/s per GPU RDMA", 8, 400.0),
        ("400Gbps", 8, 50.0),
    ],
)
def test_networks(text: str, per_node: float, gigabits: float) -> None:
    part = apply_network(text, CATALOG.accelerator("a100-sxm-80"), per_node)
    assert part.nic_bandwidth_bytes_per_s == pytest.approx(gigabits * 1e9 / 8)


def test_domains() -> None:
    gb200, h100 = CATALOG.accelerator("gb200"), CATALOG.accelerator("h100-sxm")
    assert apply_network("NVL72 domain", gb200, 4).scale_up_domain == 72
    assert apply_network("", h100, 4).scale_up_domain == 4
    assert apply_network("", h100, 8) == h100
