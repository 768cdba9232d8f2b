"""Charts: pure functions that draw on a matplotlib Figure, and the view that shows them."""
