"""For which torch a line, a file, a project was written."""
