"""Rules about loading data."""
