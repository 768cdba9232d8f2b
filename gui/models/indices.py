"""What all item models and delegates call an index."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex

Index = QModelIndex | QPersistentModelIndex

ROOT = QModelIndex()
"""The parent of top-level rows."""
