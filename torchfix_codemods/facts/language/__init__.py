"""What Python itself says of a module: its scopes, names, ways and arguments. Knows no torch."""
