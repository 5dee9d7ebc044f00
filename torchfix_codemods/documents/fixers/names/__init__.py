"""What the names of a tree of fissix mean."""
