"""What a command run in this process left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """Exit code and what stands on both outputs."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The JSON on standard output; NaN and Infinity are not JSON."""
        return json.loads(self.out, parse_constant=_refuse)


def _refuse(word: str) -> Any:
    raise ValueError(word)


Run = Callable[..., Answer]
