"""The estimator held against published measurements: runs, memory peaks and GPU-hours from CSV files."""
