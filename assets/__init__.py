"""Fonts, icons, translations, report template and example plans; data only."""
