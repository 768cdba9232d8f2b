"""A list of places to go: icon, name, and a small state at the right of each."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.shell import theme
from gui.shell.icons import pixmap
from gui.widgets.marks import draw_mark

_KEY = Qt.ItemDataRole.UserRole
_STATE = Qt.ItemDataRole.UserRole + 1
_ICON = Qt.ItemDataRole.UserRole + 2
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class NavState:
    """What stands at the right of an entry: an optional mark and a short text."""

    text: str = ""
    role: str = "muted"
    shape: str = ""


class _Delegate(QStyledItemDelegate):
    def __init__(self, owner: NavList) -> None:
        super().__init__(owner)
        self._owner = owner

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(40, self._owner.row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        rect = QRect(option.rect)
        state = option.state
        current = bool(state & QStyle.StateFlag.State_Selected)
        hover = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        if current or hover:
            painter.fillRect(rect, theme.color("select" if current else "raised"))
        if current and self._owner.accent_bar:
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), theme.color("accent"))
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(theme.color("accent"))
            painter.drawRect(rect.adjusted(1, 1, -2, -2))
        left = rect.left() + 12
        icon_name = index.data(_ICON)
        if icon_name:
            offset = (rect.width() - 16) // 2 if self._owner.icons_only else 16
            painter.drawPixmap(
                rect.left() + offset,
                rect.center().y() - 7,
                pixmap(icon_name, "accent" if current else "text"),
            )
            left = rect.left() + 42
        if not self._owner.icons_only:
            right = self._state(painter, rect, index.data(_STATE))
            painter.setFont(theme.font(bold=current))
            painter.setPen(theme.color("text"))
            box = QRect(left, rect.top(), right - left - 6, rect.height())
            text = painter.fontMetrics().elidedText(
                str(index.data()), Qt.TextElideMode.ElideRight, box.width()
            )
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _state(self, painter: QPainter, rect: QRect, state: NavState | None) -> int:
        """Paint the state and return where it starts."""
        right = rect.right() - 10
        if state is None:
            return right
        painter.setFont(theme.font("hint"))
        painter.setPen(theme.color(state.role))
        width = painter.fontMetrics().horizontalAdvance(state.text) if state.text else 0
        painter.drawText(
            QRect(right - width, rect.top(), width, rect.height()), Qt.AlignmentFlag.AlignVCenter, state.text
        )
        if state.shape:
            right -= width + (5 if width else 0) + 9
            draw_mark(painter, QRectF(right, rect.center().y() - 4, 9, 9), state.shape, state.role)
            return right
        return right - width


class NavList(QListWidget):
    """Entries by key; emits `chosen(key)` when the user goes to another."""

    chosen = Signal(object)

    def __init__(
        self, name: str, *, row_height: int = 36, accent_bar: bool = True, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.row_height = row_height
        self.accent_bar = accent_bar
        self.icons_only = False
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(_Delegate(self))
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, theme.color("window"))
        self.setPalette(palette)
        self.currentItemChanged.connect(self._changed)

    def add(self, key: str, text: str, icon: str = "") -> None:
        """Append an entry."""
        item = QListWidgetItem(text)
        item.setData(_KEY, key)
        item.setData(_ICON, icon)
        self.addItem(item)

    def set_state(self, key: str, state: NavState | None) -> None:
        """Show a state at the right of an entry."""
        item = self._item(key)
        if item is not None:
            item.setData(_STATE, state)
            spoken = f"{item.text()}, {state.text}" if state is not None and state.text else item.text()
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)

    def state_of(self, key: str) -> NavState | None:
        """The state shown for an entry."""
        item = self._item(key)
        return item.data(_STATE) if item is not None else None

    def set_current(self, key: str) -> None:
        """Mark an entry as current without emitting."""
        blocked = self.blockSignals(True)
        item = self._item(key)
        if item is not None:
            self.setCurrentItem(item)
        self.blockSignals(blocked)
        self.viewport().update()

    def current_key(self) -> str | None:
        """Key of the current entry."""
        item = self.currentItem()
        return None if item is None else str(item.data(_KEY))

    def entry_keys(self) -> list[str]:
        """All keys in order."""
        return [str(self.item(row).data(_KEY)) for row in range(self.count())]

    def set_shown(self, key: str, shown: bool) -> None:
        """Show an entry or leave it out of the list."""
        item = self._item(key)
        if item is not None:
            item.setHidden(not shown)

    def is_shown(self, key: str) -> bool:
        """Whether an entry stands in the list."""
        item = self._item(key)
        return item is not None and not item.isHidden()

    def set_icons_only(self, on: bool) -> None:
        """Show icons only, with the names as tooltips."""
        self.icons_only = on
        for row in range(self.count()):
            self.item(row).setToolTip(self.item(row).text() if on else "")
        self.viewport().update()

    def _item(self, key: str) -> QListWidgetItem | None:
        return next((self.item(row) for row in range(self.count()) if self.item(row).data(_KEY) == key), None)

    def _changed(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(_KEY))
