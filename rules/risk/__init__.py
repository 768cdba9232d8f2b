"""Rules of the family: risk."""
