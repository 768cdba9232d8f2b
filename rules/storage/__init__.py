"""Rules of the family: storage."""
