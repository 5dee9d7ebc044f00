"""The other files of a project: which one an import means, and who takes what from whom."""
