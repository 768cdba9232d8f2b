"""Readers of files other programs write: records, provenance, and what could not be read."""
