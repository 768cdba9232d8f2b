"""Rules of the family: training."""
