"""Forms: field specifications, layout tables, field widgets and their builder."""
