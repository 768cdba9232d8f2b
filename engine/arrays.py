"""The array type every numeric function of the engine takes and returns."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = FloatArray | float
"""A float or a float array; functions broadcast, so one call prices one plan or a million rows."""
