"""Small libcst helpers that rules share."""
