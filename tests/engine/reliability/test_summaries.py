"""The checkpoint command's figures and its rejection of impossible inputs."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from engine.errors import InputError
from engine.reliability.summaries import checkpoint_summary

pytestmark = pytest.mark.filterwarnings("error")


def test_at_the_optimum() -> None:
    found = checkpoint_summary(mttf_s=3600.0, write_s=1200.0, restart_s=600.0, downtime_s=300.0)
    assert asdict(found) == pytest.approx(
        {
            "optimal_interval_s": 2199.96068,
            "goodput": 0.303873769,
            "expected_segment_s": 7239.71892,
            "young_s": 2939.38769,
            "daly_s": 2193.82080,
        },
        rel=5e-9,
    )


def test_at_a_given_interval() -> None:
    found = checkpoint_summary(
        mttf_s=3600.0, write_s=1200.0, restart_s=600.0, downtime_s=300.0, interval_s=2939.38769
    )
    assert found.goodput == pytest.approx(0.295683906, rel=5e-9)
    assert found.expected_segment_s == pytest.approx(2939.38769 / 0.295683906, rel=5e-9)
    assert found.optimal_interval_s == pytest.approx(2199.96068, rel=5e-9)


def test_write_far_longer_than_the_mean() -> None:
    found = checkpoint_summary(mttf_s=1.0, write_s=1e3, restart_s=0.0)
    assert (found.optimal_interval_s, found.expected_segment_s, found.goodput) == (1.0, None, 0.0)
    json.dumps(asdict(found), allow_nan=False)


def test_free_write() -> None:
    found = checkpoint_summary(mttf_s=100.0, write_s=0.0, restart_s=10.0)
    assert (found.optimal_interval_s, found.expected_segment_s) == (0.0, 0.0)
    assert found.goodput == pytest.approx(0.904837418)


@pytest.mark.parametrize("mttf", [5e-324, 1.0, 1e300])
@pytest.mark.parametrize("other", [0.0, 5e-324, 1.0, 1e300])
@pytest.mark.parametrize("interval", [None, 5e-324, 1e300])
def test_extremes_stay_valid_json(mttf: float, other: float, interval: float | None) -> None:
    found = checkpoint_summary(
        mttf_s=mttf, write_s=other, restart_s=other, downtime_s=other, interval_s=interval
    )
    json.dumps(asdict(found), allow_nan=False)
    assert 0.0 <= found.goodput <= 1.0


@pytest.mark.parametrize(
    ("option", "name", "values"),
    [
        ("--mttf-s", "mttf_s", (0.0, -1.0)),
        ("--write-s", "write_s", (-1.0,)),
        ("--restart-s", "restart_s", (-1e-9,)),
        ("--downtime-s", "downtime_s", (-5.0,)),
        ("--interval-s", "interval_s", (0.0, -1.0)),
    ],
)
def test_impossible_input_names_the_option(option: str, name: str, values: tuple[float, ...]) -> None:
    good = {"mttf_s": 3600.0, "write_s": 60.0, "restart_s": 60.0}
    for value in (*values, float("nan"), float("inf"), float("-inf"), 1.7e308):
        with pytest.raises(InputError) as caught:
            checkpoint_summary(**(good | {name: value}))
        assert caught.value.field == option
