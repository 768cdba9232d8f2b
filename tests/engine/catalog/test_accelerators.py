"""Accelerator figures: units, dense peaks, links, and ids that do not exist."""

from __future__ import annotations

import pytest

from engine.catalog import Catalog, load_catalog, own_accelerator
from engine.errors import InputError


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def test_all_61_are_there_and_two_lack_figures(catalog: Catalog) -> None:
    assert len(catalog.accelerators) + len(catalog.incomplete_accelerators) == 61
    assert set(catalog.incomplete_accelerators) == {"mi308x", "kunlun-p800"}


def test_h100_has_dense_peaks_and_one_way_nvlink(catalog: Catalog) -> None:
    h100 = catalog.accelerator("h100-sxm")
    assert h100.peak("bf16") == pytest.approx(989.4e12)
    assert h100.peak("fp8") == pytest.approx(1978.9e12)
    assert h100.scale_up_bandwidth_bytes_per_s == pytest.approx(450e9)
    assert h100.scale_up_domain == 8
    assert h100.memory_bandwidth_bytes_per_s == pytest.approx(3.35e12)
    assert h100.nic_bandwidth_bytes_per_s == pytest.approx(50e9)
    assert h100.tdp_w == 700


def test_memory_is_binary_gib_that_software_sees(catalog: Catalog) -> None:
    # 79.65 GiB are 85.5e9 bytes: more than 80 GB, less than 80 GiB.
    assert catalog.accelerator("h100-sxm").memory_bytes == pytest.approx(79.65 * 2**30)
    assert 80e9 < catalog.accelerator("h100-sxm").memory_bytes < 80 * 2**30


def test_published_peaks_of_other_generations(catalog: Catalog) -> None:
    assert catalog.accelerator("a100-sxm-80").peak("bf16") == pytest.approx(312e12)
    assert catalog.accelerator("b200").peak("nvfp4") == pytest.approx(9000e12)
    assert catalog.accelerator("gb200").scale_up_domain == 72
    assert catalog.accelerator("mi300x").peak("fp8") == pytest.approx(2614.9e12)


def test_precisions_fall_back_to_the_rate_they_run_at(catalog: Catalog) -> None:
    h100, v100 = catalog.accelerator("h100-sxm"), catalog.accelerator("v100-sxm2-32")
    assert h100.peak("mxfp8") == h100.peak("fp8")
    assert catalog.accelerator("b200").peak("mxfp4") == catalog.accelerator("b200").peak("fp4")
    assert v100.peak("bf16") == pytest.approx(125e12)
    assert catalog.accelerator("gaudi3").peak("fp16") == pytest.approx(1835e12)
    assert h100.peak("nvfp4") is None
    assert catalog.accelerator("a100-sxm-80").peak("fp8") is None


def test_without_fast_fabric_the_link_is_pcie_over_the_node(catalog: Catalog) -> None:
    l40s = catalog.accelerator("l40s")
    assert l40s.scale_up_bandwidth_bytes_per_s == pytest.approx(32e9)
    assert l40s.scale_up_domain == l40s.accelerators_per_node
    assert l40s.scale_up_link.startswith("PCIe")


def test_unpublished_figures_are_unknown_not_zero(catalog: Catalog) -> None:
    assert catalog.accelerator("tpu-v6e").tdp_w is None
    assert catalog.accelerator("tpu-v4").nic_bandwidth_bytes_per_s is None


def test_figures_lie_in_plausible_ranges(catalog: Catalog) -> None:
    for item in catalog.accelerators.values():
        assert 2**33 < item.memory_bytes < 2**39, item.id
        assert 3e11 <= item.memory_bandwidth_bytes_per_s <= 1e13, item.id
        assert 1.5e10 <= item.scale_up_bandwidth_bytes_per_s <= 2e12, item.id
        assert item.scale_up_domain >= 1 and 1 <= item.accelerators_per_node <= 16, item.id
        # Dense 16-bit peaks against bandwidth: a sparse or per-pair figure would leave this band.
        peak = item.peak("bf16")
        assert peak is not None, item.id
        assert 30 < peak / item.memory_bandwidth_bytes_per_s < 600, item.id


def test_names_of_data_files_resolve(catalog: Catalog) -> None:
    assert all(target in catalog.accelerators for target in catalog.aliases.values())
    assert catalog.accelerator("H100-80GB-SXM") is catalog.accelerator("h100-sxm")
    assert catalog.price("H100-SXM", "on_demand") == catalog.price("h100-sxm", "on_demand")


def test_unknown_id_names_neighbours_and_the_six_figures(catalog: Catalog) -> None:
    with pytest.raises(InputError) as caught:
        catalog.accelerator("h100sxm")
    assert caught.value.field == "cluster.accelerator"
    text = str(caught.value)
    for part in (
        "h100-sxm", "memory_gib", "memory_bandwidth_gb_per_s", "peak_tflops", "scale_up_gb_per_s",
        "power_w", "accelerators_per_node",
    ):  # fmt: skip
        assert part in text


def test_unlike_any_id_still_names_the_figures(catalog: Catalog) -> None:
    with pytest.raises(InputError, match=r"cluster\.accelerator_spec.*memory_gib"):
        catalog.accelerator("§§§§")


def test_incomplete_accelerator_says_what_is_missing(catalog: Catalog) -> None:
    with pytest.raises(InputError, match=r"does not know its .*peak_tflops"):
        catalog.accelerator("mi308x")


def test_own_accelerator_converts_units() -> None:
    own = own_accelerator(
        id="mine", memory_gib=100, memory_bandwidth_gb_per_s=4000, peak_tflops={"bf16": 1000},
        scale_up_gb_per_s=500, power_w=800, accelerators_per_node=4, nic_gbps=400,
    )  # fmt: skip
    assert own.memory_bytes == 100 * 2**30
    assert own.peak("fp16") == 1e15
    assert own.scale_up_domain == 4
    assert own.nic_bandwidth_bytes_per_s == 50e9
    assert own.mark == "own"
