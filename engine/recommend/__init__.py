"""Pricing actions by re-estimating, combining them without double counting, and ranking them."""
