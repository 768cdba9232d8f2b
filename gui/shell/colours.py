"""The table of colour roles, Qt-free: the only place in the window that names a colour."""

from __future__ import annotations

from dataclasses import dataclass

CATEGORY_SERIES = {
    "compute": 0,
    "people": 1,
    "data": 2,
    "failures": 3,
    "storage": 4,
    "network": 5,
    "operations": 6,
    # Seven series stay apart under every kind of colour blindness, eight do not: energy shares the
    # colour of operations, and its name beside the bar tells them apart.
    "energy": 6,
}


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours by role as #RRGGBB; `series` are the chart colours in their fixed order."""

    name: str
    window: str
    surface: str
    raised: str
    line: str
    edge: str
    text: str
    muted: str
    accent: str
    on_accent: str
    select: str
    saving: str
    saving_tint: str
    warn: str
    warn_tint: str
    danger: str
    danger_tint: str
    series: tuple[str, ...]

    def category(self, key: str) -> str:
        """Colour of a cost category; unknown keys share the neutral slate."""
        return self.series[CATEGORY_SERIES.get(key, 4)]


LIGHT = Theme(
    name="light",
    window="#F2F4F6",
    surface="#FFFFFF",
    raised="#E9EDF1",
    line="#C8D0D8",
    edge="#76828E",
    text="#17212B",
    muted="#4C5966",
    accent="#0A5A9C",
    on_accent="#FFFFFF",
    select="#DCEAF6",
    saving="#0A6B4D",
    saving_tint="#E0F1EA",
    warn="#855000",
    warn_tint="#FBEFD9",
    danger="#AE2119",
    danger_tint="#FBE6E3",
    series=("#14447A", "#BA8430", "#1F7A62", "#8A1B44", "#8894A6", "#2A9ADA", "#7B45B5"),
)

DARK = Theme(
    name="dark",
    window="#13181E",
    surface="#1B222A",
    raised="#262F39",
    line="#384350",
    edge="#7F8C99",
    text="#E7ECF1",
    muted="#A8B4C0",
    accent="#6FB6F2",
    on_accent="#0B1722",
    select="#1C3B55",
    saving="#5CC9A0",
    saving_tint="#17352B",
    warn="#EFB552",
    warn_tint="#3A2E17",
    danger="#FF928A",
    danger_tint="#41211F",
    series=("#3F8AF2", "#DB9A2B", "#45E3B4", "#EC4573", "#6B7C8F", "#BBD9EE", "#B88CDA"),
)

THEMES = {"light": LIGHT, "dark": DARK}
