"""Buttons: one primary a page, outlined ones, links, and the segmented choice."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from gui.shell import theme
from gui.shell.icons import icon


class Button(QPushButton):
    """An outlined button; `role` is "", "primary" or "danger"."""

    def __init__(
        self, text: str, *, role: str = "", small: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setProperty("role", role)
        self.setFont(theme.font("hint" if small else "body", bold=role == "primary"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumHeight(26 if small else 30)
        self.setMinimumWidth(44 if small else 80)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        colour = {"primary": "on_accent", "danger": "danger"}.get(role, "text")
        palette = self.palette()
        palette.setColor(QPalette.ColorGroup.Active, QPalette.ColorRole.ButtonText, theme.color(colour))
        palette.setColor(QPalette.ColorGroup.Inactive, QPalette.ColorRole.ButtonText, theme.color(colour))
        self.setPalette(palette)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 28, hint.height())


class LinkButton(QPushButton):
    """Text that acts: accent colour, no frame, reachable by Tab."""

    def __init__(
        self, text: str = "", *, size: str = "hint", role: str = "accent", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, parent)
        self.setFlat(True)
        self.setFont(theme.font(size))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.ButtonText, theme.color(role))
        self.setPalette(palette)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 8, metrics.height() + 4)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class IconButton(QToolButton):
    """A small button with an icon; the name is its tooltip and its accessible name."""

    def __init__(
        self, icon_name: str, name: str, *, role: str = "muted", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setIcon(icon(icon_name, role))
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setFixedSize(28, 28)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


class HelpButton(QToolButton):
    """A question mark in a circle. It is no Tab stop: F1 in the field does the same."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFixedSize(22, 22)
        self.setFont(theme.font("hint"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        role = "accent" if self.underMouse() else "edge"
        painter.setPen(QPen(theme.color(role), 1))
        painter.drawEllipse(QRectF(self.rect()).adjusted(2, 2, -2, -2))
        painter.setPen(theme.color("muted" if role == "edge" else role))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "?")


class Segmented(QWidget):
    """A choice of few, all visible; emits `changed(key)` when the user picks another."""

    changed = Signal(object)

    def __init__(
        self,
        name: str,
        options: Sequence[tuple[str, str]],
        current: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._keys: dict[str, QPushButton] = {}
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for position, (key, label) in enumerate(options):
            button = Button(label)
            last = position == len(options) - 1
            button.setProperty("segment", "last" if last else "middle" if position else "first")
            button.setCheckable(True)
            button.setChecked(key == current)
            button.setAccessibleName(f"{name}: {label}")
            button.setFont(theme.font(bold=key == current))
            self._group.addButton(button)
            self._keys[key] = button
            row.addWidget(button)
        self._group.buttonClicked.connect(self._clicked)

    def current(self) -> str | None:
        """Key of the option that is on, None when none is."""
        return next((key for key, button in self._keys.items() if button.isChecked()), None)

    def set_current(self, key: str | None) -> None:
        """Switch `key` on without emitting; None switches all off."""
        self._group.setExclusive(key is not None)
        for name, button in self._keys.items():
            button.setChecked(name == key)
            button.setFont(theme.font(bold=name == key))
        self._group.setExclusive(True)

    def _clicked(self) -> None:
        key = self.current()
        self.set_current(key)
        self.changed.emit(key)
