"""What the rules about scalars ask."""
