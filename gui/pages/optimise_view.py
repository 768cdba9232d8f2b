"""A view of the optimise page that searches only when somebody looks at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gui.shell.session import Session


class SearchedView(QWidget):
    """Base: `refresh` tells that the plan's results changed; `_ask` starts the search."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._wanted = True

    def refresh(self) -> None:
        """Search again, now or when the view is next shown."""
        self._wanted = True
        if self.isVisible():
            self._search()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._wanted:
            self._search()

    def _search(self) -> None:
        self._wanted = False
        self._ask()

    def _ask(self) -> None:
        """Give the work to the engine; each view has its own."""
