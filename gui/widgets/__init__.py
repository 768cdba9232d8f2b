"""Shared painted pieces: cards, badges, chips, buttons, bars."""
