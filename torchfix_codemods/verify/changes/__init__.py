"""In which parts two versions of a project differ."""
