"""Text in the sizes and colour roles of the visual design."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

from gui.shell import theme


class Label(QLabel):
    """A line of text of one size, weight and colour role."""

    def __init__(
        self,
        text: str = "",
        *,
        size: str = "body",
        role: str = "text",
        bold: bool = False,
        wrap: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.font(size, bold))
        self.setWordWrap(wrap)
        self.set_role(role)

    def set_role(self, role: str) -> None:
        """Draw the text in the colour of `role`."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, theme.color(role))
        self.setPalette(palette)


class ElidedLabel(Label):
    """A label that gives way: its middle is left out when there is no room, the tooltip has it all."""

    def __init__(self, text: str = "", *, size: str = "body", role: str = "text", bold: bool = False) -> None:
        super().__init__("", size=size, role=role, bold=bold)
        self._full = ""
        self.setMinimumWidth(24)
        self.set_full_text(text)

    def set_full_text(self, text: str) -> None:
        """Show `text`, elided when it does not fit."""
        self._full = text
        self.setAccessibleName(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self):  # type: ignore[no-untyped-def]
        hint = super().sizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(self._full) + 4)
        return hint

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideMiddle, max(24, self.width()))
        self.setText(shown)
        self.setToolTip(self._full if shown != self._full else "")
