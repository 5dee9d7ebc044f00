"""Many files: which, in how many processes, and what is kept of them."""
