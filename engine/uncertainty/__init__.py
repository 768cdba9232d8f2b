"""How sure an estimate is: ranges of inputs, seeded draws, the tornado."""
