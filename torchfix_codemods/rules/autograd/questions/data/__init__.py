"""What becomes of each `.data`: taken by itself, and beside others of the function."""
