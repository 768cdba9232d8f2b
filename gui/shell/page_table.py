"""The pages of the window as data; each module is imported when its page is first shown."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from PySide6.QtWidgets import QWidget

from engine.text import N_
from gui.shell.session import Session


@dataclass(frozen=True, slots=True)
class PageSpec:
    """Key (also the icon), title, and where the widget class is."""

    key: str
    title: str
    module: str
    name: str

    def make(self, session: Session) -> QWidget:
        """Build the page for a session."""
        page = getattr(import_module(self.module), self.name)(session)
        assert isinstance(page, QWidget)
        return page


def warm_up() -> None:
    """Import every page's module, so that its first visit is quick. For the engine's thread."""
    for page in PAGES:
        import_module(page.module)


PAGES = (
    PageSpec("setup", N_("Setup"), "gui.pages.setup", "SetupPage"),
    PageSpec("cost", N_("Cost"), "gui.pages.cost", "CostPage"),
    PageSpec("optimise", N_("Optimise"), "gui.pages.optimise", "OptimisePage"),
    PageSpec("recommendations", N_("Recommendations"), "gui.pages.recommendations", "RecommendationsPage"),
    PageSpec("proposal", N_("Proposal"), "gui.pages.proposal", "ProposalPage"),
    PageSpec("validation", N_("Validation"), "gui.pages.validation", "ValidationPage"),
    PageSpec("service", N_("Service"), "gui.pages.serving", "ServingPage"),
)
