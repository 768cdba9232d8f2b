"""Every figure of an estimate that is not a ledger line."""

from engine.figures.listing import figure_list, resource_list

__all__ = ["figure_list", "resource_list"]
