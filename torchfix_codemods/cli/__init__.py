"""The command line: options, what they do, and what is printed."""
