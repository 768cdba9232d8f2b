"""What a plan costs: ledger lines by category, each with its formula and inputs."""
