"""Undo as commands that swap whole immutable plans."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from zlib import crc32

from PySide6.QtGui import QUndoCommand

from gui.shell.states import Swap

MERGE_SECONDS = 3.0
"""Edits of one field closer than this are one step: typing a number is not four edits."""

SwapCall = Callable[[Swap, bool], None]


class PlanCommand(QUndoCommand):
    """Swaps plan `before` for plan `after`. Both were validated: neither direction can fail."""

    def __init__(self, swap: Swap, apply: SwapCall) -> None:
        super().__init__(swap.text)
        self._swap = swap
        self._apply = apply
        self._made = time.monotonic()

    def id(self) -> int:
        return -1 if self._swap.merge is None else crc32(self._swap.merge.encode()) & 0x7FFFFFFF

    def mergeWith(self, other: QUndoCommand) -> bool:
        if not isinstance(other, PlanCommand) or other._swap.merge != self._swap.merge:
            return False
        if other._made - self._made > MERGE_SECONDS:
            return False
        self._swap = replace(self._swap, after=other._swap.after, text=other._swap.text)
        self._made = other._made
        self.setText(self._swap.text)
        if self._swap.before == self._swap.after:
            self.setObsolete(True)
        return True

    def undo(self) -> None:
        self._apply(self._swap, False)

    def redo(self) -> None:
        self._apply(self._swap, True)
