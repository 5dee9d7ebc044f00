"""Pages about the rules themselves: the manual, the pitfalls, the peers, the catalogue."""
