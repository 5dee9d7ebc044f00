"""Fixers of the modes in which files are opened."""
