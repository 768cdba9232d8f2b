"""`python -m gui`: the command line, and without a command the window."""

from __future__ import annotations

from multiprocessing import freeze_support

from gui.cli import main

if __name__ == "__main__":
    freeze_support()
    raise SystemExit(main())
