"""The window: application, session, engine runner, theme, navigation."""
