"""A review nobody waits for any more ends at the next re-estimate."""

from __future__ import annotations

from itertools import count

import pytest

from engine.catalog import load_catalog
from engine.errors import Cancelled
from gui.services.templates import template_plan
from rules.evaluation import recommend


def test_recommend_stops_when_asked() -> None:
    asked = count()
    with pytest.raises(Cancelled):
        recommend(
            template_plan("pretraining-70b-h100"),
            load_catalog(),
            draws=50,
            cancelled=lambda: next(asked) >= 3,
        )
    assert next(asked) == 4
