"""Values that are moved a little, to see whether that shows."""
