"""How fast a plan runs: FLOPs, memory, kernels and collectives of training and serving."""
