"""Over how many accelerators an instance's tensors may be split."""

from __future__ import annotations

import numpy as np

from engine.arrays import FloatArray

SPLITS = (1, 2, 4, 8, 16)
"""Sizes that searches try."""
WIDER = (*SPLITS, 32, 64)
"""Sizes named to someone whose network fits in none of them."""


def tensor_splits(heads: float, domain: float, sizes: tuple[int, ...] = SPLITS) -> FloatArray:
    """Sizes [count] that divide the attention heads and stay within the fast domain; 1 always does."""
    return np.array([s for s in sizes if heads % s == 0 and s <= max(1.0, domain)], dtype=float)
