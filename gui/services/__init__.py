"""Use cases without Qt: composing a review, the plan library, example plans."""
