"""Rules of the family: inference."""
