"""Rules of the family: governance."""
