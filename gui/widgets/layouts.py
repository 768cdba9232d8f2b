"""Emptying layouts whose contents are built anew."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget


def clear_layout(layout: QLayout) -> None:
    """Take every widget out of `layout` and let it go."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def widgets_of(layout: QLayout) -> list[QWidget]:
    """The widgets directly in `layout`, in order."""
    items = (layout.itemAt(index) for index in range(layout.count()))
    return [widget for item in items if item is not None and (widget := item.widget()) is not None]
