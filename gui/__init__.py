"""The application: window, report and command line; the one package that sees engine and rules."""
