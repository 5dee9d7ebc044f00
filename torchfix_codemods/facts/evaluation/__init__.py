"""Finding out what an expression is."""
