"""Rules of the family: reliability."""
