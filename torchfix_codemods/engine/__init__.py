"""One text in, one migration out."""
