"""Where values go: uses, calls, other names of one tensor, what is written into it."""
