"""The shipped catalogue as others use it: lookups, unknowns, version, speed."""

from __future__ import annotations

import math
import re
import subprocess
import sys

import pytest

from engine.catalog import Catalog, load_catalog
from engine.errors import FlopwiseError, InputError

SHORT_KEYS = [
    ("storage", "hot_object", "USD/GB-month"),
    ("storage", "infrequent_object", "USD/GB-month"),
    ("storage", "archive_object", "USD/GB-month"),
    ("storage", "parallel_fs", "USD/GB-month"),
    ("network", "egress_internet", "USD/GB"),
    ("network", "cross_region", "USD/GB"),
    ("energy", "electricity", "USD/kWh"),
    ("energy", "pue", "ratio"),
    ("energy", "server_overhead", "ratio"),
    ("energy", "power_utilisation.training", "share"),
    ("energy", "carbon", "gCO2e/kWh"),
    ("people", "ml_engineer_month", "USD/FTE-month"),
    ("people", "infra_engineer_month", "USD/FTE-month"),
    ("people", "data_engineer_month", "USD/FTE-month"),
    ("people", "manager_month", "USD/FTE-month"),
    ("people", "overhead_factor", "ratio"),
    ("failures", "per_node_day", "1/node-day"),
    ("failures", "restart_s", "s"),
    ("failures", "detection_s", "s"),
    ("failures", "checkpoint_bytes_per_parameter", "byte/parameter"),
    ("failures", "checkpoint_write_bytes_per_s_per_node", "byte/s"),
    ("failures", "spot_preemptions_per_node_hour", "1/node-hour"),
    ("failures", "spot_notice_s", "s"),
    ("operations", "share_of_compute", "share"),
    ("experiments", "failed_share", "share"),
]


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


@pytest.mark.parametrize(("group", "key", "unit"), SHORT_KEYS)
def test_keys_others_rely_on_have_value_range_and_unit(
    catalog: Catalog, group: str, key: str, unit: str
) -> None:
    fact = catalog.fact(group, key)
    assert fact.unit == unit
    assert fact.value is not None and fact.value > 0
    assert fact.key == f"{group}.{key}"


def test_unknown_fact_is_none_or_a_named_error(catalog: Catalog) -> None:
    assert catalog.find("storage", "floppy") is None
    with pytest.raises(FlopwiseError, match=r"storage\.floppy"):
        catalog.fact("storage", "floppy")


def test_published_failure_rates(catalog: Catalog) -> None:
    # Llama 3: 419 interruptions, 16,384 GPUs in nodes of 8, 54 days; RSC-1 and RSC-2 per 1000 node-days.
    h100 = catalog.failure_rate("h100-sxm")
    assert h100.value == pytest.approx(3.7887e-3, rel=1e-4)
    a100 = catalog.failure_rate("a100-sxm-80")
    assert (a100.low, a100.high) == (2.34e-3, 6.5e-3)
    assert catalog.failure_rate("b200").key == "failures.per_node_day.b200"
    assert catalog.failure_rate("tpu-v5p").key == "failures.per_node_day.tpu"
    assert catalog.failure_rate("mi300x").key == "failures.per_node_day"


def test_spot_rates_follow_the_monthly_bands(catalog: Catalog) -> None:
    for percent in (5, 10, 15, 20):
        rate = catalog.fact("failures", f"spot_preemptions_per_node_hour.band_{percent:02d}").value
        assert rate is not None
        assert 1 - math.exp(-rate * 730) == pytest.approx(percent / 100)


def test_loaded_monthly_cost_exceeds_pay(catalog: Catalog) -> None:
    pay = catalog.fact("people", "compensation.us").value
    cost = catalog.fact("people", "ml_engineer_month").value
    assert pay is not None and cost is not None
    assert pay / 12 < cost < 1.5 * pay / 12


def test_constants_by_prefix(catalog: Catalog) -> None:
    training = catalog.constants("training.")
    assert training["training.gemm_asymptote_h100"].value == 0.841
    assert not any(key.startswith("serving") for key in training)
    assert catalog.group("training")["gemm_asymptote_h100"] is training["training.gemm_asymptote_h100"]


def test_chat_and_code_profiles(catalog: Catalog) -> None:
    chat, code = catalog.traffic_profile("chat"), catalog.traffic_profile("code")
    for profile in (chat, code):
        assert len(profile) == 168
        assert sum(profile) / 168 == pytest.approx(1.0, abs=1e-12)
    assert 1.66 <= max(chat) <= 1.71
    assert max(code) == pytest.approx(3.0, abs=0.01)
    assert catalog.traffic_profile("flat") == (1.0,) * 168


def test_week_starts_on_monday(catalog: Catalog) -> None:
    for name, weekend_level in (("chat", 0.567), ("code", 0.323)):
        days = [sum(catalog.traffic_profile(name)[24 * day : 24 * day + 24]) / 24 for day in range(7)]
        assert max(days[5:]) < min(days[:5])
        assert (sum(days[5:]) / 2) / (sum(days[:5]) / 5) == pytest.approx(weekend_level, abs=0.005)


def test_unknown_profile_names_the_known_ones(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="chat, code, flat"):
        catalog.traffic_profile("weekly")


def test_version_is_dated_content_hash(catalog: Catalog) -> None:
    assert re.fullmatch(r"2026-12-02\+[0-9a-f]{12}", catalog.version)


def test_catalog_is_cached_and_immutable(catalog: Catalog) -> None:
    assert load_catalog() is catalog
    with pytest.raises(AttributeError):
        catalog.version = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        catalog.accelerators["own"] = catalog.accelerator("l4")  # type: ignore[index]
    with pytest.raises(TypeError):
        catalog.accelerator("l4").peak_flops["bf16"] = 1.0  # type: ignore[index]


def test_rows_cover_every_table(catalog: Catalog) -> None:
    rows = catalog.rows()
    tables = {row["table"] for row in rows}
    assert {"accelerators", "offers", "prices", "storage", "energy", "failures", "training"} <= tables
    for row in rows:
        assert list(row) == [
            "table", "key", "value", "low", "high", "unit", "source", "date", "mark", "conditions"
        ]  # fmt: skip
    assert len({(row["table"], row["key"]) for row in rows}) == len(rows)


def test_everything_parses_quickly() -> None:
    # In a fresh interpreter, best of three full parses: caches and imports of other tests play no part.
    code = (
        "import time\n"
        "from engine.catalog.loading import _load\n"
        "spans = []\n"
        "for _ in range(3):\n"
        "    _load.cache_clear()\n"
        "    start = time.process_time()\n"
        "    _load(None, 0, 0).rows()\n"
        "    spans.append(time.process_time() - start)\n"
        "print(min(spans))\n"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(answer.stdout) < 0.12
