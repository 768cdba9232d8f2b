"""Reviews of the example plans, computed once, and a session that hands them out."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine.catalog import Catalog, load_catalog
from gui import cli
from gui.services.review import Review, compose_review
from gui.services.templates import template_plan
from tests.gui.answers import Answer, Run


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def training_review(catalog: Catalog) -> Review:
    return compose_review(template_plan("pretraining-70b-h100"), catalog, draws=400)


@pytest.fixture(scope="session")
def serving_review(catalog: Catalog) -> Review:
    return compose_review(template_plan("online-70b-chat"), catalog, draws=400)


@pytest.fixture(scope="session")
def batch_review(catalog: Catalog) -> Review:
    return compose_review(template_plan("batch-70b-synthetic"), catalog, draws=400)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in this process, with a text on standard input."""

    def command(*arguments: str, stdin: str | bytes = "") -> Answer:
        content = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        try:
            code = cli.main(arguments)
        except SystemExit as stopped:  # the argument parser's own way out
            code = int(stopped.code or 0)
        caught = capsys.readouterr()
        return Answer(code, caught.out, caught.err)

    return command


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
