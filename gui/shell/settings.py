"""Window settings in an ini file: typed, and never plan data."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from PySide6.QtCore import QByteArray, QLocale, QSettings, Qt
from PySide6.QtGui import QGuiApplication

from gui.i18n import LANGUAGES
from gui.shell.colours import THEMES

FILE_NAME = "window.ini"


def settings_file() -> Path:
    """Where window settings live: beside the plans when FLOPWISE_DATA_DIR is set, else the user's folder."""
    chosen = os.environ.get("FLOPWISE_DATA_DIR")
    folder = (
        Path(chosen).expanduser() if chosen else platformdirs.user_config_path("Flopwise", appauthor=False)
    )
    return folder / FILE_NAME


class Settings:
    """Each setting is a property with a type and a default; ini files know text only."""

    def __init__(self, file: Path | None = None) -> None:
        self._store = QSettings(str(file or settings_file()), QSettings.Format.IniFormat)

    @property
    def language(self) -> str:
        """Code of the window's language; at first the system's."""
        chosen = self._text("language")
        if chosen in LANGUAGES:
            return chosen
        return "zh_CN" if QLocale.system().language() == QLocale.Language.Chinese else "en"

    @language.setter
    def language(self, code: str) -> None:
        self._store.setValue("language", code)

    @property
    def theme(self) -> str:
        """ "light" or "dark"; at first the system's."""
        chosen = self._text("theme")
        if chosen in THEMES:
            return chosen
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def plan_id(self) -> str:
        """The plan that was open last, empty at first."""
        return self._text("plan_id")

    @plan_id.setter
    def plan_id(self, plan_id: str) -> None:
        self._store.setValue("plan_id", plan_id)

    @property
    def page(self) -> str:
        """The page that was shown last."""
        return self._text("page") or "setup"

    @page.setter
    def page(self, key: str) -> None:
        self._store.setValue("page", key)

    @property
    def geometry(self) -> QByteArray:
        """The window's place and size as Qt saves it, empty at first."""
        value = self._store.value("geometry")
        return value if isinstance(value, QByteArray) else QByteArray()

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("geometry", value)

    @property
    def export_folder(self) -> str:
        """Where the last file was exported to."""
        return self._text("export_folder")

    @export_folder.setter
    def export_folder(self, folder: str) -> None:
        self._store.setValue("export_folder", folder)

    def sync(self) -> None:
        """Write the file now."""
        self._store.sync()

    def _text(self, key: str) -> str:
        value = self._store.value(key, "", type=str)
        return value if isinstance(value, str) else ""
