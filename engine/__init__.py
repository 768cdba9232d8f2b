"""Cost, performance, reliability and optimisation models of Flopwise. Knows neither rules nor Qt."""
