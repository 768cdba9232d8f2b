"""The rule base: checks of a plan for waste and risk. One family a folder, one rule a file."""
