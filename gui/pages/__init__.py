"""The pages of the window, one a module."""
