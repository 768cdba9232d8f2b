"""Rules of the family: resources."""
