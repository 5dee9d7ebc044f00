"""Where values go that may need no graph, and whether their history ends in numbers."""
