"""How much of the wall time of a long run is useful: failures, checkpoints, spares and spot capacity."""
