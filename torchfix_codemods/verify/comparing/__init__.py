"""Two records side by side, from numbers up to whole runs."""
