"""Reviews of the example plans, computed once, and a session that hands them out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.catalog import Catalog, load_catalog
from gui.services.review import Review, compose_review
from gui.services.templates import template_plan


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def training_review(catalog: Catalog) -> Review:
    return compose_review(template_plan("pretraining-70b-h100"), catalog, draws=400)


@pytest.fixture(scope="session")
def serving_review(catalog: Catalog) -> Review:
    return compose_review(template_plan("online-70b-chat"), catalog, draws=400)


@pytest.fixture
def themed(qapp: Any) -> None:
    """The program's own style, face and light colours."""
    from gui.shell import theme

    theme.install(qapp, "light")


@pytest.fixture
def open_session(qtbot: Any, themed: None, tmp_path: Any) -> Iterator[Callable[[Review], Any]]:
    """Opens a session on a review's plan; its engine answers with that review at once."""
    from gui.services.project import Project
    from gui.shell.composer import Composer
    from gui.shell.session import Session

    opened = []

    def make(review: Review) -> Session:
        def compose(plan: Any, chosen: Any, dismissed: Any, progress: Any, cancelled: Any) -> Review:
            return review.model_copy(update={"plan": plan})

        session = Session(Project.open(tmp_path), Composer(lambda plan: review.estimate, compose))
        opened.append(session)
        with qtbot.waitSignal(session.review_changed, timeout=10_000):
            session.new_plan(review.plan)
        return session

    yield make
    for session in opened:
        session.chart_worker.wait()
        session.close()
        session.project.close()
