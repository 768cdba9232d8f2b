"""What follows from a network's shape alone: its layers, parameters, operations and cache, exactly."""
