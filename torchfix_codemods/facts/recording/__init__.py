"""Which values are part of a graph, and where one is recorded."""
