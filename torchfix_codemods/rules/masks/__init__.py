"""Rules about masks."""
