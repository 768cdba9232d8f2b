"""The row-wise maximum search on functions with known maxima."""

from __future__ import annotations

import numpy as np

from engine.reliability.line_search import maximise


def test_finds_each_row_its_maximum() -> None:
    peaks = np.array([0.02, 1.0, 345.6])
    found = maximise(lambda x: -np.abs(np.log(x / peaks)), low=np.full(3, 1e-3), high=np.full(3, 1e4))
    np.testing.assert_allclose(found, peaks, rtol=1e-8)


def test_does_not_stop_on_a_plateau() -> None:
    # Flat at the far end, higher at 30: what a bracketing search from the ends misses.
    found = maximise(
        lambda x: 1 - np.exp(-x) + 0.1 * np.exp(-(np.log(x / 30) ** 2)),
        low=np.array(1e-2),
        high=np.array(1e6),
    )
    np.testing.assert_allclose(found, 30.0, rtol=1e-6)


def test_finds_maxima_at_the_bounds() -> None:
    low, high = np.array([2.0]), np.array([50.0])
    np.testing.assert_allclose(maximise(lambda x: x, low=low, high=high), high, rtol=1e-8)
    np.testing.assert_allclose(maximise(lambda x: -x, low=low, high=high), low, rtol=1e-8)


def test_undefined_values_are_no_maximum() -> None:
    def partly(x: np.ndarray) -> np.ndarray:
        return np.where(x < 5, np.nan, -((x - 10.0) ** 2))

    found = maximise(partly, low=np.array([1.0]), high=np.array([100.0]))
    np.testing.assert_allclose(found, 10.0, rtol=1e-6)
