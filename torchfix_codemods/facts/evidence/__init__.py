"""What the uses of a value, and the tests around it, show."""
