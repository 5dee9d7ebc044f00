"""Fixers of fissix that write less than its own; fissix imports them by their names."""
